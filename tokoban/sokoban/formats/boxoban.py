"""Boxoban text: numbered levels of ten rows by ten squares, a thousand to a file.

``text_reader`` reads these files too. This reader knows how many rows and columns there must be, so
that it says which row is short where the other can only say that the walls are open. ``packed``
reads them by the thousand.
"""

import re
from collections.abc import Iterable

from tokoban.sokoban.board import Board
from tokoban.sokoban.formats.budget import OF_A_PROBLEM, Budget, TooMuchError
from tokoban.sokoban.formats.faults import Fault
from tokoban.sokoban.formats.legality import find_fault, find_fault_in_rows
from tokoban.sokoban.formats.level import Level, LevelFile, Problem
from tokoban.sokoban.formats.rows import strange_square
from tokoban.sokoban.formats.text_lines import runs
from tokoban.sokoban.formats.xsb import format_board, parse_board

SIDE = 10
_NUMBER = re.compile(r"; ([0-9]{1,9})")
_BEGINNING = re.compile(r"; 0\r?\n#{10}\r?\n")
_NO_SQUARE = re.compile(r"[^#@$. ]")
_OF_A_LEVEL = 50  # units of the file's budget: ten lines in a fixed layout are quickly read


def looks_like_boxoban(text: str) -> bool:
    """Whether the text begins as these files do; files of other formats may do so too."""
    return _BEGINNING.match(text) is not None


def parse_boxoban(text: str, *, source: str = "text") -> LevelFile:
    """The levels of a Boxoban file, with their numbers as titles; bad ones are problems."""
    lines = text.replace("\r\n", "\n").split("\n")
    levels: list[Level] = []
    problems: list[Problem] = []
    budget, fault = Budget(), None
    for count, (start, end) in enumerate(runs([bool(line) for line in lines]), 1):
        try:
            budget.spend(_OF_A_LEVEL + OF_A_PROBLEM * bool(fault))
        except TooMuchError as error:
            problems.append(Problem(error.fault, source, start + 1, count))
            break
        header = _NUMBER.fullmatch(lines[start])
        title, rows = header[1] if header else "", lines[start + 1 : end]
        row, fault = _find_fault(rows)
        if not header:
            row, fault = 0, _misshapen(f'{lines[start][:20]!r} is not "; " and a number')
        if not fault:
            board = parse_board("\n".join(rows))
            row, fault = 1, find_fault(board)
        if fault:
            problems.append(Problem(fault, source, start + 1 + row, count, title))
        else:
            levels.append(Level(board, title, source=source, line=start + 2, number=count))
    if not levels and not problems:
        problems.append(Problem("no board found (expected Boxoban levels)", source, 1))
    return LevelFile(tuple(levels), tuple(problems))


def write_boxoban(boards: Iterable[Board]) -> str:
    """The text of a Boxoban file, its levels numbered from 0.

    Raises ``ValueError`` for a board that is no level of ten rows by ten, or that has a box or the
    player on a goal, for which Boxoban has no letter.
    """
    levels = []
    for number, board in enumerate(boards):
        fault: str | None = find_fault(board)
        if (board.height, board.width) != (SIDE, SIDE):
            fault = f"board of {board.height}x{board.width} squares, not {SIDE}x{SIDE}"
        elif board.goals & {*board.boxes, board.player}:
            fault = "a box or the player on a goal, for which Boxoban has no letter"
        if fault:
            raise ValueError(f"level {number + 1}: {fault}")
        levels.append(f"; {number}\n{format_board(board)}\n\n")
    return "".join(levels)


def _find_fault(rows: list[str]) -> tuple[int, Fault | None]:
    """The row, from 1, and what is wrong there; row 0 stands for the line above them."""
    for row, line in enumerate(rows, 1):
        if strange := _NO_SQUARE.search(line):
            return row, strange_square(strange[0], strange.start() + 1)
        if len(line) != SIDE:
            return row, _misshapen(f"row {row} has {len(line)} characters, not {SIDE}")
    if len(rows) != SIDE:
        return 0, _misshapen(f"{len(rows)} rows, not {SIDE}")
    return 1, find_fault_in_rows(rows)


def _misshapen(sentence: str) -> Fault:
    return Fault(sentence, "not-boxoban")
