"""The levels of many files as words, each with its file and number, and those without labels."""

import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from tokoban.sokoban.board import Board, Direction
from tokoban.sokoban.formats.level import Level, Problem
from tokoban.sokoban.formats.levels import (
    content_or_problem,
    level_files,
    parse_content,
    read_content,
)
from tokoban.sokoban.formats.packed import PackedLevels, joined, name_file, read_packed
from tokoban.sokoban.search.bitboard.levels import Levels, corner_in_drawing, from_board
from tokoban.sokoban.sizes import MOST_SQUARES

_NO_LEVELS = Levels(*[np.empty(0, np.uint64)] * 4)


@dataclass(frozen=True)
class Source:
    """A file that levels were read from."""

    file: str  # its name in the pool, which does not depend on the folder around the pool
    sha256: str
    num_levels: int  # valid ones, of any size


@dataclass(frozen=True, kw_only=True)
class Dropped:
    """A level that gets no labels, and why."""

    file: str
    number: int | None  # in its file, from 0; None for one that could not be read
    reason: str  # "evaluation", "duplicate", "too large" or "unreadable"
    same: str | None = None  # how much of it is the same: "player", "area" or "room"
    like: str | None = None  # the level that it is the same as
    message: str | None = None


@dataclass(frozen=True)
class LargeLevel:
    """A level that does not fit one word for each plane."""

    board: Board
    file: int  # which of the pool's ``sources``
    number: int  # in its file, from 0
    solution: tuple[Direction, ...] | None  # of those in the file, one with the fewest pushes


@dataclass(frozen=True, eq=False)
class Pool:
    """Levels that fit one word for each plane, in the order of their files, and the others."""

    levels: PackedLevels
    large: tuple[LargeLevel, ...]
    sources: tuple[Source, ...]
    dropped: tuple[Dropped, ...]
    problems: tuple[Problem, ...]  # of the levels that could not be read, by the paths given


def read_pool(paths: Iterable[str | Path]) -> Pool:
    """Reads files of any format, and all level files below folders.

    Raises ``OSError`` for a file that cannot be read, unless it was found below a folder.
    """
    sources: list[Source] = []
    parts: list[PackedLevels] = []
    large: list[LargeLevel] = []
    dropped: list[Dropped] = []
    problems: list[Problem] = []
    named = [*map(Path, paths)]
    for path, name in _files(named):
        content = read_content(path) if path in named else content_or_problem(path)
        if isinstance(content, Problem):
            dropped.append(_unreadable(name, content))
            problems.append(content)
            continue
        part, others, found_problems = _read(path, name, content)
        dropped += [_unreadable(name, problem) for problem in found_problems]
        for level in others:
            if len(level.board.inside()) > MOST_SQUARES:
                dropped.append(_too_large(name, level))
            else:
                number, solution = level.number - 1, _fewest_pushes(level)
                large.append(LargeLevel(level.board, len(sources), number, solution))
        digest = hashlib.sha256(content).hexdigest()
        sources.append(Source(name, digest, len(part) + len(others)))
        parts.append(part)
        problems += found_problems
    levels = joined(parts, (source.file for source in sources))
    return Pool(levels, tuple(large), tuple(sources), tuple(dropped), tuple(problems))


def _files(paths: Sequence[Path]) -> Iterator[tuple[Path, str]]:
    """Each file with its name in the pool.

    This is its path from the folder that contains all of ``paths``, so that it stays the same if
    they are moved together. The names of Boxoban's files begin with their set.
    """
    if Path("-") in paths:
        raise ValueError("-: expected files, which can be read again when a run is resumed")
    if not paths:
        return
    around = os.path.commonpath([Path(os.path.abspath(path)).parent for path in paths])
    known = name_file(Path(around, "levels"))
    start = Path(known).parent if known != str(Path(around, "levels")) else Path()
    for path in paths:
        for file in level_files(path) if path.is_dir() else [path]:
            yield file, (start / Path(os.path.abspath(file)).relative_to(around)).as_posix()


def _read(
    path: Path, name: str, content: bytes
) -> tuple[PackedLevels, list[Level], tuple[Problem, ...]]:
    """The levels of a file that fit, those that do not, and those that cannot be read."""
    if (published := read_packed(content, name)) is not None:
        return published, [], ()
    found = parse_content(content, source=str(path))
    boards = {level.number - 1: level.board for level in found.levels}
    corners = {number: corner_in_drawing(board) for number, board in boards.items()}
    words = {number: from_board(board, corners[number]) for number, board in boards.items()}
    fitting = {number: word for number, word in words.items() if word is not None}
    large = [level for level in found.levels if level.number - 1 not in fitting]
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
        np.array([corners[number] for number in fitting], np.int32).reshape(-1, 2),
        (name,),
    )
    return packed, large, found.problems


def _fewest_pushes(level: Level) -> tuple[Direction, ...] | None:
    if not level.solutions:
        return None
    return min(level.solutions, key=lambda solution: solution.num_pushes).directions


def _too_large(name: str, level: Level) -> Dropped:
    num_squares = len(level.board.inside())
    message = f"{num_squares:,} squares of floor; expected at most {MOST_SQUARES:,}"
    return Dropped(file=name, number=level.number - 1, reason="too large", message=message)


def _unreadable(name: str, problem: Problem) -> Dropped:
    message = str(replace(problem, source=name))
    return Dropped(file=name, number=None, reason="unreadable", message=message)
