"""How well a player plays: whole greedy games from seeds that its training never had."""

import argparse
import errno
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import torch
from torch import nn

from tokoban.systems.memory_ppo.acting import Games
from tokoban.systems.memory_ppo.config import PpoConfig
from tokoban.systems.memory_ppo.environments import make_task
from tokoban.systems.memory_ppo.model import Player
from tokoban.systems.memory_ppo.play import (
    MOST_SHOWN,
    Episode,
    Recording,
    attention_of,
    save_attention,
    save_film,
    strongest_look,
)
from tokoban.systems.memory_ppo.tasks import Task
from tokoban.training.device import add_device_option, find_device
from tokoban.training.metrics import mean_interval

_SEGMENT_STEPS = 128
_MOST = 10_000_000  # episodes, and steps of one
_ATTENTION_KINDS = (".html", ".png", ".svg")
# Apart from those of ``tokoban evaluate``, by which nothing is chosen.
_VALIDATION_SEED = 2**29


FIGURES = (
    "mean_return",
    "mean_return_low",
    "mean_return_high",
    "episodes",
    "mean_episode_steps",
    "cut_off",
)


class Played(NamedTuple):
    """One episode of each game."""

    returns: list[float]
    num_steps: list[int]
    num_cut_off: int  # had come to no end by then
    first: Episode


def evaluate(player: Player, config: PpoConfig) -> dict[str, float]:
    """The figures that training watches."""
    device = next(player.parameters()).device
    task = make_task(config.env, config.evaluation_episodes, seed=_VALIDATION_SEED, device=device)
    return figures_of(play_episodes(player, task, most_steps=config.evaluation_steps))


def play_episodes(player: Player, task: Task, *, most_steps: int, is_drawn: bool = False) -> Played:
    """The first episode of every game, played greedily to its end, or for ``most_steps``."""
    games, recording = Games(task), Recording(task, is_drawn=is_drawn)
    before_step = (lambda: recording.before_step(bool(games.is_between[0]))) if is_drawn else None
    usual = _SEGMENT_STEPS if task.episode_steps is None else task.episode_steps
    returns, lengths = torch.zeros(2, task.num_games, device=games.device)
    is_running = torch.ones(task.num_games, dtype=torch.bool, device=games.device)
    num_played = 0
    while is_running.any() and num_played < most_steps:
        num_steps = min(usual, most_steps - num_played)
        num_played += num_steps
        rollout = games.play(player, num_steps, generator=None, before_step=before_step)
        recording.take(rollout)
        num_ends_before = rollout.is_last.cumsum(1) - rollout.is_last.long()
        counts = (num_ends_before == 0) & is_running[:, None]
        returns += (rollout.rewards * counts).sum(1)
        lengths += counts.sum(1)
        is_running = is_running & ~rollout.is_last.any(1)
    num_cut_off = int(is_running.sum())
    return Played(returns.tolist(), lengths.long().tolist(), num_cut_off, recording.episode())


def figures_of(played: Played) -> dict[str, float]:
    """The mean return with its interval, how long the episodes were, and how many had no end."""
    number = len(played.returns)
    interval = mean_interval(played.returns)
    return {
        "mean_return": sum(played.returns) / number,
        "mean_return_low": interval.low,
        "mean_return_high": interval.high,
        "episodes": float(number),
        "mean_episode_steps": sum(played.num_steps) / number,
        "cut_off": float(played.num_cut_off),
    }


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which games, and how many."""
    parser.add_argument(
        "--env",
        metavar="NAME",
        help="another one of the same spaces, to see how the player does there (POPGym's own, say)",
    )
    parser.add_argument("--episodes", type=int, default=100, metavar="N", help="(default: 100)")
    parser.add_argument("--seed", type=int, default=0, help="of the episodes (default: 0)")
    parser.add_argument(
        "--most-steps",
        type=int,
        metavar="N",
        help="cut an episode off after so many, with the return it has (default: the player's)",
    )
    parser.add_argument(
        "--film", metavar="OUT", help=f"a GIF of the first episode, of {MOST_SHOWN} steps at most"
    )
    parser.add_argument(
        "--attention",
        metavar="OUT",
        help="where the memory looks in it: a page (.html) or a picture (.png, .svg)",
    )
    add_device_option(parser)


def evaluate_model(
    model: nn.Module, config: PpoConfig, arguments: argparse.Namespace
) -> dict[str, int | float]:
    """Greedy episodes from unseen seeds."""
    assert isinstance(model, Player)
    if not 2 <= arguments.episodes <= _MOST:
        raise ValueError(f"--episodes is {arguments.episodes}; expected 2 to {_MOST}")
    if not 0 <= arguments.seed < _VALIDATION_SEED:
        raise ValueError(f"--seed is {arguments.seed}; expected 0 to {_VALIDATION_SEED - 1}")
    most_steps = config.evaluation_steps if arguments.most_steps is None else arguments.most_steps
    if not 1 <= most_steps <= _MOST:
        raise ValueError(f"--most-steps is {most_steps}; expected 1 to {_MOST}")
    for output, kinds in (arguments.film, [".gif"]), (arguments.attention, _ATTENTION_KINDS):
        _check_output(output, kinds)
    if arguments.attention is not None and config.memory != "transformer":
        raise ValueError(f"--attention: the memory {config.memory!r} has none to look at")
    device = find_device(arguments.device)
    name, is_drawn = arguments.env or config.env, arguments.film is not None
    task = make_task(
        name,
        arguments.episodes,
        seed=arguments.seed,
        device=device,
        is_alone=True,  # so that the figures are the same with a film and without
        is_drawn=is_drawn,
    )
    here = task.observation_space, task.action_space
    known = make_task(config.env, 1, seed=0, device=device)
    if here != (known.observation_space, known.action_space):
        raise ValueError(
            f"{name} has other observations or actions than {config.env}, "
            "which the player was trained on"
        )
    player = model.to(device)
    played = play_episodes(player, task, most_steps=most_steps, is_drawn=is_drawn)
    if is_drawn:
        save_film(played.first, Path(arguments.film))
    figures = figures_of(played)
    if config.memory == "transformer":
        weights = attention_of(player, played.first)
        look = strongest_look(weights)
        figures |= {f"look_{field}": float(value) for field, value in look._asdict().items()}
        if arguments.attention is not None:
            save_attention(weights, played.first, name=name, output=Path(arguments.attention))
    return dict(figures)


def _check_output(output: str | None, kinds: Sequence[str]) -> None:
    """Before the work, so that it is not in vain."""
    if output is None:
        return
    if Path(output).suffix.lower() not in kinds:
        raise ValueError(f"{output}: expected a name that ends in {' or '.join(kinds)}")
    if not Path(output).resolve().parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "no folder to write it into", output)
