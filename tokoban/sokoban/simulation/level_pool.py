"""The levels that an environment plays: from files, from boards or from the generator.

Axes: B environments.
"""

from collections.abc import Sequence, Set
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Int64
from torch import Tensor

from tokoban.sokoban.board import Board, Square
from tokoban.sokoban.formats import Level, read_levels
from tokoban.sokoban.interior import interior
from tokoban.sokoban.puzzles.random_levels import generate
from tokoban.sokoban.simulation.bits import mixed

_MOST_SQUARES = 1 << 25  # of framed boards, some 2 GB, where that is far more than their own


@dataclass(frozen=True, kw_only=True)
class GeneratedLevels:
    """Solvable levels of ``puzzles.random_levels``.

    ``rows`` and ``columns`` count the outer walls.
    """

    num_levels: int = 128
    rows: int = 10
    columns: int = 10
    num_boxes: int = 2
    seed: int = 0

    def __post_init__(self) -> None:
        for name, number in vars(self).items():
            if not isinstance(number, int | np.integer) or isinstance(number, bool):
                raise ValueError(f"{name} is {number!r}; expected a whole number")


LevelSource = GeneratedLevels | str | Path | Sequence[str | Path | Level | Board]


def load_boards(levels: LevelSource) -> list[Board]:
    """The boards of all levels in order, framed by ``frame``.

    ``ValueError`` for a file that cannot be read or has any fault, and if there is no level.
    """
    if isinstance(levels, GeneratedLevels):
        return frame(_generated(levels))
    if not isinstance(levels, str | Path | Sequence):
        raise ValueError(f"the levels are {levels!r}; expected files, boards or levels")
    sources: Sequence[str | Path | Level | Board]
    sources = [levels] if isinstance(levels, str | Path) else levels
    boards: list[Board] = []
    for source in sources:
        if not isinstance(source, str | Path | Board | Level):
            raise ValueError(f"one of the levels is {source!r}; expected a file, Level or Board")
        board = source.board if isinstance(source, Level) else source
        boards += [board] if isinstance(board, Board) else _read(board)
    if not boards:
        raise ValueError("there are no levels; expected at least one file or board")
    return frame(boards)


def frame(boards: Sequence[Board]) -> list[Board]:
    """The boards at one size: the largest interior, with one ring of wall around it.

    The top left floor of each is in row 1, column 1; the rest is wall, as is empty floor that the
    player could not reach even without boxes. ``ValueError`` where that is too much.
    """
    parts = [interior(board) for board in boards]
    height = max(part.height for part in parts) + 2
    width = max(part.width for part in parts) + 2
    own = sum((part.height + 2) * (part.width + 2) for part in parts)
    if len(parts) * height * width > max(_MOST_SQUARES, 4 * own):
        sizes = f"{len(parts):,} levels of {height}x{width} squares, the size of the largest"
        raise ValueError(f"{sizes}; expected at most {_MOST_SQUARES:,} squares together")
    every = frozenset(Square(row, column) for row in range(height) for column in range(width))

    framed = []
    for board, part in zip(boards, parts, strict=True):
        down, right = 1 - part.top, 1 - part.left
        walls = every - _moved(part.floor, down, right)
        goals, boxes = _moved(board.goals, down, right), _moved(board.boxes, down, right)
        player = Square(board.player.row + down, board.player.column + right)
        framed.append(Board(height, width, walls, goals, boxes, player))
    return framed


def streams(seeds: Int64[Tensor, "B"]) -> Int64[Tensor, "B"]:
    """A random generator for each environment, which samples its levels; seeds are independent."""
    return mixed(mixed(seeds + 1))  # 0 would be mixed to 0


def as_int64(seed: int) -> int:
    """A seed as an int64; of more than 64 bits, a hash."""
    if seed >= 2**64:
        seed = int(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0])
    return (seed + 2**63) % 2**64 - 2**63


def draw_levels(
    streams: Int64[Tensor, "B"], episodes: Int64[Tensor, "B"], *, num_levels: int
) -> Int64[Tensor, "B"]:
    """The level of each environment's episode of that number: the same ones give the same level.

    A hash and not a generator's state, so that a batch on a device resets any of its rows alone.
    """
    # Without its sign bit, for the remainder of a negative number would need another rule.
    return (mixed(mixed(streams + episodes)) & torch.iinfo(torch.int64).max) % num_levels


def _moved(squares: Set[Square], down: int, right: int) -> frozenset[Square]:
    return frozenset(Square(row + down, column + right) for row, column in squares)


@cache
def _generated(levels: GeneratedLevels) -> tuple[Board, ...]:
    found = generate(
        levels.num_levels,
        seed=levels.seed,
        rows=levels.rows,
        columns=levels.columns,
        num_boxes=levels.num_boxes,
        solvable_share=1.0,
    )
    return tuple(level.board for level in found)


def _read(path: str | Path) -> list[Board]:
    if str(path) in ("", "-", "."):
        raise ValueError(f"the level file is {str(path)!r}; expected the path of one")
    try:
        return [level.board for level in read_levels(path, strict=True).levels]
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror}") from None
