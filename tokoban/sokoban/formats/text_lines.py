"""The lines of a level file, each put in one class: board, moves, comment, pair or text.

What may be a row, or moves, or just words, is settled here by what stands beside it.
"""

import re
from collections.abc import Iterator, Sequence
from enum import Enum, auto

from tokoban.sokoban.formats.rows import Row, look_at_row


class Kind(Enum):
    """The kind of a line; each line has one."""

    BLANK = auto()
    RAW_COMMENT = auto()  # ":: ...", kept and never shown
    COMMENT = auto()  # "; ..."
    COMMENT_BLOCK = auto()  # from "Comment:" to "Comment-End"; nothing inside is parsed
    UNCLOSED_BLOCK = auto()  # from a "Comment:" that is never closed, to the end of the file
    BOARD = auto()
    DAMAGED_ROW = auto()  # touches a board and looks like a row that cannot be read
    RULER = auto()  # squares without player, box and goal: a line drawn between words
    MOVES = auto()
    DAMAGED_MOVES = auto()  # moves under a title of moves, but for a strange character
    TITLE = auto()  # "Title: name"
    AUTHOR = auto()  # "Author: name"
    PAIR = auto()  # "Key: value" with any other key
    TEXT = auto()


# These lines count as blank, since those that name a level are left out of its notes.
BLANKS = frozenset({Kind.BLANK, Kind.TITLE, Kind.AUTHOR})
_KINDS_OF_PAIRS = {"title": Kind.TITLE, "author": Kind.AUTHOR}

_CONTENTS = re.compile(r"[@+$*.pPbB]")
_MOVES = re.compile(r"[udlrUDLR0-9()\[\]<>{}*\s]+")
_MOVE = re.compile(r"[udlrUDLR]")
_PAIR = re.compile(r"([A-Za-z][A-Za-z ]*):(.*)")
_GAME = re.compile(r"(game) *=(.*)", re.IGNORECASE)  # how old files write "Game: name"
_SOLUTION_TITLE = re.compile(r"\s*(best )?solution\b", re.IGNORECASE)
_SAVED_TITLE = re.compile(r"\s*((reverse mode )?snapshot|savegame)\b", re.IGNORECASE)
# As programs write it; "Solution by hand" may be the beginning of a sentence.
_BARE_HEADING = re.compile(r"\s*(best )?solution(/[a-z]+)?(\s*[0-9]+)?", re.IGNORECASE)


