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
    attention_of,
    play_episode,
    save_attention,
    save_film,
    strongest_look,
)
from tokoban.systems.memory_ppo.tasks import Task
from tokoban.training.device import find_device
from tokoban.training.metrics import mean_interval

_SEGMENT_STEPS = 128
_ATTENTION_KINDS = (".html", ".png", ".svg")
# Apart from those of ``tokoban evaluate``, by which nothing is chosen.
_VALIDATION_SEED = 2**29


class Played(NamedTuple):
    """One episode of each game."""

    returns: list[float]
    num_steps: list[int]


def evaluate(player: Player, config: PpoConfig) -> dict[str, float]:
    """The figures that training watches."""
    device = next(player.parameters()).device
    task = make_task(config.env, config.evaluation_episodes, seed=_VALIDATION_SEED, device=device)
    return figures_of(play_episodes(player, task))


def play_episodes(player: Player, task: Task) -> Played:
    """The first episode of every game, played greedily to its end."""
    games = Games(task)
    num_steps = _SEGMENT_STEPS if task.episode_steps is None else task.episode_steps
    returns, lengths = torch.zeros(2, task.num_games, device=games.device)
    is_running = torch.ones(task.num_games, dtype=torch.bool, device=games.device)
    while is_running.any():
        rollout = games.play(player, num_steps, generator=None)
        num_ends_before = rollout.is_last.cumsum(1) - rollout.is_last.long()
        counts = (num_ends_before == 0) & is_running[:, None]
        returns += (rollout.rewards * counts).sum(1)
        lengths += counts.sum(1)
        is_running = is_running & ~rollout.is_last.any(1)
    return Played(returns.tolist(), lengths.long().tolist())


def figures_of(played: Played) -> dict[str, float]:
    """The mean return with its interval, and how long the episodes were."""
    number = len(played.returns)
    interval = mean_interval(played.returns)
    return {
        "mean_return": sum(played.returns) / number,
        "mean_return_low": interval.low,
        "mean_return_high": interval.high,
        "episodes": float(number),
        "mean_episode_steps": sum(played.num_steps) / number,
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
    parser.add_argument("--film", metavar="OUT", help="a GIF of an episode")
    parser.add_argument(
        "--attention",
        metavar="OUT",
        help="where the memory looks in it: a page (.html) or a picture (.png, .svg)",
    )
    parser.add_argument("--device", choices=("auto", "cpu", "cuda"), default="auto")


def evaluate_model(
    model: nn.Module, config: PpoConfig, arguments: argparse.Namespace
) -> dict[str, int | float]:
    """Greedy episodes from unseen seeds."""
    assert isinstance(model, Player)
    if arguments.episodes < 2:
        raise ValueError(f"--episodes is {arguments.episodes}; expected at least 2")
    if not 0 <= arguments.seed < _VALIDATION_SEED:
        raise ValueError(f"--seed is {arguments.seed}; expected 0 to {_VALIDATION_SEED - 1}")
    for output, kinds in (arguments.film, [".gif"]), (arguments.attention, _ATTENTION_KINDS):
        _check_output(output, kinds)
    if arguments.attention is not None and config.memory != "transformer":
        raise ValueError(f"--attention: the memory {config.memory!r} has none to look at")
    device = find_device(arguments.device)
    name = arguments.env or config.env
    task = make_task(name, arguments.episodes, seed=arguments.seed, device=device)
    here = task.observation_space, task.action_space
    known = make_task(config.env, 1, seed=0, device=device)
    if here != (known.observation_space, known.action_space):
        raise ValueError(
            f"{name} has other observations or actions than {config.env}, "
            "which the player was trained on"
        )
    figures = figures_of(play_episodes(model.to(device), task))
    return figures | _shown(model, config, name, arguments, device)


def _shown(
    player: Player,
    config: PpoConfig,
    name: str,
    arguments: argparse.Namespace,
    device: torch.device,
) -> dict[str, float]:
    """Film and attention of an episode, where asked for; and what a transformer looks at in it."""
    if arguments.film is None and config.memory != "transformer":
        return {}
    is_drawn = arguments.film is not None
    task = make_task(name, 1, seed=arguments.seed, device=device, is_drawn=is_drawn)
    episode = play_episode(player, task, is_drawn=is_drawn)
    if is_drawn:
        save_film(episode, Path(arguments.film))
    if config.memory != "transformer":
        return {}
    weights = attention_of(player, episode)
    if arguments.attention is not None:
        save_attention(weights, episode, name=name, output=Path(arguments.attention))
    look = strongest_look(weights)
    return {f"look_{field}": float(value) for field, value in look._asdict().items()}


def _check_output(output: str | None, kinds: Sequence[str]) -> None:
    """Before the work, so that it is not in vain."""
    if output is None:
        return
    if Path(output).suffix.lower() not in kinds:
        raise ValueError(f"{output}: expected a name that ends in {' or '.join(kinds)}")
    if not Path(output).resolve().parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "no folder to write it into", output)
