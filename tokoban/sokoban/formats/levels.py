"""Files of levels: boards in text, with titles, notes and solutions.

``Title:`` pairs, title lines and ``;`` comments all name levels; the first of these wins.
"""

import codecs
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tokoban.sokoban.board import Board
from tokoban.sokoban.formats import lurd
from tokoban.sokoban.formats.legality import find_fault, find_fault_in_rows
from tokoban.sokoban.formats.level import Level, LevelFile, Problem, Solution
from tokoban.sokoban.formats.text_lines import (
    BLANKS,
    Kind,
    classify,
    explain_damaged_row,
    is_solution_title,
    read_pair,
    runs,
    split_lines,
)
from tokoban.sokoban.formats.xsb import parse_board

_ROWS = (Kind.BOARD, Kind.DAMAGED_ROW)
_MOVES = (Kind.MOVES, Kind.DAMAGED_MOVES)
# A title stands apart from what is above it if that is one of these.
_BESIDES = BLANKS | {Kind.COMMENT, Kind.RAW_COMMENT, Kind.RULER}


def read_levels(path: str | Path, *, strict: bool = False) -> LevelFile:
    """The levels of the file ``path``, or of standard input for ``-``.

    A bad level or solution is a problem and does not lose the others; if ``strict``, the first
    problem is raised as a ``ValueError`` instead. Raises ``OSError`` if the file cannot be read.
    """
    if str(path) == "-":
        return parse_levels(decode(sys.stdin.buffer.read()), source="standard input", strict=strict)
    return parse_levels(decode(Path(path).read_bytes()), source=str(path), strict=strict)


def decode(content: bytes) -> str:
    """UTF-8 with or without byte order mark, and Latin-1 where it is no UTF-8."""
    content = content.removeprefix(codecs.BOM_UTF8)
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return content.decode("latin-1")


def parse_levels(text: str, *, source: str = "text", strict: bool = False) -> LevelFile:
    """The levels in ``text``; ``source`` is what messages call it, otherwise as ``read_levels``."""
    levels = _Reader(text, source).read()
    if strict and levels.problems:
        raise ValueError(str(levels.problems[0]))
    return levels


@dataclass(frozen=True)
class _Place:
    """The lines ``[start, end)`` below a board or below moves, up to the next of them."""

    start: int
    end: int
    solution: Solution | None = None  # the moves above it, if they solve the level
    fault: tuple[int, str] | None = None  # or the line of the moves above it and why they do not


@dataclass(frozen=True)
class _Names:
    """What names a level above its board."""

    text: str = ""  # a line of text
    comment: str = ""  # "; name"


