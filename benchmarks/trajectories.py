"""Imitation, filtered imitation, conditioning and planning on the same data, several seeds of each.

Every seed collects its own data and trains models of one size on them: of all episodes, of the
best tenth, and of all episodes after the returns, or the goals, asked for. Their last weights are
taken. The episodes that are scored have the same seeds everywhere. A folder keeps what is trained
and scored; a training that was killed goes on from its checkpoint.

Axes: P pairs of a start and a goal.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import torch
from jaxtyping import Int64
from torch import Tensor

from tokoban import pretrained
from tokoban.cli.output import write_output
from tokoban.systems.trajectory.acting import Acting, GoalWatch, Mode, acting, make_policy
from tokoban.systems.trajectory.config import TrajectoryConfig, graph, sokoban
from tokoban.systems.trajectory.environments import World
from tokoban.systems.trajectory.graphs import MAX_STEPS, Graph, distances, graph_of
from tokoban.systems.trajectory.imitate import Imitator
from tokoban.systems.trajectory.levels import is_solved, shortest
from tokoban.systems.trajectory.model import TrajectoryTransformer
from tokoban.systems.trajectory.policies import random_policy
from tokoban.systems.trajectory.rollouts import Policy, play
from tokoban.systems.trajectory.spec import SPEC
from tokoban.systems.trajectory.train import collected, make_system, world_of
from tokoban.systems.trajectory.worlds import make_world
from tokoban.training import loop, run_directory
from tokoban.training.config import to_dict
from tokoban.training.metrics import mean_interval
from tokoban.training.run_config import RunConfig
from tokoban.training.run_directory import RunDirectory

_CONTROL = TrajectoryConfig(window=6, batch_windows=32, discount=0.95, max_steps=200)
TASKS = {
    "pendulum": replace(
        _CONTROL,
        env="Pendulum-v1",
        repeat=3,
        mix="random:1,novice+0.5:1,expert+0.7:1",
        episodes=450,
    ),
    "cart-pole": replace(_CONTROL, env="CartPole-v1", mix="random:1,novice+0.3:1", episodes=400),
    "inverted-pendulum": replace(
        _CONTROL, env="InvertedPendulum-v5", mix="random:1,novice+0.4:1", episodes=1000
    ),
}
_Way = tuple[str, str, Mode]  # a row, the network it is of, and how that acts
_WAYS: tuple[_Way, ...] = (
    ("bc_drawn", "all", "sample"),
    ("bc", "all", "imitate"),
    ("filtered_bc_drawn", "best", "sample"),
    ("filtered_bc", "best", "imitate"),
    ("plan", "all", "plan"),
)
FILTERED = 0.1  # the share of the episodes that %BC learns from
# Of Sokoban's the best tenth are the levels that one or two moves solve: nothing to learn from.
FILTERED_SOKOBAN = 0.5
NUM_EPISODES = 10
NUM_LEVELS = 200  # of Sokoban
RUN = replace(
    SPEC.presets["plan"].run, steps=800, device="cpu", evaluate_every=100, checkpoint_every_s=20.0
)
SOKOBAN_RUN = replace(
    SPEC.presets["sokoban"].run,
    device="cpu",
    evaluate_every=500,
    checkpoint_every_s=RUN.checkpoint_every_s,
)


def main(argv: Sequence[str] | None = None) -> int:
    """Trains what is missing, scores, and prints the table."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("task", choices=_ROWS)
    options.add_argument(
        "--seeds",
        type=int,
        nargs="+",
        default=[0, 1, 2, 3, 4],
        metavar="S",
        help="each of its own data and networks; of graphs it is the graph too (default: 0 to 4)",
    )
    options.add_argument(
        "--folder",
        default="benchmarks/results/trajectories",
        metavar="DIR",
        help="keeps networks and rows, and what is there is not done again (default: %(default)s)",
    )
    chosen = options.parse_args(argv)
    torch.set_num_threads(1)
    rows: dict[str, list[float]] = {}
    for seed in chosen.seeds:
        started_s = time.process_time()
        found = _kept_rows(chosen.task, seed, Path(chosen.folder) / f"{chosen.task}-{seed}")
        for name, value in found.items():
            rows.setdefault(name, []).append(value)
        shown = ", ".join(f"{name} {value:.4g}" for name, value in found.items())
        print(
            f"seed {seed}: {shown} ({time.process_time() - started_s:.0f} CPU s)", file=sys.stderr
        )
    for name, values in rows.items():
        interval = ""
        if len(values) > 1:
            low, high = mean_interval(values)
            interval = f"  {low:.6g} to {high:.6g}"
        print(f"{name:<24} {sum(values) / len(values):>10.6g}{interval}  {values}")
    return 0


