"""SLC, levels in XML: ``SokobanLevels`` with a ``LevelCollection`` of ``Level`` of rows ``L``.

Read by expat, which knows only the file it is given: a DTD is never fetched, and a file that
declares entities, which could make a few bytes into gigabytes, is refused.
"""

import re
from dataclasses import dataclass, field
from typing import NoReturn
from xml.parsers import expat

from tokoban.sokoban.formats.budget import OF_A_BOARD, Budget, TooMuchError, cost_of_author
from tokoban.sokoban.formats.encodings import decode, decode_latin_1, has_mark
from tokoban.sokoban.formats.faults import NO_BOARD, Fault
from tokoban.sokoban.formats.legality import find_fault, find_fault_in_rows
from tokoban.sokoban.formats.level import Level, LevelFile, Problem
from tokoban.sokoban.formats.rows import FLOOR, strange_square, without_blank_ends
from tokoban.sokoban.formats.text_lines import Kind, classify
from tokoban.sokoban.formats.xsb import SQUARES, parse_board

_ROOT = "SokobanLevels"
_BEGINNING = re.compile(r"\ufeff?\s*<(\?xml|!DOCTYPE|!--|SokobanLevels\b)", re.IGNORECASE)
_DECLARES_LATIN_1 = re.compile(
    rb"<\?xml[^>]*\sencoding\s*=\s*[\"'](iso-8859-1|latin-?1)[\"']", re.IGNORECASE
)
_MAX_DEPTH = 32  # of elements in one another, of which SLC needs four
# What a collection says of itself, as the pairs of a text file.
_ABOUT = {"Title": "Collection", "Email": "Email", "Url": "Url"}


@dataclass
class _LevelElement:
    """The parts of one ``Level`` element read so far."""

    attributes: dict[str, str]
    line: int
    rows: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)  # of the rows


def looks_like_slc(text: str) -> bool:
    """Whether this begins as XML does; a web page may do so too."""
    return _BEGINNING.match(text) is not None


def parse_slc(content: bytes | str, *, source: str = "bytes") -> LevelFile:
    """The levels of an SLC file, in the encoding that it declares; bad ones are problems.

    A byte order mark is believed rather than the declaration, and text is not decoded again.
    A level's title is its ``Id``, its author its ``Copyright`` or else the collection's.
    """
    return _Reader(source).read(content)