class _Reader:
    """One pass over a text, from board to board."""

    def __init__(self, text: str, source: str) -> None:
        self.source = source
        self.lines = split_lines(text)
        self.kinds = classify(self.lines)
        self.problems: list[Problem] = []
        self.taken: set[int] = set()  # the lines that became a title or an author: no more notes

    def read(self) -> LevelFile:
        boards = list(runs([kind in _ROWS for kind in self.kinds]))
        self._report_faults_of_the_file(has_board=bool(boards))
        starts = [*(start for start, _ in boards), len(self.lines)]
        header = _Place(0, starts[0])
        author = next((author for _, author in self._pairs(Kind.AUTHOR, header)), "")
        names = self._take_names(header) if boards else _Names()
        levels = []
        for number, (start, end) in enumerate(boards, 1):
            board, fault = self._read_board(start, end)
            places = self._split(board, _Place(end, starts[number]))
            # These belong to the next board, and must be taken before the rest becomes notes.
            next_names = self._take_names(places[-1]) if number < len(boards) else _Names()
            title, other_names = self._take_title(number, names, places[0])
            for line, message in filter(None, [fault, *(place.fault for place in places)]):
                self._report(line, message, level=number, title=title)
            if board:
                level = Level(
                    board,
                    title,
                    self._take_author(places[0], default=author),
                    notes=(*other_names, *self._notes(places[0])),
                    solutions=tuple(self._solutions(places)),
                    source=self.source,
                    line=start + 1,
                )
                levels.append(level)
            names = next_names
        problems = sorted(self.problems, key=lambda problem: problem.line)
        return LevelFile(tuple(levels), tuple(problems), self._notes(header))

    def _report(self, line: int, message: str, *, level: int = 0, title: str = "") -> None:
        self.problems.append(Problem(message, self.source, line + 1, level, title))

    def _report_faults_of_the_file(self, *, has_board: bool) -> None:
        for index, line in enumerate(self.lines):
            if "\0" in line:
                self._report(index, "NUL character: this is no text in UTF-8 or Latin-1")
                break
        if not has_board:
            self._report(0, "no board found (expected rows of # @ + $ * . and floor)")
        if Kind.UNCLOSED_BLOCK in self.kinds:
            opened = self.kinds.index(Kind.UNCLOSED_BLOCK)
            self._report(opened, "comment block opened here is never closed")

    def _read_board(self, start: int, end: int) -> tuple[Board | None, tuple[int, str] | None]:
        """The board in these lines, or the line and the reason why there is none."""
        for index in range(start, end):
            if self.kinds[index] is Kind.DAMAGED_ROW:
                return None, (index, explain_damaged_row(self.lines[index]))
        rows = self.lines[start:end]
        if fault := find_fault_in_rows(rows):
            return None, (start, fault)
        board = parse_board("\n".join(rows))
        if fault := find_fault(board):
            return None, (start, fault)
        return board, None

    def _split(self, board: Board | None, below: _Place) -> list[_Place]:
        """The place below ``board``, cut at each block of moves that solves it or promises to.

        Other moves may be words ("dull"), or a game that was saved half-way: they stay notes.
        """
        places = [below]
        texts: list[int] = []  # since the last cut
        index = below.start
        while board and index < below.end:
            start, index = index, index + 1
            if self.kinds[start] not in _MOVES:
                texts += [start] * (self.kinds[start] is Kind.TEXT)
                continue
            while index < below.end and self.kinds[index] in _MOVES:
                index += 1
            title_line = self._title_line(texts)
            cut = self._read_moves(board, _Place(start, index), title_line)
            if cut is None:
                texts += range(start, index)
                continue
            places[-1] = replace(places[-1], end=start)
            places.append(replace(cut, start=index, end=below.end))
            self.taken.update([] if title_line is None else [title_line])
            texts = []
        return places

    def _read_moves(self, board: Board, block: _Place, title_line: int | None) -> _Place | None:
        """The block with the solution it is, or with its fault; ``None`` if it is mere text."""
        title = "" if title_line is None else self.lines[title_line].strip()
        try:
            played = lurd.replay(board, "\n".join(self.lines[block.start : block.end]))
        except ValueError as error:
            fault: str | None = str(error)
        else:
            fault = played.reason or _explain_unsolved(played)
        if fault:
            return replace(block, fault=(block.start, fault)) if is_solution_title(title) else None
        moves = lurd.parse(played.lurd)
        return replace(block, solution=Solution(moves, title or "Solution", line=block.start + 1))

    def _take_names(self, place: _Place) -> _Names:
        """The names of the board below this place."""
        comment = self._comment_above(place)
        texts = [
            index
            for index in range(place.start, place.end)
            if self.kinds[index] in (Kind.TEXT, *_MOVES)
        ]
        text = self._title_line(texts, may_be=(Kind.TEXT, *_MOVES))
        # Words parted by a blank line from the comment that names the board are notes.
        if None not in (text, comment) and BLANKS.intersection(self.kinds[text:comment]):
            text = None
        self.taken.update(index for index in (text, comment) if index is not None)
        return _Names(
            text="" if text is None else unquote(self.lines[text]),
            comment="" if comment is None else self._comment_name(comment),
        )

    def _title_line(
        self, texts: Sequence[int], *, may_be: tuple[Kind, ...] = (Kind.TEXT,)
    ) -> int | None:
        """Which of the lines of text above a block is its title, or ``None``.

        It is the last one, if it stands apart or is the only one.
        """
        if not texts or self.kinds[texts[-1]] not in may_be:
            return None
        is_apart = len(texts) == 1 or self.kinds[texts[-1] - 1] in _BESIDES
        return texts[-1] if is_apart else None

    def _comment_above(self, place: _Place) -> int | None:
        """The comment that names the board below: nothing but blank lines may be between them."""
        index = place.end - 1
        while index > place.start and self.kinds[index] in BLANKS:
            index -= 1
        is_under_a_board = index > 0 and self.kinds[index - 1] in _ROWS and index + 1 < place.end
        if index < place.start or is_under_a_board or not self._comment_name(index):
            return None
        return index

    def _comment_name(self, index: int) -> str:
        """What a line ``; name`` names; empty for other lines, and for lines drawn in comments."""
        name = self.lines[index].strip().lstrip(";")
        is_name = self.kinds[index] is Kind.COMMENT and any(map(str.isalnum, name))
        return unquote(name) if is_name else ""

    def _take_title(self, number: int, names: _Names, below: _Place) -> tuple[str, tuple[str, ...]]:
        """The title of a level, and as notes the names that it lost to."""
        text = "" if names.text == f"Level {number}" else names.text
        title = text or names.comment
        for line, paired in self._pairs(Kind.TITLE, below):
            if paired:
                title = paired
                self.taken.add(line)
                break
        under = below.start
        if not title and under < below.end and under not in self.taken:
            title = self._comment_name(under)
            self.taken.update([under] if title else [])
        lost = (name for name in (text, names.comment) if name not in ("", title))
        return title, tuple(f"; {name}" for name in lost)

    def _take_author(self, below: _Place, *, default: str) -> str:
        for line, author in self._pairs(Kind.AUTHOR, below):
            self.taken.add(line)
            return author
        return default

    def _pairs(self, kind: Kind, place: _Place) -> Iterator[tuple[int, str]]:
        """The lines and the values of the pairs of this kind."""
        for index in range(place.start, place.end):
            if self.kinds[index] is kind:
                yield index, read_pair(self.lines[index])[1]

    def _notes(self, place: _Place) -> tuple[str, ...]:
        """The lines of a place that nothing else has taken, without blank ones at either end."""
        notes = [
            "" if index in self.taken else self.lines[index]
            for index in range(place.start, place.end)
            if self.kinds[index] is not Kind.UNCLOSED_BLOCK
        ]
        while notes and not notes[-1]:
            notes.pop()
        start = next((index for index, note in enumerate(notes) if note), 0)
        return tuple(notes[start:])

    def _solutions(self, places: Sequence[_Place]) -> Iterator[Solution]:
        for place in places:
            if place.solution:
                yield replace(place.solution, notes=self._notes(place))


def _explain_unsolved(played: lurd.Replay) -> str | None:
    if played.is_solved:
        return None
    num_on_goals = len(played.board.boxes & played.board.goals)
    boxes = f"{num_on_goals} of {len(played.board.boxes)} boxes on goals"
    return f"not solved: {boxes} after {played.moves} moves"


def unquote(name: str) -> str:
    """``name`` without the quotes in ``'name'`` or ``12 'name'``."""
    name = name.strip()
    quote = name[-1:]
    start = name.find(quote) if quote in ("'", '"') else -1
    before, inside = name[:start], name[start + 1 : -1]
    if start < 0 or not inside.strip() or any(map(str.isalpha, before)):
        return name
    return before + inside.strip()
