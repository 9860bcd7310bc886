"""How far a line looks like rows of a board, and the rows that it holds.

A line may be one row of squares, or encoded: counts, groups, and bars between rows.
"""

import re
from collections.abc import Sequence
from enum import Enum, auto

from tokoban.sokoban.formats.faults import Fault
from tokoban.sokoban.formats.run_length import expand, measure
from tokoban.sokoban.formats.xsb import SQUARES


class Row(Enum):
    """The kinds of line next to board lines."""

    WALLED = auto()
    BOXED = auto()  # every row begins and ends with a box on a goal
    LOOSE = auto()  # no wall, and something else than walls or boxes on goals at an end
    FLOOR = auto()
    DAMAGED = auto()  # between walls, or squares but for tabs or a remark behind them
    BROKEN = auto()  # counts or groups that do not fit


FLOOR = " -_"
_NO_BREAK = "\u00a0"  # a blank, as text copied from a web page has it
_FOREIGN = re.compile("[<&\u00a0]")  # begins what HTML has in rows
_HTML_BLANK = re.compile("&(nbsp|#160);|\u00a0", re.IGNORECASE)
_LINE_BREAK, _TAG = re.compile(r"<br\b[^<>]*>", re.IGNORECASE), re.compile("</?[A-Za-z][^<>]*>")
_LOOSE = frozenset("@+$*. -_")  # the letters pPbB alone are more likely words
_SQUARES = "".join(map(re.escape, sorted(SQUARES)))
_ROW = re.compile(f"[{_SQUARES}]+")
_SQUARE = re.compile(f"[{_SQUARES}]")
_ENCODED = re.compile(f"[{_SQUARES}0-9()|]+")
_NO_SQUARE = re.compile(f"[^{_SQUARES}0-9()|]")
_CODE = re.compile(r"[0-9()]+")
_NUMBERED = re.compile(r"#\s*[0-9]+")  # "#12" is how some number their levels
_ENDS_OF_ROWS = re.compile(r"[#*B]")
_CONTENTS = re.compile(r"[@+$*]")
_SIGNS = "#@+$*."
_LONG = 5  # squares of a row without contents that can hardly be a part of words
_REMARKS = tuple(";/<%,")  # how remarks begin, behind walls alone


def look_at_row(line: str) -> Row | None:
    """The possible kind of a line; None if it cannot be a row."""
    line = line.replace(_NO_BREAK, " ")
    if _ROW.fullmatch(line):
        return _look_at_squares(line)
    if _ENCODED.fullmatch(line):
        return _look_at_code(line) if _SQUARE.search(line) else None
    ends = line.strip()
    if len(ends) > 1 and ends[0] == ends[-1] == "#":
        return Row.DAMAGED
    if "\t" in line and "#" in line and _ROW.fullmatch(line.replace("\t", "")):
        return Row.DAMAGED
    return Row.DAMAGED if _before_remark(line) else None


def without_html(line: str) -> list[str]:
    """The line as it is, or, if it is HTML that holds rows of walls, its lines without HTML."""
    if not _FOREIGN.search(line):
        return [line]
    text = _HTML_BLANK.sub(" ", _TAG.sub("", _LINE_BREAK.sub("\n", line)))
    lines = [part.rstrip() for part in text.strip("\n").split("\n")]
    is_row = ("#" in part and (_ROW.fullmatch(part) or _ENCODED.fullmatch(part)) for part in lines)
    return lines if any(is_row) else [line]


def looks_damaged(line: str) -> bool:
    """Whether a line that is no row was meant to be one that holds a player or a box."""
    row = "".join((_before_remark(line) or line).split())
    num_signs = sum(map(row.count, _SIGNS))
    is_row = _CONTENTS.search(row) is not None and 2 * num_signs >= len(row)
    return is_row and num_signs > 2 and _NO_SQUARE.search(line) is not None


def measure_rows(line: str) -> int:
    """The number of squares and bars that a line of rows stands for."""
    line = line.replace(_NO_BREAK, " ")
    return len(line) if _ROW.fullmatch(line) else measure(line)


def read_rows(line: str) -> list[str]:
    """The rows that a line stands for, without floor at their ends; a bar ends a row."""
    line = line.replace(_NO_BREAK, " ")
    if _ROW.fullmatch(line):
        return [line.rstrip(FLOOR)]
    rows = expand(line).split("|")
    if len(rows) > 1 and not rows[-1]:
        rows.pop()
    return [row.rstrip(FLOOR) for row in rows]


def is_of_stars(line: str) -> bool:
    """Whether a line has stars only: a row of boxes on goals, or a separator between boards."""
    return set(line.strip()) == {"*"}


def without_blank_ends(lines: Sequence[str]) -> list[str]:
    """The lines without empty ones before the first and after the last that is not."""
    written = [index for index, line in enumerate(lines) if line]
    return list(lines[written[0] : written[-1] + 1]) if written else []


def explain_damaged_row(line: str) -> Fault:
    """The message about what is first wrong in a line of rows, its column counted from 1."""
    if _ENCODED.fullmatch(line):
        try:
            measure(line)
        except ValueError as error:
            return Fault(str(error), "counts")
    strange = _NO_SQUARE.search(line)
    assert strange is not None
    return strange_square(strange[0], strange.start() + 1)


def strange_square(letter: str, column: int) -> Fault:
    """The fault of a letter that no square has, in a column counted from 1."""
    if letter == "\t":
        return Fault(f"column {column}: tab in a board row, use blanks", "tab", column=column)
    letter = letter if letter.isprintable() else f"U+{ord(letter):04X}"
    sentence = f"column {column}: {letter!r} is not a square"
    return Fault(sentence, "no-square", column=column, letter=letter)


def _before_remark(line: str) -> str:
    """The row from wall to wall with which a line begins, if words follow it that are no row."""
    squares = _ROW.match(line)
    row = squares[0][: squares[0].rfind("#") + 1].strip() if squares else ""
    if row.strip("#"):
        is_row = row.startswith("#") and (len(row) >= _LONG or _CONTENTS.search(row))
    else:
        is_row = len(row) > 1 and line[line.rindex("#") + 1 :].lstrip().startswith(_REMARKS)
    return row if is_row else ""


def _look_at_squares(row: str) -> Row | None:
    if "#" in row:
        return Row.WALLED
    inside = row.strip(FLOOR)
    if not inside:
        return Row.FLOOR
    if inside[0] in "*B" and inside[-1] in "*B" and not inside.isalpha():  # letters are words
        return Row.BOXED
    return Row.LOOSE if _LOOSE.issuperset(inside) else None


def _look_at_code(line: str) -> Row | None:
    try:
        measure(line)
    except ValueError:
        # No row is without these, so that "2004-05-12" and the like stay words beside a board.
        is_row = _ENDS_OF_ROWS.search(line) and not _NUMBERED.fullmatch(line.strip())
        return Row.BROKEN if is_row else None
    if "#" in line:
        return Row.WALLED
    # Each kind of row stands in the groups once, so their counts need not be written out.
    found = {_look_at_squares(row) for row in _CODE.sub("", line).split("|")}
    if found == {Row.FLOOR}:
        return Row.FLOOR
    return Row.BOXED if found <= {Row.FLOOR, Row.BOXED} else None
