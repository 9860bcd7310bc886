"""What a model achieves: returns, requested and achieved, in episodes that no training has seen.

Axes: B episodes.
"""

import argparse
import errno
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from tokoban.systems.trajectory.acting import (
    MODES,
    Acting,
    GoalWatch,
    Mode,
    acting,
    goal_of,
    make_policy,
    requested,
)
from tokoban.systems.trajectory.attention_rows import write_attention
from tokoban.systems.trajectory.config import TrajectoryConfig
from tokoban.systems.trajectory.environments import FIRST_TRAINING_SEED, World
from tokoban.systems.trajectory.graphs import GraphWorld
from tokoban.systems.trajectory.levels import SokobanWorld
from tokoban.systems.trajectory.model import TrajectoryTransformer
from tokoban.systems.trajectory.rollouts import play
from tokoban.systems.trajectory.stepper import PlanConfig
from tokoban.systems.trajectory.train import world_of
from tokoban.training.device import add_device_option, find_device
from tokoban.training.metrics import mean_interval, wilson
from tokoban.viewing.films import save_pictures
from tokoban.viewing.plots import plot_returns

WATCHED_EPISODES = 5  # of an evaluation in the course of training
# A film runs as fast as Gymnasium's games, but a short one no faster than can be watched.
_FRAME_MS = 50
_MOST_FRAME_MS = 400
_FILM_MS = 5000
_PLAN_OPTIONS = ("horizon", "keep", "expansion", "top_k", "top_p")


def evaluate(model: nn.Module, config: TrajectoryConfig) -> dict[str, float]:
    """The mean return of a few episodes, without planning, which takes longer."""
    assert isinstance(model, TrajectoryTransformer)
    mode = _watched_mode(config)
    if mode is None:
        return {}
    world, how = world_of(config), acting(config, mode)
    seeds = range(WATCHED_EPISODES)
    policy = make_policy(model, config, how, world, seeds=seeds)
    returns = play(world, policy, seeds).returns()
    return {"mean_return": returns.mean().item()}


def figure_names(config: TrajectoryConfig) -> tuple[str, ...]:
    """The names of the figures of ``evaluate``."""
    return () if _watched_mode(config) is None else ("mean_return",)


def _watched_mode(config: TrajectoryConfig) -> Mode | None:
    """How the model acts in the course of training; None where it needs a goal of the user."""
    mode: Mode = "imitate" if config.layout == "plan" else MODES[config.layout][0]
    if mode == "goal" and not isinstance(world_of(config), GraphWorld):
        return None
    return mode


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
        help="of the mode goal: the state to come to (default: of a graph, home); an episode that "
        "begins there goes on, and has come to it once it comes back",
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
    add_device_option(parser)
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
    """Returns by seed, their mean and its interval; with several targets, of each.

    After a goal, the share of the episodes that came to it (they end there); of Sokoban, the share
    of the levels that were solved, their moves played again by the plain rules.
    """
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
        watch = _goal_watch(model, how, world, seeds)
        played = play(world, policy, seeds, is_there=watch)
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
        if watch is not None:
            figures |= _share("reached", watch.is_reached, suffix)
        if isinstance(world, SokobanWorld):
            figures |= _share("solved", world.is_solved(played, seeds), suffix)
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


def _goal_watch(
    model: TrajectoryTransformer, how: Acting, world: World, seeds: Sequence[int]
) -> GoalWatch | None:
    """What ends an episode at its goal, if it is played after one."""
    if how.mode != "goal":
        return None
    return GoalWatch(model, goal_of(how, world).expand(len(seeds), -1))


def _share(name: str, is_so: Bool[Tensor, "B"], suffix: str) -> dict[str, float | str]:
    low, high = wilson(int(is_so.sum()), len(is_so))
    return {
        f"share_{name}{suffix}": is_so.float().mean().item(),
        f"share_{name}_low{suffix}": low,
        f"share_{name}_high{suffix}": high,
    }


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
    is_there = _goal_watch(model, how, world, seeds)
    play(world, policy, seeds, watch=frames.append, is_there=is_there)
    pictures = [torch.from_numpy(np.array(frame)) for frame in frames]
    captions = [f"step {step}" for step in range(len(pictures))]
    frame_ms = max(_FRAME_MS, min(_MOST_FRAME_MS, _FILM_MS // len(pictures)))
    save_pictures(pictures, Path(film), captions=captions, frame_ms=frame_ms)
