"""Boxoban files by the thousand, straight into words: the fast path of ``boxoban``.

A level's border is wall, so each plane of its 8x8 interior is one word: cell (row, column), counted
inside the border, is bit 8 * row + column, as in ``bitboards``.
Axes: B levels, H rows, W columns.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from jaxtyping import Bool, Int32, UInt8, UInt64

from tokoban.sokoban.board import Board, Square
from tokoban.sokoban.formats.boxoban import SIDE

_INSIDE = SIDE - 2
_ROW = SIDE + 1  # a row and its line end
_BODY = SIDE * _ROW + 1  # the rows and the blank line below them
_WALL, _PLAYER, _BOX, _GOAL, _FLOOR = b"#@$. "
_SETS = ("unfiltered", "medium", "hard")
# The columns of no level, so that there may be no files to join.
_NOTHING = (*[np.empty(0, np.uint64)] * 4, np.empty(0, np.int32), np.empty((0, 2), np.int32))
_NOT_FIRST_COLUMN = np.uint64(0xFEFEFEFEFEFEFEFE)
_NOT_LAST_COLUMN = np.uint64(0x7F7F7F7F7F7F7F7F)


@dataclass(frozen=True, eq=False)
class PackedLevels:
    """Many levels of ten rows by ten as four words each, and where each was read.

    ``corner`` is the square of a level's drawing that is cell 0: (1, 1) in Boxoban's files.
    """

    walls: UInt64[np.ndarray, "B"]
    goals: UInt64[np.ndarray, "B"]
    boxes: UInt64[np.ndarray, "B"]
    player: UInt64[np.ndarray, "B"]
    number: Int32[np.ndarray, "B"]  # in its file, from 0
    file: Int32[np.ndarray, "B"]  # which of ``files``
    corner: Int32[np.ndarray, "B 2"]  # row and column
    files: tuple[str, ...]

    @classmethod
    def of(
        cls,
        walls: UInt64[np.ndarray, "B"],
        goals: UInt64[np.ndarray, "B"],
        boxes: UInt64[np.ndarray, "B"],
        player: UInt64[np.ndarray, "B"],
        *,
        file: str = "",
    ) -> "PackedLevels":
        """The levels of one file, numbered from 0, each drawn inside a border."""
        numbers = np.arange(len(player), dtype=np.int32)
        corner = np.ones((len(player), 2), np.int32)
        return cls(walls, goals, boxes, player, numbers, np.zeros_like(numbers), corner, (file,))

    def __len__(self) -> int:
        return len(self.player)

    def name(self, row: int) -> str:
        """The name of one level: ``medium/valid/007#123``."""
        return f"{name_file(self.files[self.file[row]])}#{self.number[row]}"

    def board(self, row: int) -> Board:
        """One level as a board of ten rows by ten, its border walls."""
        planes = (self.walls[row], self.goals[row], self.boxes[row], self.player[row])
        walls, goals, boxes, player = (frozenset(_squares(int(word))) for word in planes)
        (player_square,) = player
        return Board(SIDE, SIDE, walls | _BORDER, goals, boxes, player_square)

    def at(self, rows: np.ndarray) -> "PackedLevels":
        """The levels that an array of indices, or a mask, selects."""
        return PackedLevels(
            self.walls[rows],
            self.goals[rows],
            self.boxes[rows],
            self.player[rows],
            self.number[rows],
            self.file[rows],
            self.corner[rows],
            self.files,
        )


