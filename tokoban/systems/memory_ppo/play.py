"""One episode to look at: what was seen and done, as a film, and where the memory looked.

Axes: L layers, N heads, T steps that look, S steps looked at.
"""

from pathlib import Path
from typing import NamedTuple

import torch
from jaxtyping import Float, UInt8
from torch import Tensor

from tokoban.systems.memory_ppo.model import Inputs, Player
from tokoban.systems.memory_ppo.ppo import Rollout
from tokoban.systems.memory_ppo.tensor_env import TensorEnv
from tokoban.transformer import record_attention
from tokoban.viewing.attention_page import AttentionPanel, AttentionView, TokenRow
from tokoban.viewing.films import save_pictures

_FRAME_MS = 120
_GUIDE = (
    "Each step attends to itself and to the steps before it; look for heads that look back by a "
    "fixed number of steps, or to the step at which something was seen."
)
MOST_SHOWN = 1000  # steps; what is looked at grows with their square


class Episode(NamedTuple):
    """A game's first episode; T steps of it, the end left out."""

    inputs: Inputs  # [1, T, ...]
    actions: Tensor  # [1, T, ...]
    rewards: list[float]
    pictures: list[UInt8[Tensor, "H W C"]]  # before each step and at the end; maybe none


class Look(NamedTuple):
    """The past step that a head sees most of, on average over the steps that have such a past.

    At most half of the episode back, so that no average is of a few.
    """

    layer: int
    head: int
    steps_back: int
    weight: float


class Recording:
    """The first game's first episode while it is played; storage.

    Of a longer one the first ``MOST_SHOWN`` steps.
    """

    def __init__(self, task: TensorEnv, *, is_drawn: bool) -> None:
        self._task, self._is_drawn = task, is_drawn
        self._parts: list[tuple[Inputs, Tensor, Tensor]] = []
        self._num_steps = 0
        self._is_over = self._is_filmed = False
        self._pictures: list[Tensor] = []

    def before_step(self, is_at_end: bool) -> None:
        """Takes a picture, where there are to be any; the last one of the game at its end."""
        if self._is_drawn and not self._is_filmed:
            self._pictures.append(self._task.picture())
            self._is_filmed = is_at_end or len(self._pictures) > MOST_SHOWN

    def take(self, rollout: Rollout) -> None:
        """Takes in what was played since the last call."""
        if self._is_over:
            return
        is_last = rollout.is_last[0].tolist()
        num_new = is_last.index(True) + 1 if True in is_last else len(is_last)
        inputs = (tensor[:1, -len(is_last) :][:, :num_new] for tensor in rollout.inputs)
        actions, rewards = rollout.actions[:1, :num_new], rollout.rewards[0, :num_new]
        # Copies, since a view of one game would keep the rollout of all of them.
        self._parts.append(
            (Inputs(*(tensor.clone() for tensor in inputs)), actions.clone(), rewards.clone())
        )
        self._num_steps += num_new
        self._is_over = True in is_last or self._num_steps >= MOST_SHOWN

    def episode(self) -> Episode:
        """As far as it was played; the game is still to stand where that ended."""
        if self._is_drawn and len(self._pictures) <= min(self._num_steps, MOST_SHOWN):
            self._pictures.append(self._task.picture())
        inputs, actions, rewards = zip(*self._parts, strict=True)
        seen = (torch.cat(parts, dim=1)[:, :MOST_SHOWN] for parts in zip(*inputs, strict=True))
        return Episode(
            Inputs(*seen),
            torch.cat(actions, dim=1)[:, :MOST_SHOWN],
            torch.cat(rewards)[:MOST_SHOWN].tolist(),
            self._pictures,
        )


@torch.no_grad()
def attention_of(player: Player, episode: Episode) -> Float[Tensor, "L N T S"]:
    """How much each step took of every step; ValueError for a memory without attention."""
    with record_attention(player) as record:
        player(episode.inputs)
    return record.stacked()[:, 0]


def strongest_look(weights: Float[Tensor, "L N T S"]) -> Look:
    """Where attention to the past is greatest: one head and one distance above 0."""
    num_heads, num_steps = weights.shape[1:3]
    best = Look(0, 0, 0, 0.0)
    for steps_back in range(1, num_steps // 2 + 1):
        means = weights.diagonal(-steps_back, dim1=-2, dim2=-1).mean(-1)  # [L, N]
        weight, place = means.flatten().max(0)
        if weight > best.weight:
            layer, head = divmod(int(place), num_heads)
            best = Look(layer + 1, head + 1, steps_back, weight.item())
    return best


def save_film(episode: Episode, film: Path) -> None:
    """The episode's pictures as a GIF, with the return so far."""
    totals = [sum(episode.rewards[:step]) for step in range(len(episode.pictures))]
    captions = [f"step {step}, return {total:.3g}" for step, total in enumerate(totals)]
    pictures = [picture.numpy(force=True) for picture in episode.pictures]
    save_pictures(pictures, film, captions=captions, frame_ms=_FRAME_MS)


def attention(player: Player, episode: Episode, *, name: str) -> AttentionView:
    """How much each step of an episode took of every step; errors as of ``attention_of``."""
    steps = TokenRow(_labels(episode))
    panel = AttentionPanel(name, attention_of(player, episode), steps, steps)
    guide = _GUIDE
    if len(steps) == MOST_SHOWN:
        guide += f" Of a longer episode these are the first {MOST_SHOWN:,} steps."
    return AttentionView([panel], guide)


def _labels(episode: Episode) -> list[str]:
    """Each step as what was seen, where that is few numbers, and what was done."""
    actions = episode.actions[0].tolist()
    observations = episode.inputs.observations[0]
    if observations.dtype == torch.int64:
        seen = [",".join(map(str, each)) for each in observations.tolist()]
    else:
        seen = [f"step {step}" for step in range(len(actions))]
    done = [",".join(f"{part:.3g}" for part in action) for action in actions]
    return [f"{one}→{other}" for one, other in zip(seen, done, strict=True)]