def _kept_rows(task: str, seed: int, folder: Path) -> dict[str, float]:
    """The rows of one seed, from the folder where they are there.

    ``ValueError`` where what lies there are rows of another config.
    """
    path = folder / "rows.json"
    config = _config_of(task, seed)
    run = replace(SOKOBAN_RUN if task == "sokoban" else RUN, seed=seed)
    settings = {"config": to_dict(config), "run": to_dict(run)}
    if not path.exists():
        rows = _ROWS[task](config, run, folder)
        kept = settings | {"commit": run_directory.current_commit(), "rows": rows}
        write_output(str(path), json.dumps(kept, indent=1) + "\n")
    found = json.loads(path.read_text())
    if any(found.get(name) != wanted for name, wanted in settings.items()):
        raise ValueError(f"{path}: rows of another config; take another --folder, or remove it")
    return found["rows"]


def _config_of(task: str, seed: int) -> TrajectoryConfig:
    """The data of a seed, and the network that the others differ from in what is compared."""
    if task == "sokoban":
        return replace(sokoban(), data_seed=seed)
    if task in TASKS:
        return replace(TASKS[task], data_seed=seed)
    config = replace(graph(), env=f"graph:{seed}", data_seed=seed)
    return replace(config, layout="goal") if task == "goals" else config


def _control_rows(config: TrajectoryConfig, run: RunConfig, folder: Path) -> dict[str, float]:
    """The mean returns of one seed, in all ways; %BC is among them always."""
    data = collected(config).returns()
    networks = {
        "all": _trained(config, run, folder / "all"),
        "best": _trained(replace(config, best_share=FILTERED), run, folder / "best"),
        "conditioned": _trained(
            replace(config, layout="return", discount=1.0), run, folder / "conditioned"
        ),
    }
    found = {
        "data": data.mean().item(),
        "data_best_tenth": data.sort().values[-round(FILTERED * len(data)) :].mean().item(),
        "requested": float(networks["conditioned"][0].best_return),
    }
    ways: tuple[_Way, ...] = (*_WAYS, ("return_conditioned", "conditioned", "return"))
    for name, network, mode in ways:
        model, trained_on = networks[network]
        how = acting(trained_on, mode)
        if mode == "plan":
            how = replace(how, plan=replace(how.plan, keep=8, top_p=None))
        found[name] = _scores(model, trained_on, how, range(NUM_EPISODES)).mean().item()
    return found


def _graph_rows(config: TrajectoryConfig, run: RunConfig, folder: Path) -> dict[str, float]:
    """From how many of the 19 starts a walk is a shortest one."""
    graph, seeds = graph_of(world_of(config)), range(19)
    assert graph is not None
    starts = graph.starts(seeds)
    shortest = -graph.distances[starts].float()
    data = collected(config)
    # A table as the baseline: distances over the steps that the walks have taken.
    is_taken = torch.zeros_like(graph.is_edge)
    is_taken[data.observations[:, 0].long(), data.actions[:, 0].long()] = True
    tabular = -distances(is_taken, graph.home)[starts].float()
    model, _ = _trained(config, run, folder / "conditioned")
    imitating = replace(config, layout="plan")
    filtered, _ = _trained(replace(imitating, best_share=FILTERED), run, folder / "best")
    found = {"walks_home": data.is_terminated.float().mean().item()}
    for target in ("shortest", "likely", "best", "random"):
        how = replace(acting(config), target=target)
        found[target] = (_scores(model, config, how, seeds) == shortest).sum().item()
    found["filtered_bc"] = (
        (_scores(filtered, imitating, acting(imitating, "imitate"), seeds) == shortest).sum().item()
    )
    found["table"] = (tabular == shortest).sum().item()
    return found


