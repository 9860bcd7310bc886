"""What a model achieves: returns, requested and achieved, in episodes that no training has seen.

Axes: B episodes.
"""

import argparse
import errno
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor, nn

from tokoban.systems.trajectory.attention_rows import write_attention
from tokoban.systems.trajectory.config import TrajectoryConfig
from tokoban.systems.trajectory.environments import FIRST_TRAINING_SEED, World
from tokoban.systems.trajectory.graphs import GraphWorld
from tokoban.systems.trajectory.imitate import Imitator
from tokoban.systems.trajectory.model import TrajectoryTransformer
from tokoban.systems.trajectory.plan import Planner, generators
from tokoban.systems.trajectory.rollouts import Policy, play
from tokoban.systems.trajectory.stepper import PlanConfig
from tokoban.systems.trajectory.train import world_of
from tokoban.training.device import find_device
from tokoban.training.films import save_pictures
from tokoban.training.metrics import mean_interval
from tokoban.training.plots import plot_returns

Mode = Literal["imitate", "draw", "plan", "return", "goal"]
MODES: dict[str, tuple[Mode, ...]] = {
    "plan": ("plan", "imitate", "draw"),
    "return": ("return",),
    "goal": ("goal",),
}

_NUM_EPISODES = 5  # of an evaluation in the course of training
_FRAME_MS = 50
_PLAN_OPTIONS = ("horizon", "keep", "expansion", "top_k", "top_p")
_LIKELY = 0.02  # the least probability of a state, given a return, at which the return is likely


@dataclass(frozen=True, kw_only=True)
class Acting:
    """How a model is to act."""

    mode: Mode
    plan: PlanConfig
    target: str = "best"  # the return asked for: see ``requested``
    goal: tuple[float, ...] = ()
    seed: int = 0  # of all that is drawn


def acting(config: TrajectoryConfig, mode: Mode | None = None) -> Acting:
    """The usual way for a model of this config: its layout's first mode, planning to the window."""
    num_past = min(1, config.window - 1)
    plan = PlanConfig(horizon=config.window - num_past, num_past=num_past, discount=config.discount)
    chosen = mode or MODES[config.layout][0]
    if chosen not in MODES[config.layout]:
        raise ValueError(
            f"a model of the layout {config.layout!r} cannot act in the mode {chosen!r}; "
            f"expected {' or '.join(MODES[config.layout])}"
        )
    return Acting(mode=chosen, plan=plan)


def make_policy(
    model: TrajectoryTransformer,
    config: TrajectoryConfig,
    how: Acting,
    world: World,
    *,
    seeds: Sequence[int],
) -> Policy:
    """The model as a policy for the episodes of these seeds."""
    if how.mode == "plan":
        if how.plan.num_past + how.plan.horizon > config.window:
            raise ValueError(
                f"{how.plan.num_past} transitions read and {how.plan.horizon} planned are more "
                f"than the {config.window} that the model was trained on"
            )
        return Planner(model, how.plan, generators(list(seeds), seed=how.seed))
    num_past = config.window - 1 if how.mode == "return" else how.plan.num_past
    if how.mode == "return":
        return Imitator(model, num_past, targets=requested(model, how.target, world, seeds=seeds))
    if how.mode == "goal":
        goals = _goal(how, world).expand(len(seeds), -1)
        return Imitator(model, num_past, goals=goals)
    drawing = torch.Generator().manual_seed(how.seed) if how.mode == "draw" else None
    return Imitator(model, num_past, generator=drawing)


def requested(
    model: TrajectoryTransformer, target: str, world: World, *, seeds: Sequence[int]
) -> Float[Tensor, "B"]:
    """The return that each episode is asked for.

    ``best`` is the best of the data the model was trained on, whatever the start; ``likely`` the
    best that makes the start at least so probable as 0.02, as the model sees it; ``shortest``, on a
    graph, minus the distance; ``random`` one of the data's range; else a number.
    """
    if target == "best":
        return model.best_return.cpu().expand(len(seeds)).clone()
    if target == "likely":
        return _likely(model, world.reset(seeds), world)
    if target == "shortest" and isinstance(world, GraphWorld):
        nodes = world.reset(seeds)[:, 0].long()
        return -world.distances[nodes].float().cpu()
    if target == "random":
        centres = model.bins.centres[model.layout.to_go]
        used = int(model.bins.num_used[model.layout.to_go])
        drawn = torch.Generator().manual_seed(0)
        return centres[torch.randint(used, (len(seeds),), generator=drawn)].cpu().float()
    try:
        number = float(target)
        assert math.isfinite(number)
    except (ValueError, AssertionError):
        raise ValueError(
            f"target {target!r} is neither a number nor best, likely, random or, on a graph, "
            "shortest"
        ) from None
    return torch.full((len(seeds),), number)


