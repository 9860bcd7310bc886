"""Evaluates a model: requested and achieved returns in episodes outside the training data.

Axes: B episodes.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import torch

from tokoban.systems.trajectory.acting import (
    MODES,
    GoalWatch,
    Mode,
    acting,
    goal_of,
    make_policy,
    requested,
)
from tokoban.systems.trajectory.attention import attention
from tokoban.systems.trajectory.config import TrajectoryConfig
from tokoban.systems.trajectory.environments import FIRST_TRAINING_SEED
from tokoban.systems.trajectory.graphs import graph_of
from tokoban.systems.trajectory.levels import SokobanLevelsEnv, is_solved
from tokoban.systems.trajectory.model import TrajectoryTransformer
from tokoban.systems.trajectory.rollouts import play
from tokoban.systems.trajectory.train import world_of
from tokoban.training.config import Writes, check_fields, check_limits
from tokoban.training.limits import Count, CountOrZero
from tokoban.training.metrics import mean_interval, share, with_interval
from tokoban.training.spec import Trained
from tokoban.viewing.films import save_pictures
from tokoban.viewing.plots import plot_returns, write_attention

MONITORED_EPISODES = 5  # of an evaluation in the course of training
# A film runs as fast as Gymnasium's games, but a short one no faster than can be watched.
_FRAME_MS = 50
_MOST_FRAME_MS = 400
_FILM_MS = 5000


def validate(model: TrajectoryTransformer, config: TrajectoryConfig) -> dict[str, float]:
    """The mean return of a few episodes, without planning, which takes longer."""
    mode = _monitored_mode(config)
    if mode is None:
        return {}
    world, how = world_of(config), acting(config, mode)
    seeds = range(MONITORED_EPISODES)
    policy = make_policy(model, config, how, world, seeds=seeds)
    returns = play(world, policy, seeds).returns()
    return {"mean_return": returns.mean().item()}


def metric_names(config: TrajectoryConfig) -> tuple[str, ...]:
    """The names of the metrics of ``validate``."""
    return () if _monitored_mode(config) is None else ("mean_return",)


def _monitored_mode(config: TrajectoryConfig) -> Mode | None:
    """The mode of evaluations during training; None where it needs a goal of the user."""
    mode: Mode = "imitate" if config.layout == "plan" else MODES[config.layout][0]
    if mode == "goal" and graph_of(world_of(config)) is None:
        return None
    return mode


@dataclass(frozen=True, kw_only=True)
class TrajectoryEvaluation:
    """The mode of acting, its plans, the number of episodes, and the files to draw."""

    mode: Mode | None = None  # plan by beam search; imitate the data by the likeliest actions, or
    # by sampled ones; or act after a return or a goal (default: what the model was trained for)
    target: tuple[str, ...] = ()  # of the mode return: a number, best (of the data), likely (for
    # the start), random or, on a graph, shortest; of several each is tried (default: best)
    goal: tuple[float, ...] = ()  # of the mode goal: the state to come to (default: of a graph,
    # home); an episode that begins there has reached it only when it comes back
    episodes: Count = 10  # of seeds from --seed on
    seed: CountOrZero = 0  # of the first episode
    horizon: int | None = None  # of the mode plan: transitions planned (default: the window's rest)
    keep: int | None = None  # of the mode plan: beam width (default: 16)
    expansion: int | None = None  # of the mode plan: actions tried after each (default: 4)
    top_p: float | None = None  # of the mode plan: the fewest bins of an action that reach this
    # probability (default: 0.9)
    plot: Annotated[Path | None, Writes((".png", ".svg"))] = None  # returns requested and achieved
    film: Annotated[Path | None, Writes((".gif",))] = None  # the first episode
    attention: Annotated[Path | None, Writes((".html",))] = None  # where it looks in the first
    # episode

    def __post_init__(self) -> None:
        check_limits(self)
        last = FIRST_TRAINING_SEED - self.episodes
        beyond = f"at most {last}: beyond are seeds of training data"
        check_fields(self, ("seed", self.seed <= last, beyond))


def evaluate(
    trained: Trained[TrajectoryConfig, TrajectoryTransformer], options: TrajectoryEvaluation
) -> dict[str, float | str]:
    """Returns by seed, then their mean and its interval; with several targets, of each.

    After a goal, the share of the episodes that came to it (they end there); of Sokoban, the share
    of the levels that were solved, their moves played again by the plain rules.
    """
    model, config = trained.model, trained.config
    usual = acting(config, options.mode)
    plan = replace(usual.plan, **_given(options))
    how = replace(usual, plan=plan, goal=options.goal, seed=options.seed)
    _check(options, how.mode)
    targets = options.target or (how.target,)
    seeds = range(options.seed, options.seed + options.episodes)
    world = world_of(config, is_drawn=options.film is not None)
    if options.film is not None:
        world.reset(seeds[:1])
        if world.picture() is None:
            raise ValueError(f"{config.env} has no pictures to make a film of")
    metrics: dict[str, float | str] = {
        "env": config.env,
        "mode": how.mode,
        "episodes": options.episodes,
    }
    all_requested, all_achieved = [], []
    summaries: dict[str, float] = {}
    frames: list[Any] = []
    for number, target in enumerate(targets):
        chosen = replace(how, target=target)
        policy = make_policy(model, config, chosen, world, seeds=seeds)
        watch = None
        if how.mode == "goal":
            watch = GoalWatch(model, goal_of(how, world).expand(len(seeds), -1))
        is_filmed = number == 0 and options.film is not None
        film = frames.append if is_filmed else None
        played = play(world, policy, seeds, watch=film, is_there=watch)
        achieved = played.returns()
        if number == 0 and options.attention is not None:
            view = attention(model, played, window=config.window, discount=config.discount)
            title = f"Attention to transitions: {played.env}"
            write_attention(options.attention, view, title=title)
        suffix = f"_{number}" if len(targets) > 1 else ""
        found: dict[str, float] = {}
        if how.mode == "return":
            wanted = requested(model, target, world, seeds=seeds)
            all_requested.append(wanted)
            all_achieved.append(achieved)
            found["requested"] = wanted.mean().item()
        if watch is not None:
            found |= share("share_reached", int(watch.is_reached.sum()), len(seeds))
        if isinstance(world.environment, SokobanLevelsEnv):
            found |= share("share_solved", int(is_solved(played, seeds).sum()), len(seeds))
        returns = achieved.tolist()
        interval = mean_interval(returns) if len(returns) > 1 else None
        found |= with_interval("mean_return", achieved.mean().item(), interval)
        summaries |= {f"{name}{suffix}": value for name, value in found.items()}
        for seed, value in zip(seeds, returns, strict=True):
            metrics[f"return_of_seed_{seed}{suffix}"] = value
    if options.plot is not None:
        plot_returns(
            torch.cat(all_requested).tolist(),
            torch.cat(all_achieved).tolist(),
            title=config.env,
            picture=options.plot,
        )
    if options.film is not None:
        pictures = [np.asarray(frame) for frame in frames]
        captions = [f"step {step}" for step in range(len(pictures))]
        frame_ms = max(_FRAME_MS, min(_MOST_FRAME_MS, _FILM_MS // len(pictures)))
        save_pictures(pictures, options.film, captions=captions, frame_ms=frame_ms)
    return metrics | summaries  # last, where a terminal shows them


def _given(options: TrajectoryEvaluation) -> dict[str, Any]:
    """The options of a plan that were given."""
    of_plans = ("horizon", "keep", "expansion", "top_p")
    return {name: x for name in of_plans if (x := getattr(options, name)) is not None}


def _check(options: TrajectoryEvaluation, mode: Mode) -> None:
    """``ValueError`` for an option that this mode does not use."""
    used_by: dict[str, Mode] = dict.fromkeys(_given(options), "plan")
    used_by |= {"target": "return"} if options.target else {}
    used_by |= {"goal": "goal"} if options.goal else {}
    used_by |= {"plot": "return"} if options.plot is not None else {}
    for name, user in used_by.items():
        if mode != user:
            option = name.replace("_", "-")
            raise ValueError(f"--{option} is for the mode {user}; the mode here is {mode}")
