"""Imitation, filtered imitation, conditioning and planning on the same data, several seeds of each.

Every seed collects its own data and trains three models of one size on them: of all episodes, of
the best tenth, and of all episodes after the returns asked for. Their last weights are taken. The
episodes that are scored have the same seeds everywhere. A folder keeps what is trained and scored.
"""

import argparse
import json
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from tokoban import pretrained
from tokoban.cli.output import check_destination, write_output
from tokoban.systems.trajectory.config import TrajectoryConfig, graph
from tokoban.systems.trajectory.environments import World
from tokoban.systems.trajectory.evaluate import Acting, acting, make_policy
from tokoban.systems.trajectory.graphs import GraphWorld, tabular_distances
from tokoban.systems.trajectory.model import TrajectoryTransformer
from tokoban.systems.trajectory.rollouts import play
from tokoban.systems.trajectory.train import RUNS, load_or_collect, make_system, world_of
from tokoban.training import loop, run_directory
from tokoban.training.config import to_dict
from tokoban.training.metrics import mean_interval
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
FILTERED = 0.1  # the share of the episodes that %BC learns from
NUM_EPISODES = 10
STEPS = 800
LEARNING_RATE = 4e-3


def main() -> int:
    """Trains what is missing, scores, and prints the table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("task", choices=["graphs", *TASKS])
    options.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2, 3, 4], metavar="S")
    options.add_argument("--folder", default="benchmarks/results/trajectories", metavar="DIR")
    options.add_argument("--json", metavar="OUT")
    chosen = options.parse_args()
    check_destination(chosen.json)
    torch.set_num_threads(1)
    rows: dict[str, list[float]] = {}
    about: dict[str, Any] = {
        "task": chosen.task,
        "seeds": chosen.seeds,
        "hardware": run_directory.hardware_name(torch.device("cpu")),
        "commit": run_directory.current_commit(),
    }
    for seed in chosen.seeds:
        folder = Path(chosen.folder) / f"{chosen.task}-{seed}"
        started_s = time.process_time()
        found = _kept_rows(chosen.task, seed, folder)
        for name, value in found.items():
            rows.setdefault(name, []).append(value)
        shown = ", ".join(f"{name} {value:.4g}" for name, value in found.items())
        print(
            f"seed {seed}: {shown} ({time.process_time() - started_s:.0f} CPU s)", file=sys.stderr
        )
        if chosen.json is not None:
            write_output(chosen.json, json.dumps(about | {"rows": rows}, indent=1) + "\n")
    for name, values in rows.items():
        interval = ""
        if len(values) > 1:
            low, high = mean_interval(values)
            interval = f"  {low:.6g} to {high:.6g}"
        print(f"{name:<24} {sum(values) / len(values):>10.6g}{interval}  {values}")
    return 0


def _kept_rows(task: str, seed: int, folder: Path) -> dict[str, float]:
    """The rows of one seed, from the folder where they are there."""
    path = folder / "rows.json"
    if not path.exists():
        rows = _graph_rows(seed, folder) if task == "graphs" else _rows(TASKS[task], seed, folder)
        write_output(str(path), json.dumps(rows, indent=1) + "\n")
    found: dict[str, float] = json.loads(path.read_text())
    return found


def _rows(task: TrajectoryConfig, seed: int, folder: Path) -> dict[str, float]:
    """The mean returns of one seed, in all ways; %BC is among them always."""
    config = replace(task, data_seed=seed)
    data = load_or_collect(config).returns()
    everything = _trained(config, seed, folder / "all")
    filtered = _trained(replace(config, best_share=FILTERED), seed, folder / "best")
    conditioned = _trained(
        replace(config, layout="return", discount=1.0), seed, folder / "conditioned"
    )
    found = {
        "data": data.mean().item(),
        "data_best_tenth": data.sort().values[-round(FILTERED * len(data)) :].mean().item(),
        "requested": float(conditioned[0].best_return),
    }
    for name, (model, trained_on), mode in (
        ("bc_drawn", everything, "draw"),
        ("bc", everything, "imitate"),
        ("filtered_bc_drawn", filtered, "draw"),
        ("filtered_bc", filtered, "imitate"),
        ("return_conditioned", conditioned, "return"),
        ("plan", everything, "plan"),
    ):
        how = acting(trained_on, mode)  # type: ignore[arg-type]  # a literal in a table
        if mode == "plan":
            how = replace(how, plan=replace(how.plan, keep=8, top_p=None))
        found[name] = _scores(model, trained_on, how, range(NUM_EPISODES)).mean().item()
    return found


def _graph_rows(seed: int, folder: Path) -> dict[str, float]:
    """From how many of the 19 starts a walk is a shortest one."""
    config = replace(graph(), env=f"graph:{seed}", data_seed=seed)
    world, seeds = world_of(config), range(19)
    assert isinstance(world, GraphWorld)
    starts = world.reset(seeds)[:, 0].long()
    shortest = -world.distances[starts].float()
    data = load_or_collect(config)
    tabular = -tabular_distances(
        data.observations[:, 0].long(),
        data.actions[:, 0].long(),
        num_nodes=len(world.is_edge),
        home=world.home,
    )[starts].float()
    model, _ = _trained(config, seed, folder / "conditioned")
    imitating = replace(config, layout="plan")
    filtered, _ = _trained(replace(imitating, best_share=FILTERED), seed, folder / "best")
    found = {"walks_home": data.is_terminated.float().mean().item()}
    for target in ("shortest", "likely", "best", "random"):
        how = replace(acting(config), target=target)
        found[target] = (_scores(model, config, how, seeds) == shortest).sum().item()
    found["filtered_bc"] = (
        (_scores(filtered, imitating, acting(imitating, "imitate"), seeds) == shortest).sum().item()
    )
    found["table"] = (tabular == shortest).sum().item()
    return found


def _scores(
    model: TrajectoryTransformer, config: TrajectoryConfig, how: Acting, seeds: range
) -> torch.Tensor:
    world: World = world_of(config)
    policy = make_policy(model, config, how, world, seeds=seeds)
    return play(world, policy, seeds).returns()


def _trained(
    config: TrajectoryConfig, seed: int, path: Path
) -> tuple[TrajectoryTransformer, TrajectoryConfig]:
    """The last weights of the run in ``path``, which is made where it is not there."""
    if not (path / "result.json").exists():
        run = replace(
            RUNS["plan"], steps=STEPS, learning_rate=LEARNING_RATE, seed=seed, device="cpu"
        )
        directory = RunDirectory(path, system="trajectory", config=to_dict(config))
        loop.train(make_system(config), run, directory)
    model, _ = pretrained.load(str(path), system="trajectory")
    assert isinstance(model, TrajectoryTransformer)
    return model, config


if __name__ == "__main__":
    sys.exit(main())