@torch.no_grad()
def _likely(
    model: TrajectoryTransformer, starts: Float[Tensor, "B states"], world: World
) -> Float[Tensor, "B"]:
    """The best return of each start under which the model finds every number of it likely."""
    layout, bins = model.layout, model.bins
    num_returns = int(bins.num_used[layout.to_go])
    device = model.heads.device
    returns = torch.arange(num_returns, device=device).repeat(len(starts))
    states = bins.encode(starts.to(device), layout.states).repeat_interleave(num_returns, dim=0)
    known = torch.cat([returns[:, None], states], dim=1)[:, None]
    missing = len(layout.slots) - known.shape[2]
    tokens = torch.cat([known, known.new_zeros(len(known), 1, missing)], dim=2)
    prefix = bins.encode(world.contexts().to(device), layout.prefix)
    logits = model(prefix.repeat_interleave(num_returns, dim=0), tokens)[:, 0]
    chances = torch.ones(len(known), device=device)
    for place, target in enumerate(layout.targets):
        if target.column in layout.states:
            own = logits[:, place].softmax(1).gather(1, states[:, target.column, None])[:, 0]
            chances = chances.minimum(own.float())
    is_likely = (chances >= _LIKELY).view(len(starts), num_returns)
    # Where no return is likely, the one that makes the start the least unlikely.
    is_likely[~is_likely.any(1)] = chances.view(is_likely.shape)[~is_likely.any(1)].eq(
        chances.view(is_likely.shape)[~is_likely.any(1)].amax(1, keepdim=True)
    )
    best = (is_likely * torch.arange(1, num_returns + 1, device=device)).argmax(1)
    return bins.centres[layout.to_go][best].cpu().float()


def _goal(how: Acting, world: World) -> Float[Tensor, "1 states"]:
    if how.goal:
        if len(how.goal) != len(world.spec.state_sizes):
            raise ValueError(
                f"the goal has {len(how.goal)} numbers; a state has {len(world.spec.state_sizes)}"
            )
        return torch.tensor([how.goal])
    if isinstance(world, GraphWorld):
        return torch.tensor([[float(world.home)]])
    raise ValueError("a goal is missing: name the state to come to, by --goal")


def evaluate(model: nn.Module, config: TrajectoryConfig) -> dict[str, float]:
    """The mean return of a few episodes, without planning, which takes longer."""
    assert isinstance(model, TrajectoryTransformer)
    mode: Mode = "imitate" if config.layout == "plan" else MODES[config.layout][0]
    world = world_of(config)
    how = acting(config, mode)
    if mode == "goal" and not isinstance(world, GraphWorld):
        return {}  # there is no goal that goes without saying
    seeds = range(_NUM_EPISODES)
    policy = make_policy(model, config, how, world, seeds=seeds)
    returns = play(world, policy, seeds).returns()
    return {"mean_return": returns.mean().item()}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """How it acts, how far it plans, in how many episodes, and what is drawn of them."""
    parser.add_argument(
        "--mode",
        choices=("plan", "imitate", "draw", "return", "goal"),
        help="plan by beam search; imitate the data by the likeliest actions, or by drawn ones; "
        "or act after a return or a goal (default: what the model was trained for)",
    )
    parser.add_argument(
        "--target",
        nargs="+",
        metavar="RETURN",
        help="of the mode return: a number, best (of the data), likely (for the start), random or, "
        "on a graph, shortest; of several each is tried (default: best)",
    )
    parser.add_argument(
        "--goal", nargs="+", type=float, metavar="NUMBER",
        help="of the mode goal: the state to come to",
    )  # fmt: skip
    parser.add_argument(
        "--episodes",
        type=int,
        default=10,
        metavar="N",
        help="of seeds from --seed on (default: 10)",
    )
    parser.add_argument("--seed", type=int, default=0, help="of the first episode (default: 0)")
    usual = PlanConfig()
    parser.add_argument(
        "--horizon", type=int, metavar="N",
        help="of the mode plan: transitions planned (default: the window's rest)",
    )  # fmt: skip
    parser.add_argument(
        "--keep", type=int, metavar="N",
        help=f"of the mode plan: plans that live on (default: {usual.keep})",
    )  # fmt: skip
    parser.add_argument(
        "--expansion", type=int, metavar="N",
        help=f"of the mode plan: actions tried after each (default: {usual.expansion})",
    )  # fmt: skip
    parser.add_argument(
        "--top-k", type=int, metavar="N", help="of the mode plan: most probable bins of an action"
    )
    parser.add_argument(
        "--top-p", type=float, metavar="P",
        help=f"of the mode plan: the fewest that reach this probability (default: {usual.top_p})",
    )  # fmt: skip
    parser.add_argument("--device", choices=("auto", "cpu", "cuda"), default="auto")
    parser.add_argument(
        "--plot", metavar="OUT", help="returns requested and achieved, as PNG or SVG"
    )
    parser.add_argument("--film", metavar="OUT", help="the first episode as a GIF")
    parser.add_argument(
        "--attention", metavar="OUT", help="where it looks in the first episode, as a page of HTML"
    )


