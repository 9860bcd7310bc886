"""Labelled positions of 8x8 interiors in the memory of a GPU, and batches drawn there.

The host would prepare fewer positions a second than a GPU learns from. ``on_device`` is held to
``dataset.batch_of``. Axes: P positions, W words of a position, B positions of a batch, T tokens.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Bool, Int16, Int64, Shaped
from torch import Tensor

from tokoban.sokoban.encoding.boards import Boards
from tokoban.sokoban.encoding.features import (
    BOUND_FALLS,
    CAN_PUSH,
    CELLS,
    DIRECTIONS,
    HAS_BOX,
    HAS_PLAYER,
    IS_FLOOR,
    IS_GOAL,
    IS_REACHED,
    IS_UNBOUNDED,
    NEIGHBOURHOOD,
    NUM_FEATURES,
)
from tokoban.systems.push_policy.batches import Batch
from tokoban.systems.push_policy.positions import (
    BOXES,
    DEADLOCKING,
    FALLS,
    FLOOR,
    GOALS,
    LEGAL,
    OPTIMAL,
    PLAYER,
    TWO_MORE,
    UNBOUNDED,
    ZONE,
    positions_in,
)
from tokoban.systems.push_policy.results import ILLEGAL, Result

_CELLS = 64
_TOKENS_STEP = 8  # positions with so similar numbers of squares are drawn together
_PLANES = ((FLOOR, IS_FLOOR), (GOALS, IS_GOAL), (BOXES, HAS_BOX), (ZONE, IS_REACHED),
           (PLAYER, HAS_PLAYER))  # fmt: skip
_PUSHES = ((LEGAL, CAN_PUSH), (FALLS, BOUND_FALLS), (UNBOUNDED, IS_UNBOUNDED))
_WORSE = int(Result.WORSE)


@dataclass(frozen=True, eq=False)
class DevicePositions:
    """All positions of some shards, on one device, in groups of similar numbers of squares."""

    words: tuple[Int64[Tensor, "_ W"], ...]  # of each group
    classes: tuple[Int16[Tensor, "_"], ...]
    num_tokens: tuple[int, ...]

    @property
    def num_positions(self) -> int:
        """The number of positions of all groups."""
        return sum(map(len, self.words))

    def batches(
        self, rng: np.random.Generator, *, count: int, batch_positions: int
    ) -> Iterator[Callable[[], Batch]]:
        """``count`` batches of positions of one group, each drawn with replacement."""
        shares = np.array([len(group) for group in self.words]) / self.num_positions
        for _ in range(count):
            group, seed = int(rng.choice(len(shares), p=shares)), int(rng.integers(2**62))
            yield partial(self._draw, group, seed, batch_positions)

    def _draw(self, group: int, seed: int, batch_positions: int) -> Batch:
        words = self.words[group]
        generator = torch.Generator(words.device).manual_seed(seed)

        def below(most: int) -> Int64[Tensor, " B"]:
            return torch.randint(most, (batch_positions,), generator=generator, device=words.device)

        rows, symmetries = below(len(words)), below(8)
        chosen = words[rows], self.classes[group][rows], symmetries
        return on_device(*chosen, num_tokens=self.num_tokens[group])


def read_positions(shards: Sequence[Path], device: torch.device) -> DevicePositions:
    """Reads shards by all processors."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        parts = [*pool.map(positions_in, shards)]
    words, classes = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    num_squares = np.bitwise_count(words[:, FLOOR]).astype(np.int64)
    num_tokens = -(-num_squares // _TOKENS_STEP) * _TOKENS_STEP
    sizes = np.unique(num_tokens).tolist()
    rows = [np.flatnonzero(num_tokens == size) for size in sizes]
    return DevicePositions(
        tuple(torch.from_numpy(words[own].view(np.int64)).to(device) for own in rows),
        tuple(torch.from_numpy(classes[own]).to(device) for own in rows),
        tuple(sizes),
    )


def on_device(
    words: Int64[Tensor, "B W"],
    classes: Int16[Tensor, " B"],
    symmetries: Int64[Tensor, " B"],
    *,
    num_tokens: int,
) -> Batch:
    """``dataset.batch_of`` by tensors alone, with enough tokens for every position."""
    device = words.device
    cells, directions = (torch.from_numpy(t).to(device).long() for t in (CELLS, DIRECTIONS))
    bits = _bits(words, torch.arange(_CELLS, device=device))
    # Floor squares first, in the order of their cells.
    cell = (~bits[:, FLOOR]).to(torch.uint8).argsort(dim=1, stable=True)[:, :num_tokens]
    is_square = bits[:, FLOOR].gather(1, cell)

    def of_squares(first: int, count: int) -> Bool[Tensor, "B T count"]:
        index = cell[:, None].expand(-1, count, -1)
        return bits[:, first : first + count].gather(2, index).mT & is_square[:, :, None]

    # Push in direction e of the image is that in direction inverse[e].
    inverse = directions[symmetries].argsort(dim=1)

    def turned(pushes: Shaped[Tensor, "B T 4"]) -> Shaped[Tensor, "B T 4"]:
        return pushes.gather(2, inverse[:, None].expand_as(pushes))

    features = torch.zeros((*cell.shape, NUM_FEATURES), dtype=torch.uint8, device=device)
    for word, feature in _PLANES:
        features[:, :, feature] = of_squares(word, 1)[:, :, 0]
    for word, feature in _PUSHES:
        features[:, :, feature : feature + 4] = turned(of_squares(word, 4))
    place = cells[symmetries].gather(1, cell)
    coordinates = torch.stack([place >> 3, place & 7], dim=2) * is_square[:, :, None]
    results = torch.full((*cell.shape, 4), ILLEGAL, dtype=torch.int8, device=device)
    results.masked_fill_(of_squares(LEGAL, 4), _WORSE)
    for word, result in (
        (OPTIMAL, Result.OPTIMAL),
        (TWO_MORE, Result.TWO_MORE),
        (DEADLOCKING, Result.DEADLOCK),
    ):
        results.masked_fill_(of_squares(word, 4), int(result))
    boards = Boards(
        features,
        _neighbours(place, is_square),
        coordinates.to(torch.int16),
    )
    return Batch(boards, turned(results), classes)


def _bits(words: Int64[Tensor, "B W"], cells: Int64[Tensor, "64"]) -> Bool[Tensor, "B W 64"]:
    return (words[:, :, None] >> cells & 1).bool()


def _neighbours(
    place: Int64[Tensor, "B T"], is_square: Bool[Tensor, "B T"]
) -> Shaped[Tensor, "B T 9"]:
    """The token on each of the nine cells around each token's cell; T for a wall."""
    num_positions, num_tokens = place.shape
    device = place.device
    numbers = torch.arange(num_tokens, device=device).expand_as(place)
    # With a ring of walls around the cells.
    ringed = (place >> 3) * 10 + (place & 7) + 11
    token_at = torch.full((num_positions, 100), num_tokens, device=device)
    token_at.scatter_(1, ringed, torch.where(is_square, numbers, num_tokens))
    steps = torch.tensor([10 * down + right for down, right in NEIGHBOURHOOD], device=device)
    around = (ringed[:, :, None] + steps).flatten(1)
    found = token_at.gather(1, around).unflatten(1, (num_tokens, len(NEIGHBOURHOOD)))
    return torch.where(is_square[:, :, None], found, num_tokens).int()
