"""Levels as text that ``levels`` reads back: boards with titles, notes and solutions."""

from collections.abc import Sequence

from tokoban.sokoban.formats import lurd
from tokoban.sokoban.formats.legality import find_fault
from tokoban.sokoban.formats.level import Level
from tokoban.sokoban.formats.levels import parse_levels, unquote
from tokoban.sokoban.formats.text_lines import Kind, classify, is_plain_text, read_pair
from tokoban.sokoban.formats.xsb import format_board

_MOVES_PER_LINE = 70
# YASC drops these from titles, so a title that holds one is written as a pair.
_UNFIT_FOR_TITLES = frozenset(":\\*?[];<>|")


def write_levels(levels: Sequence[Level], *, notes: Sequence[str] = ()) -> str:
    """The text of a file that begins with ``notes`` and holds ``levels``; equal levels, equal text.

    Reading it gives the same levels and notes. Raises ``ValueError`` naming the first level of
    which that is not true: its board is no level, a solution does not solve it, or its notes or
    titles would be read as something else.
    """
    lines = list(notes)
    author = next((read_pair(line)[1] for line in _of_kind(Kind.AUTHOR, notes)), "")
    for number, level in enumerate(levels, 1):
        try:
            lines += _write_level(level, number, default_author=author)
        except ValueError as error:
            raise ValueError(f'level {number} "{level.title}": {error}') from None
    text = "\n".join([*(lines if notes else lines[1:]), ""])
    _check(text, levels, tuple(notes))
    return text


def _write_level(level: Level, number: int, *, default_author: str) -> list[str]:
    fault = find_fault(level.board)
    if fault:
        raise ValueError(fault)
    rows = [row.rstrip() or "-" for row in format_board(level.board).split("\n")]
    untitled = f"Level {number}"
    fits = _fits_title_line(level.title) and level.title != untitled
    pairs = []
    # The first pair among the notes would be read as the title, or as the author.
    if level.title and (not fits or _of_kind(Kind.TITLE, level.notes)):
        pairs.append(f"Title: {level.title}")
    if level.author != default_author or _of_kind(Kind.AUTHOR, level.notes):
        pairs.append(f"Author: {level.author}".rstrip())
    lines = ["", level.title if fits else untitled, "", *rows, *_paragraph(*pairs, *level.notes)]
    for solution in level.solutions:
        moves = lurd.format(level.board, solution.directions)
        starts = range(0, len(moves), _MOVES_PER_LINE)
        lines += ["", solution.title, *(moves[i : i + _MOVES_PER_LINE] for i in starts)]
        lines += _paragraph(*solution.notes)
    if any(end in line for line in lines for end in "\n\r"):
        raise ValueError("a title, an author or a note holds a line end")
    return lines


def _paragraph(*lines: str) -> list[str]:
    return ["", *lines] if lines else []


def _fits_title_line(title: str) -> bool:
    is_plain = bool(title) and is_plain_text(title) and unquote(title) == title
    return is_plain and not _UNFIT_FOR_TITLES.intersection(title)


def _of_kind(kind: Kind, notes: Sequence[str]) -> list[str]:
    return [note for note, found in zip(notes, classify(notes), strict=True) if found is kind]


def _check(text: str, levels: Sequence[Level], notes: tuple[str, ...]) -> None:
    """Raises ``ValueError`` unless ``text`` is read as these levels and notes."""
    again = parse_levels(text)
    if levels and again.notes != notes:
        raise ValueError("the notes of the file would be read differently")
    for number, level in enumerate(levels, 1):
        if again.levels[number - 1 : number] != (level,):
            told = "its board, title, author, notes or solutions would be read differently"
            raise ValueError(f'level {number} "{level.title}": {told}')