def evaluate_model(
    model: nn.Module, config: TrajectoryConfig, arguments: argparse.Namespace
) -> dict[str, float | str]:
    """Returns by seed, their mean and its interval; with several targets, of each."""
    assert isinstance(model, TrajectoryTransformer)
    how = _how(config, arguments)
    _check(arguments, how.mode)
    targets = arguments.target or [how.target]
    model = model.to(find_device(arguments.device))
    seeds = range(arguments.seed, arguments.seed + arguments.episodes)
    world = world_of(config, is_drawn=arguments.film is not None)
    if arguments.film is not None:
        world.reset(seeds[:1])
        if world.picture() is None:
            raise ValueError(f"{config.env} has no pictures to make a film of")
    figures: dict[str, float | str] = {
        "env": config.env,
        "mode": how.mode,
        "episodes": arguments.episodes,
    }
    all_requested, all_achieved = [], []
    for number, target in enumerate(targets):
        chosen = replace(how, target=target)
        policy = make_policy(model, config, chosen, world, seeds=seeds)
        played = play(world, policy, seeds)
        achieved = played.returns()
        if number == 0 and arguments.attention is not None:
            write_attention(
                model,
                played,
                Path(arguments.attention),
                window=config.window,
                discount=config.discount,
            )
        suffix = f"_{number}" if len(targets) > 1 else ""
        if how.mode == "return":
            wanted = requested(model, target, world, seeds=seeds)
            all_requested.append(wanted)
            all_achieved.append(achieved)
            figures[f"requested{suffix}"] = wanted.mean().item()
        figures |= _told(achieved, seeds, suffix)
    if arguments.plot is not None:
        plot_returns(
            torch.cat(all_requested).tolist(),
            torch.cat(all_achieved).tolist(),
            title=config.env,
            picture=Path(arguments.plot),
        )
    if arguments.film is not None:
        _film(model, config, replace(how, target=targets[0]), world, seeds[:1], arguments.film)
    return figures


def _told(achieved: Float[Tensor, "B"], seeds: range, suffix: str) -> dict[str, float | str]:
    figures: dict[str, float | str] = {f"mean_return{suffix}": achieved.mean().item()}
    if len(achieved) > 1:
        low, high = mean_interval(achieved.tolist())
        figures |= {f"mean_return_low{suffix}": low, f"mean_return_high{suffix}": high}
    return figures | {
        f"return_of_seed_{seed}{suffix}": value
        for seed, value in zip(seeds, achieved.tolist(), strict=True)
    }


def _how(config: TrajectoryConfig, arguments: argparse.Namespace) -> Acting:
    usual = acting(config, arguments.mode)
    given = {
        name: getattr(arguments, name)
        for name in _PLAN_OPTIONS
        if getattr(arguments, name) is not None
    }
    plan = replace(usual.plan, **given)
    return replace(usual, plan=plan, goal=tuple(arguments.goal or ()), seed=arguments.seed)


def _check(arguments: argparse.Namespace, mode: Mode) -> None:
    for name, least in (("episodes", 1), ("seed", 0)):
        if getattr(arguments, name) < least:
            raise ValueError(f"--{name} is {getattr(arguments, name)}; expected at least {least}")
    used_by: dict[str, Mode] = {"target": "return", "goal": "goal"}
    for name, user in (used_by | dict.fromkeys(_PLAN_OPTIONS, "plan")).items():
        if getattr(arguments, name) is not None and mode != user:
            option = name.replace("_", "-")
            raise ValueError(f"--{option} is for the mode {user}; the mode here is {mode}")
    last = FIRST_TRAINING_SEED - arguments.episodes
    if arguments.seed > last:
        raise ValueError(f"--seed is {arguments.seed}; beyond {last} are seeds of training data")
    if arguments.plot is not None and mode != "return":
        raise ValueError(f"--plot is of returns asked for; the mode {mode} asks for none")
    for path, kinds in (
        (arguments.plot, [".png", ".svg"]),
        (arguments.film, [".gif"]),
        (arguments.attention, [".html"]),
    ):
        if path is None:
            continue
        if Path(path).suffix.lower() not in kinds:
            raise ValueError(f"{path}: expected a name that ends in {' or '.join(kinds)}")
        if not Path(path).resolve().parent.is_dir():
            raise FileNotFoundError(errno.ENOENT, "no folder to write it into", path)


def _film(
    model: TrajectoryTransformer,
    config: TrajectoryConfig,
    how: Acting,
    world: World,
    seeds: Sequence[int],
    film: str,
) -> None:
    frames: list[Any] = []
    policy = make_policy(model, config, how, world, seeds=seeds)
    play(world, policy, seeds, watch=frames.append)
    pictures = [torch.from_numpy(np.array(frame)) for frame in frames]
    captions = [f"step {step}" for step in range(len(pictures))]
    save_pictures(pictures, Path(film), captions=captions, frame_ms=_FRAME_MS)