def _goal_rows(config: TrajectoryConfig, run: RunConfig, folder: Path) -> dict[str, float]:
    """The shares of all pairs of a start and a goal on a graph that are walked, and shortest.

    Who learns from random walks without a goal walks at random: that row needs no network.
    """
    model, _ = _trained(config, run, folder / "goal")
    world = world_of(config)
    graph = graph_of(world)
    assert graph is not None
    starts, goals, steps = pairs(graph)
    found = {"pairs": float(len(goals)), "mean_distance": steps.float().mean().item()}
    others = other_goals(graph, starts, goals, seed=run.seed)
    drawing = torch.Generator().manual_seed(run.seed)
    policies: dict[str, Policy] = {
        "goal": Imitator(model, 1, goals=goals[:, None].float()),
        "another_goal": Imitator(model, 1, goals=others[:, None].float()),
        "random": random_policy(generator=drawing),
    }
    for name, policy in policies.items():
        watch = GoalWatch(model, goals[:, None].float())
        played = play(world, policy, starts.tolist(), is_there=watch)
        found[f"{name}_reached"] = watch.is_reached.float().mean().item()
        is_shortest = watch.is_reached & (played.lengths == steps)
        found[f"{name}_shortest"] = is_shortest.float().mean().item()
    return found


def pairs(graph: Graph) -> tuple[Int64[Tensor, "P"], Int64[Tensor, "P"], Int64[Tensor, "P"]]:
    """Seeds of starts, nodes to go to, and the fewest steps: of every pair that can be walked.

    A walk ends at home, so no way leads through it.
    """
    nodes = graph.starts(range(len(graph.is_edge) - 1))
    steps = []
    for goal in range(len(graph.is_edge)):
        is_edge = graph.is_edge.clone()
        if goal != graph.home:
            is_edge[graph.home] = is_edge[:, graph.home] = False
        steps.append(distances(is_edge, goal)[nodes])
    found = torch.stack(steps)  # [goals, starts]
    goals, seeds = ((found > 0) & (found <= MAX_STEPS)).nonzero().unbind(1)
    return seeds, goals, found[goals, seeds]


def other_goals(graph: Graph, starts: Tensor, goals: Tensor, *, seed: int) -> Int64[Tensor, "P"]:
    """For each pair of a start's seed and a goal a node that is neither the goal nor the start."""
    scores = torch.rand(
        len(goals), len(graph.is_edge), generator=torch.Generator().manual_seed(seed)
    )
    nodes = graph.starts(starts.tolist())
    return scores.scatter(1, torch.stack([nodes, goals], dim=1), -1.0).argmax(dim=1)


def _sokoban_rows(config: TrajectoryConfig, run: RunConfig, folder: Path) -> dict[str, float]:
    """The shares of levels that no training has seen which are solved, by the plain rules."""
    data = collected(config)
    networks = {
        "all": _trained(config, run, folder / "all"),
        "best": _trained(replace(config, best_share=FILTERED_SOKOBAN), run, folder / "best"),
    }
    world, seeds = make_world("sokoban"), range(NUM_LEVELS)
    fewest = torch.tensor(shortest(seeds))
    drawing = torch.Generator().manual_seed(run.seed)
    played = {"random": play(world, random_policy(generator=drawing), seeds)}
    for name, network, mode in _WAYS:
        model, trained_on = networks[network]
        policy = make_policy(model, trained_on, acting(trained_on, mode), world, seeds=seeds)
        played[name] = play(world, policy, seeds)
    found = {"data": data.is_terminated.float().mean().item()}
    for name, episodes in played.items():
        is_right = is_solved(episodes, seeds)
        found[name] = is_right.float().mean().item()
        is_shortest = is_right & (episodes.lengths == fewest)
        found[f"{name}_shortest"] = is_shortest.float().mean().item()
    return found


def _scores(
    model: TrajectoryTransformer, config: TrajectoryConfig, how: Acting, seeds: range
) -> torch.Tensor:
    world: World = world_of(config)
    policy = make_policy(model, config, how, world, seeds=seeds)
    return play(world, policy, seeds).returns()


def _trained(
    config: TrajectoryConfig, run: RunConfig, path: Path
) -> tuple[TrajectoryTransformer, TrajectoryConfig]:
    """The last weights of the run in ``path``, which is made, or gone on with if it is not over.

    ``ValueError`` where what lies there is a run of another config.
    """
    directory = RunDirectory(path, system="trajectory", config=to_dict(config))
    loop.fit(make_system(config), run, directory, resume=(path / "config.json").exists())
    model, _ = pretrained.load(str(path), system="trajectory")
    assert isinstance(model, TrajectoryTransformer)
    return model, config


_ROWS: dict[str, Callable[[TrajectoryConfig, RunConfig, Path], dict[str, float]]] = {
    "graphs": _graph_rows,
    "goals": _goal_rows,
    "sokoban": _sokoban_rows,
    **dict.fromkeys(TASKS, _control_rows),
}

if __name__ == "__main__":
    sys.exit(main())
