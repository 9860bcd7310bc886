"""The texts that a command reads: its arguments, or the lines of standard input."""

import codecs
import itertools
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

Line = TypeVar("Line", str, str | None)

_MOST_CHARACTERS = 2**22  # of a block, and then some of its last line
_MOST_LINE_BYTES = 2**20  # a stream without line breaks would fill the memory
_UTF_16 = codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE
_GZIP = b"\x1f\x8b"  # the first bytes of what it compressed


def lines_of(
    texts: Sequence[str], noun: str, *, on_refused: Callable[[str], None]
) -> Iterator[str | None]:
    """The texts given; for ``-``, and where there is none, the lines of standard input.

    On a terminal it asks for one ``noun`` a line. None stands for a line that is not UTF-8, after
    ``on_refused`` was called with a sentence; ``ValueError`` if all of it is compressed or UTF-16.
    """
    for number, text in enumerate(texts or ["-"], start=1):
        if text == "-":
            yield from _standard_input(noun, on_refused)
            continue
        try:
            text.encode()
        except UnicodeEncodeError:  # bytes of the command line that are no text
            on_refused(f"{noun} {number} of the command line: not UTF-8")
            yield None
            continue
        if os.path.isfile(text):
            told = f"{text}: taken as a {noun}; its lines are read by: < {text}"
            print(f"tokoban: {told}", file=sys.stderr)
        yield text


def blocks_of(lines: Iterator[Line], size: int) -> Iterator[list[Line]]:
    """At most ``size`` lines at a time, of so many characters that memory suffices.

    Where one cannot be read, those before it come first.
    """
    while True:
        block: list[Line] = []
        num_left = _MOST_CHARACTERS
        try:
            for line in itertools.islice(lines, size):
                block.append(line)
                num_left -= len(line or "")
                if num_left <= 0:
                    break
        except ValueError:
            if block:
                yield block
            raise
        if not block:
            return
        yield block


def are_typed(texts: Sequence[str]) -> bool:
    """Whether some of the lines come from a keyboard, where each wants its answer at once."""
    return "-" in (texts or ["-"]) and sys.stdin.isatty()


def _standard_input(noun: str, on_refused: Callable[[str], None]) -> Iterator[str | None]:
    if sys.stdin.isatty():
        print(f"a {noun} a line, please; Ctrl-D ends", file=sys.stderr)
    lines = iter(lambda: sys.stdin.buffer.readline(_MOST_LINE_BYTES + 1), b"")
    for number, line in enumerate(lines, start=1):
        if len(line) > _MOST_LINE_BYTES:
            raise ValueError(
                f"standard input, line {number}: more than {_MOST_LINE_BYTES:,} bytes; expected a "
                f"{noun} a line"
            )
        try:
            yield line.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
        except UnicodeDecodeError:
            hint = "; `iconv -f WINDOWS-1252 -t UTF-8` converts text of older programs"
            if is_gzip := number == 1 and line.startswith(_GZIP):
                hint = " but gzip: zcat FILE | tokoban ..."
            if is_utf_16 := number == 1 and line.startswith(_UTF_16):
                hint = " but UTF-16, which `iconv -f UTF-16 -t UTF-8` converts"
            sentence = f"standard input, line {number}: not UTF-8{hint}"
            if is_gzip or is_utf_16:
                raise ValueError(sentence) from None
            on_refused(sentence)
            yield None
