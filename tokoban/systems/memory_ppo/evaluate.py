"""Evaluates a player in whole greedy games, from seeds that training does not use."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, NamedTuple

import torch

from tokoban.systems.memory_ppo.acting import Games
from tokoban.systems.memory_ppo.config import PpoConfig
from tokoban.systems.memory_ppo.environments import make_env
from tokoban.systems.memory_ppo.model import Player
from tokoban.systems.memory_ppo.play import Episode, Recording, attention, save_film, strongest_look
from tokoban.systems.memory_ppo.spaces import are_read_alike
from tokoban.systems.memory_ppo.tensor_env import TensorEnv
from tokoban.training.config import Writes, check_fields, check_limits
from tokoban.training.limits import Between, CountOrZero
from tokoban.training.metrics import mean_interval, with_interval
from tokoban.training.spec import Trained
from tokoban.viewing.plots import write_attention

MOST_STEPS = 10_000  # of an episode; what has no end by then is cut off
_SEGMENT_STEPS = 128
_MOST = 10_000_000  # episodes, and steps of one
# Apart from those of ``tokoban evaluate``, by which nothing is chosen.
_VALIDATION_SEED = 2**29


METRICS = (
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


def validate(player: Player, config: PpoConfig) -> dict[str, float]:
    """The metrics that training watches."""
    device = next(player.parameters()).device
    task = make_env(config.env, config.evaluation_episodes, seed=_VALIDATION_SEED, device=device)
    return metrics_of(play_episodes(player, task, most_steps=MOST_STEPS))


def play_episodes(
    player: Player, task: TensorEnv, *, most_steps: int, is_drawn: bool = False
) -> Played:
    """The first episode of every game, played greedily to its end, or for ``most_steps``."""
    task.is_to_be_saved = False
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


def metrics_of(played: Played) -> dict[str, float]:
    """The mean return with its interval, how long the episodes were, and how many had no end."""
    number = len(played.returns)
    return {
        **with_interval("mean_return", sum(played.returns) / number, mean_interval(played.returns)),
        "episodes": float(number),
        "mean_episode_steps": sum(played.num_steps) / number,
        "cut_off": float(played.num_cut_off),
    }


@dataclass(frozen=True, kw_only=True)
class PpoEvaluation:
    """The games to evaluate on, and their number."""

    env: str | None = None  # another one of the same spaces, to see how the player does there
    # (POPGym's own, say)
    episodes: Annotated[int, Between(2, _MOST)] = 100  # that are played
    seed: CountOrZero = 0  # of the first episode
    most_steps: Annotated[int, Between(1, _MOST)] = MOST_STEPS  # cut an episode off after so many,
    # with the return it has
    film: Annotated[Path | None, Writes((".gif",))] = None  # the first episode, of 1000 steps at
    # most
    attention: Annotated[Path | None, Writes((".html", ".png", ".svg"))] = None  # where the memory
    # looks in it: a page or a picture

    def __post_init__(self) -> None:
        check_limits(self)
        last = _VALIDATION_SEED - self.episodes
        beyond = f"at most {last}: beyond are seeds of validation and training"
        check_fields(self, ("seed", self.seed <= last, beyond))


def evaluate(trained: Trained[PpoConfig, Player], options: PpoEvaluation) -> dict[str, int | float]:
    """Greedy episodes from unseen seeds: the mean return with its 95 % interval.

    ``cut_off`` is the number of episodes that did not end within ``most_steps``. For a transformer
    memory, ``look_layer``, ``look_head`` and ``look_steps_back`` name the head and the past step
    with the largest mean attention weight, ``look_weight``.
    """
    player, config = trained.model, trained.config
    if options.attention is not None and config.memory != "transformer":
        raise ValueError(f"--attention: the memory {config.memory!r} has no attention")
    device = next(player.parameters()).device
    name, is_drawn = options.env or config.env, options.film is not None
    task = make_env(
        name,
        options.episodes,
        seed=options.seed,
        device=device,
        is_alone=True,  # so that the metrics are the same with a film and without
        is_drawn=is_drawn,
    )
    if name != config.env:
        known = make_env(config.env, 1, seed=0, device=device)
        if not (
            are_read_alike(task.observation_space, known.observation_space)
            and are_read_alike(task.action_space, known.action_space)
        ):
            raise ValueError(
                f"{name} has other observations or actions than {config.env}, "
                "on which the player was trained"
            )
    played = play_episodes(player, task, most_steps=options.most_steps, is_drawn=is_drawn)
    if options.film is not None:
        save_film(played.first, options.film)
    metrics = metrics_of(played)
    if config.memory == "transformer":
        view = attention(player, played.first, name=name)
        look = strongest_look(view.panels[0].weights)
        metrics |= {f"look_{field}": float(value) for field, value in look._asdict().items()}
        if options.attention is not None:
            title = f"Where the memory looks: {name}"
            write_attention(options.attention, view, title=title)
    return dict(metrics)