def split_lines(text: str) -> list[str]:
    """Lines ended by LF, CRLF or CR, without blanks at their ends."""
    return [line.rstrip() for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n")]


def classify(lines: Sequence[str]) -> list[Kind]:
    """The kind of each line; boards and moves are found whatever their titles are."""
    kinds = [_kind_alone(line) for line in lines]
    _mark_comment_blocks(lines, kinds)
    _mark_boards(lines, kinds)
    _mark_moves(lines, kinds)
    return kinds


def runs(flags: Sequence[bool]) -> Iterator[tuple[int, int]]:
    """The maximal runs ``[start, end)`` of true flags, in order."""
    start = None
    for index, flag in enumerate(flags):
        if flag and start is None:
            start = index
        elif not flag and start is not None:
            yield start, index
            start = None
    if start is not None:
        yield start, len(flags)


def read_pair(line: str) -> tuple[str, str]:
    """Key in lower case and value of a line ``Key: value``; both empty if it is something else."""
    pair = _PAIR.fullmatch(line) or _GAME.fullmatch(line)
    return (pair[1].strip().lower(), pair[2].strip()) if pair else ("", "")


def is_plain_text(line: str) -> bool:
    """Whether this line is text wherever it stands, never a row, moves, a comment or a pair."""
    is_text = _kind_alone(line) is Kind.TEXT and look_at_row(line) is None
    return is_text and not _MOVES.fullmatch(line) and not _is_mostly_moves(line)


def is_solution_title(line: str) -> bool:
    """Whether the moves below this line are promised to solve the level."""
    return _SOLUTION_TITLE.match(line) is not None


def is_moves_title(line: str) -> bool:
    """Whether moves and nothing else are to be expected below this line."""
    return is_solution_title(line) or _SAVED_TITLE.match(line) is not None


def is_bare_heading(line: str) -> bool:
    """Whether the line is nothing but the title of a solution, as programs write it."""
    return _BARE_HEADING.fullmatch(line) is not None


def _kind_alone(line: str) -> Kind:
    """The kind as far as the line itself tells."""
    start = line.lstrip()
    if not start:
        return Kind.BLANK
    if start.startswith("::"):
        return Kind.RAW_COMMENT
    if start.startswith(";"):
        return Kind.COMMENT
    key, _ = read_pair(line)
    return _KINDS_OF_PAIRS.get(key, Kind.PAIR) if key else Kind.TEXT


def _mark_comment_blocks(lines: Sequence[str], kinds: list[Kind]) -> None:
    opened: int | None = None
    for index, line in enumerate(lines):
        if opened is None:
            if kinds[index] is Kind.PAIR and read_pair(line) == ("comment", ""):
                opened = index
        elif line.lstrip().lower().startswith("comment-end"):
            kinds[opened : index + 1] = [Kind.COMMENT_BLOCK] * (index + 1 - opened)
            opened = None
    if opened is not None:
        kinds[opened:] = [Kind.UNCLOSED_BLOCK] * (len(lines) - opened)


def _mark_boards(lines: Sequence[str], kinds: list[Kind]) -> None:
    rows = [
        look_at_row(line) if kind is Kind.TEXT else None
        for line, kind in zip(lines, kinds, strict=True)
    ]
    for index, row in enumerate(rows):
        if row is Row.FLOOR:
            kinds[index] = Kind.RULER
    for start, end in runs([row is not None for row in rows]):
        if Row.WALLED not in rows[start:end]:
            continue
        # Floor alone may be a dashed line, so it is a row between rows only.
        while rows[start] in (Row.FLOOR, Row.LOOSE):
            start += 1
        while rows[end - 1] in (Row.FLOOR, Row.LOOSE):
            end -= 1
        is_board = any(
            _has_contents(lines[index], is_damaged=rows[index] is Row.DAMAGED)
            for index in range(start, end)
        )
        for index in range(start, end):
            if rows[index] not in (Row.DAMAGED, Row.BROKEN):
                kinds[index] = Kind.BOARD if is_board else Kind.RULER
            elif is_board:
                kinds[index] = Kind.DAMAGED_ROW


def _has_contents(line: str, *, is_damaged: bool) -> bool:
    """Whether a row holds a player, a box or a goal; a damaged one may be words in a frame."""
    if not is_damaged:
        return _CONTENTS.search(line) is not None
    num_signs = sum(map(line.count, "#@+$*."))
    return any(sign in line for sign in "@+$*") and 2 * num_signs >= len("".join(line.split()))


def _mark_moves(lines: Sequence[str], kinds: list[Kind]) -> None:
    """Marks the lines below the first board that look like moves."""
    if Kind.BOARD not in kinds:
        return
    above: Kind | None = None  # TEXT under the title of moves, MOVES under such moves
    for index in range(kinds.index(Kind.BOARD), len(lines)):
        line = lines[index]
        if kinds[index] in BLANKS:
            # Only a title may be parted from its moves by blank lines.
            above = above if above is Kind.TEXT else None
        elif kinds[index] is not Kind.TEXT:
            above = None
        elif _MOVES.fullmatch(line) and _MOVE.search(line):
            kinds[index] = Kind.MOVES
            above = above and Kind.MOVES
        elif above and _is_mostly_moves(line):
            kinds[index] = Kind.DAMAGED_MOVES
            above = Kind.MOVES
        else:
            above = Kind.TEXT if is_moves_title(line) else None


def _is_mostly_moves(line: str) -> bool:
    """Whether a line that is not moves was meant to be: one word, and half of it moves or more."""
    word = line.strip()
    num_moves = sum(map(word.count, "udlrUDLR"))
    return len(word.split(maxsplit=1)) == 1 and 2 * num_moves >= len(word)
