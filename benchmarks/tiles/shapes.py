"""The tiles whose contents are hashed: sets of squares around a push, or around a box.

A *tile* is a set of squares around the destination of a push, seen in its direction. What stands on
them is hashed to a row of a table, a *context*, as by the context models of LTS+CM (Orseau, Hutter
and Lelis 2023, arXiv:2305.16945; github.com/google-deepmind/levintreesearch_cm), whose tiles
surround the player. A tile and its mirror image share their rows, so that symmetric positions get
the same answers. Some tiles also hash how the push changes the lower bound.

Axes: K squares of all tiles of a kind.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from jaxtyping import Int8, Int32, UInt64

from tokoban.sokoban.board import OFFSETS

MARGIN = 4  # squares around the board that tiles may cover

# What stands on a square.
WALL, FLOOR, GOAL, BOX, BOX_ON_GOAL, REACHED_FLOOR, REACHED_GOAL = range(7)
_NUM_CODES = 7
_ALL, _WALLS_AND_GOALS, _WALLS_AND_BOXES = range(3)  # what a tile tells apart
_MERGED = {
    _ALL: range(_NUM_CODES),
    _WALLS_AND_GOALS: (WALL, FLOOR, GOAL, FLOOR, GOAL, FLOOR, GOAL),
    _WALLS_AND_BOXES: (WALL, FLOOR, FLOOR, BOX, BOX_ON_GOAL, FLOOR, FLOOR),
}
# What a tile hashes: what stands on its squares, or also the kind of the push.
CONTENTS, HASHES_KIND = 1, 2
NUM_KINDS = 6  # by the change of the lower bound and whether the box leaves a goal


class Tiles(NamedTuple):
    """Squares of tiles, one after the other, each relative to the middle.

    Tiles that begin with the same squares are listed once, with several ends.
    """

    cells: Int32[np.ndarray, "4 2 K 2"]  # rows and columns by direction; as it is, and mirrored
    keys: UInt64[np.ndarray, "K 7"]  # Zobrist keys of what stands there
    kind_keys: UInt64[np.ndarray, "6"]
    starts: Int8[np.ndarray, " K"]  # of the first square of a tile what it hashes, else 0
    # How many contexts end here: 1 of the lesser hash of the tile and its mirror image, 2 of both.
    ends: Int8[np.ndarray, " K"]

    @property
    def num_contexts(self) -> int:
        """The number of rows that one push or box is hashed to."""
        return int(self.ends.sum())

    def offsets(self, width: int) -> Int32[np.ndarray, "4 2 K"]:
        """The cells as distances in a grid with rows of this length."""
        return self.cells[..., 0] * np.int32(width) + self.cells[..., 1]


def _around(middle: float) -> list[tuple[int, int]]:
    """Squares (ahead, to the right) by their distance from (middle, 0)."""
    reach = range(-MARGIN, MARGIN + 1)
    cells = [(ahead, right) for ahead in reach for right in reach]
    return sorted(cells, key=lambda cell: ((cell[0] - middle) ** 2 + cell[1] ** 2, cell))


def _rectangle(ahead: tuple[int, int], right: tuple[int, int]) -> list[tuple[int, int]]:
    return [(a, r) for a in range(ahead[0], ahead[1] + 1) for r in range(right[0], right[1] + 1)]


class _Family(NamedTuple):
    """Tiles that are the first so many of some squares, (ahead, to the right) of the middle."""

    squares: Sequence[tuple[int, int]]
    sizes: Sequence[int]
    told_apart: int = _ALL
    hashed: int = CONTENTS
    is_one_sided: bool = False  # then its mirror image is another tile


def _push_families() -> list[_Family]:
    near = _around(-0.3)  # between the destination (0, 0) and the box (-1, 0), nearer to the first
    lopsided = [
        _rectangle(ahead, right)
        for ahead, right in (
            *[((0, 2), (-2, 0)), ((-2, 0), (-2, 0)), ((-1, 1), (-3, -1)), ((-3, -1), (-2, 0))],
            *[((1, 3), (-2, 0)), ((-1, 1), (-2, 0)), ((-1, 2), (-3, 0)), ((-2, 2), (-1, 0))],
            *[((-2, 2), (-2, 0)), ((-2, 1), (-3, 0))],
        )
    ]
    return [
        _Family(near, (6, 9, 12, 15, 18, 22, 26, 30, 36, 42, 49)),
        _Family(_rectangle((-1, 4), (-1, 1)), (6, 9, 12, 15, 18)),
        _Family(_rectangle((-2, 0), (-1, 1)), (6, 9)),
        _Family(near, (1, 6, 9, 12, 16, 20, 26), hashed=HASHES_KIND),
        _Family(_around(0.0), (9, 13, 21, 25, 37, 49), _WALLS_AND_GOALS),
        _Family(_around(0.0), (9, 13, 21, 25, 37, 49), _WALLS_AND_BOXES),
        *(_Family(squares, (len(squares),), is_one_sided=True) for squares in lopsided),
    ]


def _box_families() -> list[_Family]:
    return [
        _Family(_around(0.2), (6, 9, 15, 21, 28)),
        _Family(_around(0.0), (9, 25), _WALLS_AND_BOXES),
    ]


def _tiles(families: list[_Family], seed: int) -> Tiles:
    rng = np.random.default_rng(seed)
    cells, keys, starts, ends = [], [], [], []
    for family in families:
        for number, (ahead, right) in enumerate(family.squares[: max(family.sizes)], start=1):
            own = rng.integers(1 << 63, size=_NUM_CODES, dtype=np.uint64)
            keys.append(own[list(_MERGED[family.told_apart])])
            starts.append(family.hashed if number == 1 else 0)
            ends.append((2 if family.is_one_sided else 1) if number in family.sizes else 0)
            cells.append(
                [[_turned(ahead, way * right, d) for way in (1, -1)] for d in range(len(OFFSETS))]
            )
    return Tiles(
        np.array(cells, np.int32).transpose(1, 2, 0, 3),
        np.array(keys),
        rng.integers(1 << 63, size=NUM_KINDS, dtype=np.uint64),
        np.array(starts, np.int8),
        np.array(ends, np.int8),
    )


def _turned(ahead: int, right: int, direction: int) -> tuple[int, int]:
    """Row and column of a square that is so far ahead and to the right of one who looks there."""
    (down, across), (right_down, right_across) = OFFSETS[direction], OFFSETS[(direction + 3) % 4]
    return ahead * down + right * right_down, ahead * across + right * right_across


@lru_cache
def push_tiles() -> Tiles:
    """Around the destination of a push."""
    return _tiles(_push_families(), seed=0)


@lru_cache
def box_tiles() -> Tiles:
    """Around a box, looked at in all four directions."""
    return _tiles(_box_families(), seed=1)
