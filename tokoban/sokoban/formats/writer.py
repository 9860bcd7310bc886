"""Levels as text that ``levels`` reads back: SOK with all that a level has, or bare XSB boards."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from tokoban.sokoban.board import Board
from tokoban.sokoban.formats import lurd
from tokoban.sokoban.formats.legality import find_fault
from tokoban.sokoban.formats.level import Level, LevelFile, SavedGame, Solution
from tokoban.sokoban.formats.names import unquote
from tokoban.sokoban.formats.run_length import encode
from tokoban.sokoban.formats.text_lines import Kind, classify, is_plain_text, read_pair
from tokoban.sokoban.formats.text_reader import read_text
from tokoban.sokoban.formats.xsb import format_board

_LETTERS_PER_LINE = 70
_MOVE = re.compile(r"[0-9]*[^0-9]")  # with its count
# YASC drops these from titles, so a title that holds one is written as a pair.
_UNFIT_FOR_TITLES = frozenset(":\\*?[];<>|")


def write_levels(
    levels: Sequence[Level], *, notes: Sequence[str] = (), run_length: bool = False
) -> str:
    """The text of a file that begins with ``notes`` and holds ``levels``; equal levels, equal text.

    The layout is SOK's. With ``run_length`` boards and moves have counts, and a board is one line.
    Reading it gives the same levels and notes, but solutions without moves, of solved boards, which
    no file holds. Raises ``ValueError`` naming the first level of
    which that is not true: its board is no level, a solution does not solve it, a saved game does,
    or its notes or titles would be read as something else.
    """
    levels = [_with_moves(level) for level in levels]
    author = _first_of_kind(Kind.AUTHOR, notes)
    # The title of a file is that of its only level too.
    title = _first_of_kind(Kind.TITLE, notes) if len(levels) == 1 else ""

    def lines(level: Level, number: int) -> list[str]:
        return _in_sok(level, number, title, author, run_length=run_length)

    text = _write(levels, lines, notes=notes)
    _check(text, LevelFile(tuple(levels), notes=tuple(notes)))
    return text


def _with_moves(level: Level) -> Level:
    """Without the solutions that need none."""
    if not level.board.is_solved:
        return level
    return replace(level, solutions=tuple(one for one in level.solutions if one.directions))


def write_xsb(levels: Sequence[Level], *, run_length: bool = False) -> str:
    """The text of a file with the boards, titles and authors of ``levels``, and nothing else.

    Titles are ``;`` comments, which every program that knows XSB passes over. Raises ``ValueError``
    as ``write_levels`` does.
    """
    bare = [replace(level, notes=(), solutions=(), saved_games=()) for level in levels]
    text = _write(bare, lambda level, _: _in_xsb(level, run_length=run_length))
    _check(text, LevelFile(tuple(bare)))
    return text


def _write(
    levels: Sequence[Level],
    lines_of: Callable[[Level, int], list[str]],
    *,
    notes: Sequence[str] = (),
) -> str:
    """The notes and the lines of each level, which begin with a blank one."""
    lines = list(notes)
    for number, level in enumerate(levels, 1):
        try:
            if fault := find_fault(level.board):
                raise ValueError(fault)
            written = lines_of(level, number)
            if any(end in line for line in written for end in "\n\r"):
                raise ValueError("a title, an author or a note holds a line end")
        except ValueError as error:
            raise ValueError(f'level {number} "{level.title}": {error}') from None
        lines += written
    return "\n".join([*(lines if notes else lines[1:]), ""])


def _in_sok(
    level: Level, number: int, default_title: str, default_author: str, *, run_length: bool
) -> list[str]:
    untitled = f"Level {level.title if level.title.isdecimal() else number}"
    fits = _fits_title_line(level.title) and level.title != untitled
    pairs = []
    # The first pair among the notes would be read as the title, or as the author.
    is_other = default_title not in ("", level.title)
    if is_other or (level.title and (not fits or _of_kind(Kind.TITLE, level.notes))):
        pairs.append(f"Title: {level.title}".rstrip())
    if level.author != default_author or _of_kind(Kind.AUTHOR, level.notes):
        pairs.append(f"Author: {level.author}".rstrip())
    lines = ["", level.title if fits else untitled, ""]
    lines += [*_rows(level.board, run_length=run_length), *_paragraph(*pairs, *level.notes)]
    games: list[Solution | SavedGame] = [*level.solutions, *level.saved_games]
    for game in games:
        lines += ["", game.title, *_moves(level.board, game, run_length=run_length)]
        lines += _paragraph(*game.notes)
    return lines


def _in_xsb(level: Level, *, run_length: bool) -> list[str]:
    title = level.title
    fits = unquote(title.lstrip(";")) == title and any(map(str.isalnum, title))
    lines = ["", f"; {title}", ""] if fits else [""]
    lines += _rows(level.board, run_length=run_length)
    lines += [f"Title: {title}"] if title and not fits else []
    return [*lines, f"Author: {level.author}"] if level.author else lines


def _rows(board: Board, *, run_length: bool) -> list[str]:
    rows = [row.rstrip() or "-" for row in format_board(board).split("\n")]
    if not run_length:
        return rows
    return [encode("|".join(rows).replace(" ", "-"))]


def _moves(board: Board, game: Solution | SavedGame, *, run_length: bool) -> list[str]:
    moves = lurd.format(board, game.directions)
    if isinstance(game, SavedGame) and game.position != len(moves):
        moves = f"{moves[: game.position]}*{moves[game.position :]}"
    if not run_length:
        starts = range(0, len(moves), _LETTERS_PER_LINE)
        return [moves[start : start + _LETTERS_PER_LINE] for start in starts]
    lines = [""]
    for move in _MOVE.findall(encode(moves)):
        if len(lines[-1]) + len(move) > _LETTERS_PER_LINE:
            lines.append("")
        lines[-1] += move
    return lines


def _paragraph(*lines: str) -> list[str]:
    return ["", *lines] if lines else []


def _fits_title_line(title: str) -> bool:
    is_plain = bool(title) and is_plain_text(title) and unquote(title) == title
    return is_plain and not _UNFIT_FOR_TITLES.intersection(title)


def _first_of_kind(kind: Kind, notes: Sequence[str]) -> str:
    """The value of the first pair of this kind, or nothing."""
    return next((read_pair(line)[1] for line in _of_kind(kind, notes)), "")


def _of_kind(kind: Kind, notes: Sequence[str]) -> list[str]:
    return [note for note, found in zip(notes, classify(notes), strict=True) if found is kind]


def _check(text: str, written: LevelFile) -> None:
    """Raises ``ValueError`` unless ``text`` is read as these levels and notes."""
    # Without limits on its size, or finished work would be lost.
    again = read_text(text, "text", is_limited=False)
    if written.levels and again.notes != written.notes:
        raise ValueError("the notes of the file would be read differently")
    for number, level in enumerate(written.levels, 1):
        if again.levels[number - 1 : number] != (level,):
            for place, solution in enumerate(level.solutions, 1):
                played = lurd.replay(level.board, solution.lurd)
                unsolved = None if played.is_solved else "it does not solve the level"
                if reason := played.reason or unsolved or played.wrong_case:
                    raise ValueError(f'level {number} "{level.title}": solution {place}: {reason}')
            message = "its board, title, author, notes or games would be read differently"
            raise ValueError(f'level {number} "{level.title}": {message}')
