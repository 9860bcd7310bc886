"""Level files of every format: which one a file has is seen in its first bytes and in its name."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from tokoban.sokoban.formats.boxoban import looks_like_boxoban, parse_boxoban
from tokoban.sokoban.formats.encodings import decode
from tokoban.sokoban.formats.faults import Fault
from tokoban.sokoban.formats.level import LevelFile, Problem
from tokoban.sokoban.formats.slc import looks_like_slc, parse_slc
from tokoban.sokoban.formats.text_reader import read_text


class Format(NamedTuple):
    """A format of level files."""

    suffixes: tuple[str, ...]  # of the names of such files, in lower case
    looks_like: Callable[[str], bool]  # whether a text begins so
    # Of the content, its text and the name in messages; None where it is of another format.
    read: Callable[[bytes | str, str, str], LevelFile | None]


def _read_slc(content: bytes | str, text: str, source: str) -> LevelFile:
    """A web page, or a text below a comment of HTML, may hold boards too."""
    found = parse_slc(content, source=source)
    if found.levels or "<SokobanLevels" in text:
        return found
    read = read_text(text, source)
    return read if read.levels else found


def _read_boxoban(_: bytes | str, text: str, source: str) -> LevelFile | None:
    """Others number their levels too, and may begin with a row of ten walls."""
    found = parse_boxoban(text, source=source)
    if found.problems and len(found.levels) <= len(found.problems):
        return None
    faults = [problem.message for problem in found.problems]
    if any(isinstance(fault, Fault) and fault.code == "no-square" for fault in faults):
        # Boxoban has no letter for a box on a goal; other files do.
        read = read_text(text, source)
        return read if len(read.levels) > len(found.levels) else found
    return found


# A file is read by the first that it looks like, else by its name, else as text, the last.
FORMATS = (
    Format((".slc",), looks_like_slc, _read_slc),
    Format((), looks_like_boxoban, _read_boxoban),
    Format(
        (".txt", ".xsb", ".sok"), lambda _: False, lambda _, text, source: read_text(text, source)
    ),
)
SUFFIXES = tuple(suffix for form in FORMATS for suffix in form.suffixes)


# What is read takes up to a hundred times the memory, and a device file may never end.
MAX_BYTES = 2**22
_LARGER = "larger than {:,} bytes"
_PACKED = b"\x1f\x8b", b"PK\x03\x04", b"7z\xbc\xaf\x27\x1c", b"Rar!"
_IS_PACKED = Fault("a compressed file; expected the level file that is in it", "packed")


def level_files(folder: Path) -> list[Path]:
    """The files below ``folder`` with a suffix of level files, in the order of their paths."""
    found = (path for path in folder.rglob("*") if path.suffix.lower() in SUFFIXES)
    return sorted(path for path in found if path.is_file())


def content_or_problem(file: Path) -> bytes | Problem:
    """The bytes of one of many files; what cannot be read does not stop the others."""
    try:
        return read_content(file)
    except ValueError:
        message = _LARGER.format(MAX_BYTES)
    except OSError as error:
        message = error.strerror or str(error)
    return Problem(message, str(file), 1)


def read_levels(path: str | Path, *, strict: bool = False) -> LevelFile:
    """The levels of the file ``path``, or of standard input for ``-``.

    XML is read as SLC, what is laid out like Boxoban as that, and any other text as boards with
    titles, notes and solutions (XSB, SOK), as ``FORMATS`` has it; ``encodings`` says how bytes
    become text. A bad level or solution is a problem and does not lose the others; if ``strict``,
    the first problem is raised as a ``ValueError`` instead. Where boards and moves come to more
    than ``budget.MAX_UNITS`` squares and moves, that is a problem too, and what follows is not
    read. Raises ``OSError`` if the file cannot be read and ``ValueError`` if it is larger than
    ``MAX_BYTES``.
    """
    source = "standard input" if str(path) == "-" else str(path)
    return parse_content(read_content(path), source=source, strict=strict)


def read_content(path: str | Path, *, max_bytes: int | None = None) -> bytes:
    """The bytes of the file ``path``, or of standard input for ``-``; raises as ``read_levels``.

    Without ``max_bytes`` they may be ``MAX_BYTES``.
    """
    max_bytes = MAX_BYTES if max_bytes is None else max_bytes
    if str(path) == "-":
        content = sys.stdin.buffer.read(max_bytes + 1)
    else:
        with open(path, "rb") as file:
            try:
                content = file.read(max_bytes + 1)
            except OSError as error:  # which names no file
                raise OSError(error.errno, error.strerror, str(path)) from None
    if len(content) > max_bytes:
        source = "standard input" if str(path) == "-" else path
        raise ValueError(f"{source}: {_LARGER.format(max_bytes)}")
    return content


def parse_content(
    content: bytes | str, *, source: str = "bytes", strict: bool = False
) -> LevelFile:
    """The levels in the bytes of a file that messages call ``source``; as ``read_levels``.

    Text has been decoded already, whatever encoding it declares.
    """
    if isinstance(content, bytes) and content.startswith(_PACKED):
        return _strictly(LevelFile((), (Problem(_IS_PACKED, source, 1),)), strict)
    text = content.removeprefix("\ufeff") if isinstance(content, str) else decode(content)
    named = [form for form in FORMATS if source.lower().endswith(form.suffixes)]
    alike = [form for form in FORMATS if form.looks_like(text)]
    for form in (*alike, *named, FORMATS[-1]):
        levels = form.read(content, text, source)
        if levels is not None:
            return _strictly(levels, strict)
    raise AssertionError("the last format reads any text")


def parse_levels(text: str, *, source: str = "text", strict: bool = False) -> LevelFile:
    """The levels in a text of boards; ``source`` is what messages call it, else ``read_levels``."""
    levels = read_text(text, source)
    return _strictly(levels, strict)


def _strictly(levels: LevelFile, strict: bool) -> LevelFile:
    if strict and levels.problems:
        raise ValueError(str(levels.problems[0]))
    return levels