def read_packed(content: bytes, source: str) -> PackedLevels | None:
    """The levels of one Boxoban file; ``None`` where it is not laid out exactly as published.

    Any other is for the careful readers of ``levels``.
    """
    layout = _layout(len(content))
    if layout is None:
        return None
    headings, is_heading, bodies = layout
    letters = np.frombuffer(content, np.uint8)
    if not np.array_equal(letters[is_heading], headings):
        return None
    rows = letters[bodies].reshape(-1, _BODY)
    line_ends = rows[:, [*range(SIDE, _BODY, _ROW), _BODY - 1]]
    squares = rows[:, :-1].reshape(-1, SIDE, _ROW)[:, :, :SIDE]
    is_wall = squares == _WALL
    border = (is_wall[:, 0], is_wall[:, -1], is_wall[:, :, 0], is_wall[:, :, -1])
    if not ((line_ends == ord("\n")).all() and all(map(np.all, border))):
        return None
    inside = squares[:, 1:-1, 1:-1]
    walls, goals, boxes, player, floor = (
        _to_words(inside == letter) for letter in (_WALL, _GOAL, _BOX, _PLAYER, _FLOOR)
    )
    is_known = (walls | goals | boxes | player | floor) == np.uint64(2**64 - 1)
    num_boxes = np.bitwise_count(boxes)
    is_level = is_known & (np.bitwise_count(player) == 1) & (num_boxes > 0)
    is_level &= num_boxes == np.bitwise_count(goals)
    if not is_level.all() or ((boxes | goals) & ~flood(player, ~walls)).any():
        return None
    return PackedLevels.of(walls, goals, boxes, player, file=source)


def joined(parts: Sequence[PackedLevels], files: Iterable[str]) -> PackedLevels:
    """The levels of several files, so named, as one."""
    columns = (
        (part.walls, part.goals, part.boxes, part.player, part.number, part.corner)
        for part in parts
    )
    walls, goals, boxes, player, number, corner = map(
        np.concatenate, zip(_NOTHING, *columns, strict=True)
    )
    file = np.repeat(np.arange(len(parts), dtype=np.int32), [len(part) for part in parts])
    return PackedLevels(walls, goals, boxes, player, number, file, corner, tuple(files))


def name_file(path: str | Path) -> str:
    """The name of a file in the published collection, ``medium/valid/007``; else its path."""
    parts = Path(path).with_suffix("").parts
    starts = [index for index, part in enumerate(parts) if part in _SETS]
    return "/".join(parts[starts[-1] :]) if starts else str(path)


def flood(start: UInt64[np.ndarray, "B"], free: UInt64[np.ndarray, "B"]) -> UInt64[np.ndarray, "B"]:
    """The cells that can be walked to from ``start`` over ``free`` ones, in each word."""
    reached = start
    while True:
        wider = reached | reached << np.uint64(_INSIDE) | reached >> np.uint64(_INSIDE)
        wider |= (reached & _NOT_LAST_COLUMN) << np.uint64(1)
        wider |= (reached & _NOT_FIRST_COLUMN) >> np.uint64(1)
        wider = (wider & free) | start
        if np.array_equal(wider, reached):
            return reached
        reached = wider


@lru_cache(maxsize=8)
def _layout(
    num_bytes: int,
) -> tuple[UInt8[np.ndarray, "_"], Bool[np.ndarray, "_"], Bool[np.ndarray, "_"]] | None:
    """The headings of a file of this size, where they stand, and where the rows stand."""
    headings: list[bytes] = []
    size = 0
    while size < num_bytes:
        headings.append(b"; %d\n" % len(headings))
        size += len(headings[-1]) + _BODY
    if size != num_bytes or not headings:
        return None
    is_heading = np.concatenate(
        [np.repeat([True, False], [len(heading), _BODY]) for heading in headings]
    )
    return np.frombuffer(b"".join(headings), np.uint8), is_heading, ~is_heading


def _to_words(cells: Bool[np.ndarray, "B H W"]) -> UInt64[np.ndarray, "B"]:
    rows = np.packbits(cells.reshape(len(cells), -1), axis=1, bitorder="little")
    return rows.view("<u8").astype(np.uint64).reshape(-1)


def _squares(word: int) -> Iterator[Square]:
    for cell in range(_INSIDE * _INSIDE):
        if word >> cell & 1:
            yield Square(cell // _INSIDE + 1, cell % _INSIDE + 1)


_BORDER = frozenset(
    Square(row, column)
    for row in range(SIDE)
    for column in range(SIDE)
    if {row, column} & {0, SIDE - 1}
)
