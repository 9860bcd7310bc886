"""The lines of a level file, each put in one class: board, moves, comment, pair or text.

What may be a row, or moves, or just words, is settled here by what stands beside it.
"""

import re
from collections.abc import Iterator, Sequence
from enum import Enum, auto
from itertools import groupby

from tokoban.sokoban.formats.rows import Row, look_at_row, looks_damaged, without_html
from tokoban.sokoban.formats.run_length import measure


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
    SOLUTION = auto()  # "Solution: moves", the title beside its moves
    TITLE = auto()  # "Title: name"; "Maze: 1" or "Level: 1", as old files have it
    AUTHOR = auto()  # "Author: name"
    PAIR = auto()  # "Key: value" with any other key
    TEXT = auto()


# These lines count as blank, since those that name a level are left out of its notes.
BLANKS = frozenset({Kind.BLANK, Kind.TITLE, Kind.AUTHOR})
_KINDS_OF_PAIRS = dict.fromkeys(("title", "maze", "level"), Kind.TITLE) | {"author": Kind.AUTHOR}

_QUOTE = re.compile(r"(> ?)*>")
_CONTENTS = re.compile(r"[@+$*.pPbB]")
_MOVES = re.compile(r"[udlrUDLR0-9()\[\]<>{}*\s]+")
_MOVE = re.compile(r"[udlrUDLR]")
_PAIR = re.compile(r"([A-Za-z][A-Za-z ]*):(.*)")
# How old files write "Game: name", and which box of Sokoban+ belongs to which goal.
_OLD_PAIR = re.compile(r"(game|boxorder|goalorder) *=(.*)", re.IGNORECASE)
_COUNTED = r"(/[a-z]+)?(\s*#?[0-9]+\b)?(\s*\([^()]*\))?"  # "/Moves", "2" and "(12 moves)"
# It begins or ends with the word, as "My shortest solution (12 moves):" does.
_SOLUTION_TITLE = re.compile(
    rf"\s*(best )?solution\b|(?!.*\bno\b).*\bsolution{_COUNTED}\s*:?$", re.IGNORECASE
)
_SAVED_TITLE = re.compile(r"\s*((reverse mode )?snapshot|savegame)\b", re.IGNORECASE)
# As programs write it; "Solution by hand" may be the beginning of a sentence.
_BARE_HEADING = re.compile(r"\s*(best )?solution(/[a-z]+)?(\s*[0-9]+)?", re.IGNORECASE)
_TITLE_BESIDE = re.compile(rf".*\bsolution{_COUNTED}(?=[:\s])", re.IGNORECASE)
_PLAIN_MOVES = re.compile(r"[udlrUDLR0-9()*\s]+")


def split_lines(text: str) -> list[str]:
    """Lines ended by LF, CRLF or CR, without blanks at their ends; rows without quotes and HTML."""
    lines = [line.rstrip() for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n")]
    return [part for line in _unquoted(lines) for part in without_html(line)]


def classify(lines: Sequence[str]) -> list[Kind]:
    """The kind of each line; boards and moves are found whatever their titles are."""
    kinds = [_kind_alone(line) for line in lines]
    _mark_comment_blocks(lines, kinds)
    _mark_boards(lines, kinds)
    _mark_moves(lines, kinds)
    return kinds


def runs(flags: Sequence[bool]) -> Iterator[tuple[int, int]]:
    """The maximal runs ``[start, end)`` of true flags, in order."""
    end = 0
    for flag, run in groupby(flags):
        start, end = end, end + len(list(run))
        if flag:
            yield start, end


def read_pair(line: str) -> tuple[str, str]:
    """Key in lower case and value of a line ``Key: value``; both empty if it is something else."""
    pair = _PAIR.fullmatch(line) or _OLD_PAIR.fullmatch(line)
    return (pair[1].strip().lower(), pair[2].strip()) if pair else ("", "")


def is_plain_text(line: str) -> bool:
    """Whether this line is text wherever it stands, never a row, moves, a comment or a pair."""
    is_text = _kind_alone(line) is Kind.TEXT and look_at_row(line) is None
    is_text = is_text and split_lines(line) == [line]
    is_text = is_text and not read_solution(line)[1]
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


def is_heading(line: str) -> bool:
    """Whether the line can be nothing but the title of a solution, if moves are below it."""
    return is_bare_heading(line) or (line.endswith(":") and is_solution_title(line))


def read_solution(line: str) -> tuple[str, str]:
    """The title and the moves of a line ``Solution: moves``; both empty if it is anything else."""
    title = _TITLE_BESIDE.match(line)
    moves = line[title.end() :].strip().removeprefix(":").strip() if title else ""
    is_plain = _PLAIN_MOVES.fullmatch(moves) and _MOVE.search(moves)
    if title is None or not is_plain or not is_solution_title(title[0]):
        return "", ""
    try:
        measure(moves)
    except ValueError:
        return "", ""
    return title[0].strip(), moves


def _unquoted(lines: list[str]) -> list[str]:
    """The lines without the marks of quoted mail, if rows of walls are quoted: ``> ####``."""
    rests = [line[mark.end() :] if (mark := _QUOTE.match(line)) else None for line in lines]
    quoted = [rest for rest in rests if rest is not None]
    if Row.WALLED not in map(look_at_row, quoted):
        return lines
    # A blank behind each mark belongs to the marks; behind some, it is the floor of a row.
    start = int(all(rest[:1] in ("", " ") for rest in quoted))
    return [line if rest is None else rest[start:] for line, rest in zip(lines, rests, strict=True)]


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
        damaged = [
            index
            for index in range(start, end)
            if rows[index] is Row.DAMAGED and looks_damaged(lines[index])
        ]
        if Row.WALLED not in rows[start:end] and not damaged:
            continue
        # Floor alone may be a dashed line, so it is a row between rows only.
        while rows[start] in (Row.FLOOR, Row.LOOSE):
            start += 1
        while rows[end - 1] in (Row.FLOOR, Row.LOOSE):
            end -= 1
        # A damaged row without contents may be words in a frame.
        is_board = bool(damaged) or any(
            rows[index] is not Row.DAMAGED and _CONTENTS.search(lines[index])
            for index in range(start, end)
        )
        for index in range(start, end):
            if rows[index] not in (Row.DAMAGED, Row.BROKEN):
                kinds[index] = Kind.BOARD if is_board else Kind.RULER
            elif is_board:
                kinds[index] = Kind.DAMAGED_ROW


def _mark_moves(lines: Sequence[str], kinds: list[Kind]) -> None:
    """Marks the lines below the first board that look like moves."""
    if Kind.BOARD not in kinds:
        return
    # TEXT under the title of moves, another kind under such moves
    above: Kind | None = None
    for index in range(kinds.index(Kind.BOARD), len(lines)):
        line = lines[index]
        if kinds[index] in BLANKS:
            # Only a title may be parted from its moves by blank lines.
            above = above if above is Kind.TEXT else None
        elif kinds[index] in (Kind.TEXT, Kind.PAIR) and read_solution(line)[1]:
            kinds[index] = above = Kind.SOLUTION
        elif kinds[index] is not Kind.TEXT:
            above = Kind.TEXT if kinds[index] is Kind.PAIR and is_heading(line) else None
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
