"""The levels of many files as words, each with its place, and what can get no labels."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tokoban.sokoban.bitboards import SIDE
from tokoban.sokoban.board import Board
from tokoban.sokoban.formats.boxoban import looks_like_boxoban
from tokoban.sokoban.formats.level import Problem
from tokoban.sokoban.formats.levels import decode, parse_content, read_content
from tokoban.sokoban.formats.packed import PackedLevels, read_packed
from tokoban.sokoban.solving.levels import Levels, from_board

_NO_LEVELS = Levels(*[np.empty(0, np.uint64)] * 4)


@dataclass(frozen=True)
class Source:
    """A file that levels were read from."""

    file: str
    sha256: str
    num_levels: int  # good ones, of any size


@dataclass(frozen=True, kw_only=True)
class Dropped:
    """A level that gets no labels, and why."""

    file: str
    number: int | None  # in its file, from 0; None for one that could not be read
    reason: str  # "evaluation", "duplicate", "too large" or "unreadable"
    same: str | None = None  # how much of it is the same: "player", "area" or "room"
    like: str | None = None  # the level that it is the same as
    message: str | None = None


@dataclass(frozen=True, eq=False)
class Pool:
    """Levels that fit one word a plane, in the order of their files, and the others."""

    levels: PackedLevels
    sources: tuple[Source, ...]
    dropped: tuple[Dropped, ...]


def read_pool(paths: Iterable[str | Path]) -> Pool:
    """Reads files of any format, and the ``*.txt`` files below folders.

    Raises ``OSError`` for a file that cannot be read.
    """
    sources: list[Source] = []
    parts: list[PackedLevels] = []
    dropped: list[Dropped] = []
    for path in _files(paths):
        content = read_content(path)
        part, others, num_levels = _read(path, content)
        sources.append(Source(str(path), hashlib.sha256(content).hexdigest(), num_levels))
        parts.append(part)
        dropped += others
    return Pool(_joined(parts), tuple(sources), tuple(dropped))


def _files(paths: Iterable[str | Path]) -> Iterator[Path]:
    for path in map(Path, paths):
        if str(path) == "-":
            raise ValueError("-: expected files, which can be read again when a run is resumed")
        yield from sorted(path.rglob("*.txt")) if path.is_dir() else [path]


def _read(path: Path, content: bytes) -> tuple[PackedLevels, list[Dropped], int]:
    """The levels of a file that fit, the others, and how many good ones there are of any size."""
    if looks_like_boxoban(decode(content)):
        packed = read_packed([path])
        # As ``parse_content`` decides whether it is such a file.
        if len(packed) > len(packed.problems):
            return packed, _unreadable(path, packed.problems), len(packed)
    found = parse_content(content, source=str(path))
    words = {number: from_board(level.board) for number, level in enumerate(found.levels)}
    fitting = {number: word for number, word in words.items() if word is not None}
    too_large = [
        _too_large(path, number, found.levels[number].board)
        for number in words
        if number not in fitting
    ]
    walls, goals, boxes, player = map(
        np.concatenate, zip(_NO_LEVELS, *fitting.values(), strict=True)
    )
    packed = PackedLevels(
        walls,
        goals,
        boxes,
        player,
        np.array([*fitting], np.int32),
        np.zeros(len(fitting), np.int32),
        (str(path),),
    )
    return packed, [*_unreadable(path, found.problems), *too_large], len(words)


def _too_large(path: Path, number: int, board: Board) -> Dropped:
    rows, columns = zip(*board.inside(), strict=True)
    size = f"{max(rows) - min(rows) + 1}x{max(columns) - min(columns) + 1}"
    message = f"interior {size} does not fit one 64-bit plane ({SIDE}x{SIDE})"
    return Dropped(file=str(path), number=number, reason="too large", message=message)


def _unreadable(path: Path, problems: Sequence[Problem]) -> list[Dropped]:
    return [
        Dropped(file=str(path), number=None, reason="unreadable", message=str(problem))
        for problem in problems
    ]


def _joined(parts: Sequence[PackedLevels]) -> PackedLevels:
    """The levels of all files as one."""
    columns = ((part.walls, part.goals, part.boxes, part.player) for part in parts)
    walls, goals, boxes, player = map(np.concatenate, zip(_NO_LEVELS, *columns, strict=True))
    return PackedLevels(
        walls,
        goals,
        boxes,
        player,
        np.concatenate([np.empty(0, np.int32), *(part.number for part in parts)]),
        np.repeat(np.arange(len(parts), dtype=np.int32), [len(part) for part in parts]),
        tuple(part.files[0] for part in parts),
    )