class _Reader:
    """One pass over the elements of a file."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.levels: list[Level] = []
        self.problems: list[Problem] = []
        self.warnings: list[Problem] = []
        self.about: dict[str, str] = {}  # the text of the elements above the collection
        self.author = ""
        self.num_levels = 0
        self.budget = Budget()
        self.open: list[str] = []  # the elements around the present place
        self.words: list[str] = []  # of the element that is read
        self.level: _LevelElement | None = None
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self.words.append
        self.parser.EntityDeclHandler = _refuse_entities
        self.parser.SkippedEntityHandler = _refuse_unknown_entity

    def read(self, content: bytes | str) -> LevelFile:
        if isinstance(content, str):
            content = content.removeprefix("\ufeff")
        elif has_mark(content):
            content = decode(content)
        elif _DECLARES_LATIN_1.match(content):
            content = decode_latin_1(content)
        try:
            # Of text, expat ignores the declaration.
            self.parser.Parse(content, True)
        except expat.ExpatError as error:
            reason = expat.ErrorString(error.code)
            self._report(_not_xml(reason), error.lineno, of_level=False)
        except TooMuchError as error:
            self._report(error.fault, of_level=True)
        # Python's own decoders, which serve the encodings that expat does not know.
        except (LookupError, UnicodeError) as error:
            self._report(_not_xml(str(error)), of_level=False)
        except ValueError as error:
            (fault,) = error.args
            self._report(fault if isinstance(fault, Fault) else Fault(fault, "not-xml"))
        if not self.levels and not self.problems:
            self._report(NO_BOARD, 1)
        warnings = tuple(self.warnings)
        return LevelFile(tuple(self.levels), tuple(self.problems), self._notes(), warnings)

    def _report(self, message: str, line: int | None = None, *, of_level: bool = False) -> None:
        self.problems.append(self._problem(message, line, of_level=of_level))

    def _problem(self, message: str, line: int | None, *, of_level: bool) -> Problem:
        number, title = 0, ""
        if of_level and self.level:
            number, title = self.num_levels, _in_one_line(self.level.attributes.get("Id", ""))
        line = self.parser.CurrentLineNumber if line is None else line
        return Problem(message, self.source, line, number, title)

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if not self.open and name != _ROOT:
            raise ValueError(_not_slc(f"root element is <{name[:60]}>, not <{_ROOT}>"))
        self.open.append(name)
        if len(self.open) > _MAX_DEPTH:
            raise ValueError(_not_slc(f"elements nested deeper than {_MAX_DEPTH}"))
        # In place, for the parser holds on to this list.
        self.words.clear()
        if name == "LevelCollection":
            self.author = _in_one_line(attributes.get("Copyright", ""))
        elif name == "Level" and not self.level:
            self.num_levels += 1
            self.level = _LevelElement(attributes, self.parser.CurrentLineNumber)
        elif name == "L" and self.level:
            if len(self.level.lines) > len(self.level.rows):
                raise ValueError(_not_slc("a row <L> stands inside another one"))
            self.level.lines.append(self.parser.CurrentLineNumber)

    def _end(self, name: str) -> None:
        self.open.pop()
        if name == "L" and self.level:
            self.level.rows.append("".join(self.words))
        elif name == "Level" and self.level and name not in self.open:
            self._finish_level(self.level)
            self.level = None
        elif self.open == [_ROOT]:
            self.about.setdefault(name, "".join(self.words))
        self.words.clear()

    def _finish_level(self, level: _LevelElement) -> None:
        width = max(map(len, level.rows), default=0)
        self.budget.spend(OF_A_BOARD + len(level.rows) * width + cost_of_author(self.author))
        for line, row in zip(level.lines, level.rows, strict=True):
            if fault := _find_strange_square(row):
                self._report(fault, line, of_level=True)
                return
        self._check_size(level)
        rows = without_blank_ends([row.rstrip(FLOOR) for row in level.rows])
        line = level.lines[0] if level.lines else level.line
        fault = find_fault_in_rows(rows)
        if not fault:
            board = parse_board("\n".join(rows))
            fault = find_fault(board)
        if fault:
            self._report(fault, line, of_level=True)
            return
        title = _in_one_line(level.attributes.get("Id", ""))
        author = _in_one_line(level.attributes.get("Copyright", "")) or self.author
        self.levels.append(
            Level(board, title, author, source=self.source, line=line, number=self.num_levels)
        )

    def _check_size(self, level: _LevelElement) -> None:
        sizes = {"Width": max(map(len, level.rows), default=0), "Height": len(level.rows)}
        for name, size in sizes.items():
            said = level.attributes.get(name, str(size))
            if said.strip() != str(size):
                are = "rows are {} wide" if name == "Width" else "rows are {}"
                warning = f"{name} is {said[:20]} but the {are.format(size)}"
                self.warnings.append(self._problem(warning, level.line, of_level=True))

    def _notes(self) -> tuple[str, ...]:
        """The file's description of itself, as notes that a text file can hold."""
        pairs = [
            f"{key}: {value}"
            for name, key in _ABOUT.items()
            if (value := _in_one_line(self.about.get(name, "")))
        ]
        pairs += [f"Author: {self.author}"] if self.author else []
        lines = [line.rstrip() for line in self.about.get("Description", "").splitlines()]
        description = without_blank_ends(lines)
        # In a text file, rows and pairs among the words would mean something.
        notes = [
            line if kind in (Kind.BLANK, Kind.TEXT) else f"; {line}"
            for line, kind in zip(description, classify(description), strict=True)
        ]
        return (*pairs, *([""] if pairs and notes else []), *notes)


def _find_strange_square(row: str) -> Fault | None:
    strange = next((letter for letter in row if letter not in SQUARES), None)
    if strange is None:
        return None
    return strange_square(strange, row.index(strange) + 1)


def _not_xml(reason: str) -> Fault:
    return Fault(f"not XML: {reason}", "not-xml")


def _not_slc(reason: str) -> Fault:
    return Fault(reason, "not-slc")


def _in_one_line(words: str) -> str:
    return " ".join(words.split())


def _refuse_entities(*declaration: object) -> NoReturn:
    raise ValueError(_not_slc("entity declarations are refused"))


def _refuse_unknown_entity(name: str, is_parameter_entity: int) -> None:
    if not is_parameter_entity:
        raise ValueError(_not_xml(f"undefined entity &{name[:60]};"))
