"""Tokens in, examples out: windows of a text, or rows of a task. Axes: B rows, T positions."""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Int64
from torch import Tensor

from tokoban.training.streams import Purpose, streams

IGNORED = -100  # a target that counts for nothing: torch's own number for it


class Batch(NamedTuple):
    """Input tokens and, for each of them, the next token."""

    tokens: Int64[Tensor, "B T"]
    targets: Int64[Tensor, "B T"]


def windows_at(text: Int64[Tensor, "length"], starts: Int64[Tensor, "B"], length: int) -> Batch:
    """The windows of ``length`` tokens from ``starts`` on, each with a token after its end."""
    places = starts[:, None] + torch.arange(length + 1, device=text.device)
    found = text[places]
    return Batch(found[:, :-1], found[:, 1:])


def all_windows(text: Int64[Tensor, "length"], window: int, *, batch_size: int) -> Iterator[Batch]:
    """Windows side by side until every token but the first is a target once; the last is short."""
    num_targets = len(text) - 1
    whole = torch.arange(0, num_targets // window * window, window, device=text.device)
    for starts in whole.split(batch_size):
        yield windows_at(text, starts, window)
    rest = num_targets % window
    if rest:
        yield windows_at(text, torch.tensor([num_targets - rest], device=text.device), rest)


def random_windows(
    text: Int64[Tensor, "length"],
    window: int,
    *,
    batch_size: int,
    seed: int,
    start_step: int = 0,
    rank: int = 0,
) -> Iterator[Batch]:
    """Windows from anywhere in the text, without end; batch n is the same whatever came before."""
    for random in streams(seed, Purpose.EXAMPLES, rank, start_step=start_step):
        starts = torch.from_numpy(random.integers(len(text) - window, size=batch_size))
        yield windows_at(text, starts.to(text.device), window)
