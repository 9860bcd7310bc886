"""The saved games of ``tokoban play``: solutions and games in progress, in a SOK file."""

import hashlib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from tokoban.cli.output import write_output
from tokoban.files.locks import locked
from tokoban.sokoban.board import Board
from tokoban.sokoban.formats import Level, SavedGame, Solution, read_levels, write_levels
from tokoban.sokoban.play import Progress, shortest

_FIRST_NOTE = "Games of tokoban play"
_CURRENT, _COUNT = "Level played last", "Levels"
_WAIT_S = 10.0  # for another game, which saves within moments
_LONGEST_STEM = 60  # of the level file's name in that of the saved games


@dataclass(frozen=True)
class Saved:
    """The progress in each level by its board, and the number of the level played last."""

    progress: Mapping[Board, Progress] = field(default_factory=dict)
    titles: Mapping[Board, str] = field(default_factory=dict)
    current: int | None = None


def usual_place(levels: str | None) -> Path:
    """Where the games of a level file, or of the levels that ship, are kept by default.

    In the user's folder for state (XDG Base Directory Specification), by the name and the path of
    the level file. Raises ``ValueError`` where there is no such folder.
    """
    folder = os.environ.get("XDG_STATE_HOME", "")
    if not os.path.isabs(folder):  # the specification: other values are to be ignored
        try:
            folder = str(Path.home() / ".local" / "state")
        except RuntimeError:
            raise ValueError("no home folder to keep games in; name a file by --save") from None
    name = "shipped"
    if levels is not None:
        path = Path(os.path.realpath(levels))
        digest = hashlib.sha256(os.fsencode(path)).hexdigest()[:8]
        name = f"{path.stem[:_LONGEST_STEM]}-{digest}"
    return Path(folder) / "tokoban" / "play" / f"{name}.sok"


def read(path: Path) -> Saved:
    """Reads the file of ``write``; empty if there is none.

    Raises ``ValueError`` for any other file and for a damaged one, and ``OSError``.
    """
    try:
        file = read_levels(path)
    except FileNotFoundError:
        return Saved()
    advice = "move it away, or name another file by --save"
    if file.notes[:1] != (_FIRST_NOTE,):
        raise ValueError(f"{path}: these are no games of `tokoban play`, or damaged ones; {advice}")
    if file.problems:
        raise ValueError(f"{file.problems[0]}; the games are damaged: {advice}")
    count, current = _number(_COUNT, file.notes), _number(_CURRENT, file.notes)
    if count != len(file.levels) or current is None:
        message = f"games of {count} levels expected, {len(file.levels)} found"
        raise ValueError(f"{path}: {message}; the games are damaged: {advice}")
    return Saved(
        {level.board: _progress(level) for level in file.levels},
        {level.board: level.title for level in file.levels},
        current,
    )


def write(
    path: Path, played: Mapping[int, Progress], *, levels: Mapping[int, Level], current: int
) -> None:
    """Saves what has changed, by the numbers of the levels, beside what the file has of others.

    Another game may have written to the file, so the solutions there count too; a lock keeps others
    out meanwhile. Folders are made as needed. Raises ``ValueError`` rather than replace a damaged
    file, and ``OSError`` where the file cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = path.with_name(f".{path.name}.lock")
    with locked(lock, in_use="another game is saved here", wait_s=_WAIT_S):
        saved = read(path)
        progress, titles = dict(saved.progress), dict(saved.titles)
        for number, made in played.items():
            board = levels[number].board
            known = progress.get(board, Progress()).solutions
            progress[board] = replace(made, solutions=shortest(board, (*known, *made.solutions)))
            titles[board] = levels[number].title
        progress.setdefault(levels[current].board, Progress())
        titles.setdefault(levels[current].board, levels[current].title)
        notes = (_FIRST_NOTE, f"{_CURRENT}: {current}", f"{_COUNT}: {len(progress)}")
        kept = [_level(board, titles[board], made) for board, made in progress.items()]
        try:
            text = write_levels(kept, notes=notes)
        except ValueError:  # a title that would be read as something else; games need none
            text = write_levels([replace(level, title="") for level in kept], notes=notes)
        write_output(str(path), text)


def _number(name: str, notes: tuple[str, ...]) -> int | None:
    for note in notes:
        if found := re.fullmatch(rf"{name}: ([0-9]{{1,9}})", note):
            return int(found[1])
    return None


def _progress(level: Level) -> Progress:
    solutions = tuple(solution.directions for solution in level.solutions)
    if not level.saved_games:
        return Progress(solutions=solutions)
    game = level.saved_games[-1]
    return Progress(game.directions, game.position, solutions)


def _level(board: Board, title: str, made: Progress) -> Level:
    names = ("Solution",) if len(made.solutions) < 2 else ("Solution/Moves", "Solution/Pushes")
    solutions = zip(made.solutions, names, strict=True) if made.solutions else ()
    games = (SavedGame(made.directions, made.position),) if made.directions else ()
    return Level(
        board,
        title,
        solutions=tuple(Solution.of(board, *solution) for solution in solutions),
        saved_games=games,
    )
