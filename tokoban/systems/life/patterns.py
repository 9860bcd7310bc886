"""Pattern files as Life's players exchange them: run-length encoded (RLE) and plaintext.

https://conwaylife.com/wiki/Run_Length_Encoded and https://conwaylife.com/wiki/Plaintext.
Axes: H rows, W columns.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Bool
from torch import Tensor

from tokoban.systems.life.rules import Rule, parse_rule

MOST_BYTES = 2**20  # of a file; as plaintext this would be a pattern of 1,024 x 1,023
LARGEST_SIDE = 4096  # of a pattern that is read: a small file can name any size

_HEADER = re.compile(r"x\s*=\s*(\d+)\s*,\s*y\s*=\s*(\d+)\s*(?:,\s*rule\s*=\s*(\S+)\s*)?", re.I)
_LONGEST_LINE = 70  # of RLE that is written, as the format asks


@dataclass(frozen=True)
class Pattern:
    """Cells in a rectangle, and the rule that the file names, if any."""

    cells: Bool[Tensor, "H W"]
    rule: Rule | None = None


def read_pattern(text: str, *, source: str) -> Pattern:
    """The pattern of an RLE or a plaintext file; ``source`` names it in messages.

    It is RLE if its first line, comments aside, is like ``x = 3, y = 3``. ``ValueError`` names the
    line and the fault.
    """
    lines = [line.strip() for line in text.removeprefix("\ufeff").splitlines()]
    first = next(
        (n for n, line in enumerate(lines) if line and not line.startswith(("#", "!"))), None
    )
    if first is None:
        raise ValueError(f"{source}: no pattern; expected RLE or plaintext")
    if re.match(r"x\s*=", lines[first], re.I):
        return _read_rle(lines, first, source)
    return _read_plaintext(lines, source)


def read_pattern_file(path: str) -> Pattern:
    """The pattern of a file, which may be a pipe without end."""
    with Path(path).open("rb") as file:
        content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise ValueError(f"{path}: expected a pattern of at most {MOST_BYTES:,} bytes, got more")
    try:
        return read_pattern(content.decode("utf-8"), source=path)
    except UnicodeDecodeError:
        raise ValueError(f"{path}: not a text in UTF-8") from None


def place(pattern: Pattern, *, side: int, source: str) -> Bool[Tensor, "H W"]:
    """A torus of ``side`` with the pattern in its middle; ``ValueError`` if it is larger."""
    rows, columns = pattern.cells.shape
    if max(rows, columns) > side:
        raise ValueError(
            f"{source}: a pattern of {columns} x {rows} is larger than the torus of {side} x {side}"
        )
    grid = torch.zeros(side, side, dtype=torch.bool)
    top, left = (side - rows) // 2, (side - columns) // 2
    grid[top : top + rows, left : left + columns] = pattern.cells
    return grid


def to_rle(cells: Bool[Tensor, "H W"], rule: Rule) -> str:
    """The text of an RLE file; dead cells at a row's end and rows at the end are left out."""
    rows, columns = cells.shape
    tokens: list[str] = []
    num_ends = 0  # of rows, not written yet
    for row in cells.tolist():
        runs = [(is_alive, len(list(run))) for is_alive, run in groupby(row)]
        if not runs[-1][0]:
            runs.pop()
        if runs and num_ends:
            tokens.append(_run(num_ends, "$"))
            num_ends = 0
        tokens += [_run(length, "o" if is_alive else "b") for is_alive, length in runs]
        num_ends += 1
    lines = [""]
    for token in [*tokens, "!"]:
        if len(lines[-1]) + len(token) > _LONGEST_LINE:
            lines.append("")
        lines[-1] += token
    return "\n".join([f"x = {columns}, y = {rows}, rule = {rule}", *lines]) + "\n"


def to_plaintext(cells: Bool[Tensor, "H W"]) -> str:
    """The text of a plaintext file, without comments: ``.`` is dead and ``O`` alive."""
    return "".join(
        "".join("O" if is_alive else "." for is_alive in row) + "\n" for row in cells.tolist()
    )


def _run(length: int, letter: str) -> str:
    return letter if length == 1 else f"{length}{letter}"


def _read_rle(lines: list[str], first: int, source: str) -> Pattern:
    header = _HEADER.fullmatch(lines[first])
    if header is None:
        raise ValueError(
            f"{source}, line {first + 1}: expected x = COLUMNS, y = ROWS[, rule = RULE], "
            f"got {lines[first][:60]!r}"
        )
    columns, rows = _number(header[1]), _number(header[2])
    _check_size(rows, columns, source)
    try:
        # Golly writes the torus behind a colon: B3/S23:T16,16.
        rule = parse_rule(header[3].partition(":")[0]) if header[3] else None
    except ValueError as error:
        raise ValueError(f"{source}, line {first + 1}: {error}") from None
    cells = np.zeros((rows, columns), dtype=np.bool_)  # a slice costs a tenth of a tensor's
    row = column = 0
    for number, count, letter in _tokens(lines, first + 1, source):
        if letter == "!":
            return Pattern(torch.from_numpy(cells), rule)
        if letter == "$":
            row, column = row + count, 0
            continue
        if row >= rows or column + count > columns:
            raise ValueError(
                f"{source}, line {number}: cells outside the {columns} x {rows} of the header"
            )
        if letter in "oO":
            cells[row, column : column + count] = True
        column += count
    raise ValueError(f"{source}: the pattern has no end; expected a !")


def _tokens(lines: list[str], start: int, source: str) -> Iterator[tuple[int, int, str]]:
    """The line's number, the count and the letter of each run; a count may end its line."""
    digits = ""
    for number, line in enumerate(lines[start:], start=start + 1):
        if line.startswith("#"):
            continue
        for char in line:
            if char.isascii() and char.isdigit():
                digits += char
            elif char in "bBoO$!" and (count := _number(digits or "1")):
                yield number, count, char
                digits = ""
            elif not char.isspace():
                raise ValueError(
                    f"{source}, line {number}: unexpected {digits + char!r}; "
                    "expected b, o, $ or !, with a count before it or not"
                )


def _number(digits: str) -> int:
    """Their number; one too large for any pattern, cut to nine digits: Python reads up to 4,300."""
    return int(digits.lstrip("0")[:9] or 0)


def _read_plaintext(lines: list[str], source: str) -> Pattern:
    found: list[str] = []
    for number, line in enumerate(lines, start=1):
        if line.startswith("!"):
            continue
        if strange := line.strip(".oO*"):
            raise ValueError(
                f"{source}, line {number}: unexpected {strange[0]!r}; "
                "expected . for a dead cell and O for a living one"
            )
        found.append(line)
    while found and not found[-1]:
        found.pop()
    columns = max(map(len, found))
    _check_size(len(found), columns, source)
    # A row may stop where its last living cell is.
    return Pattern(
        torch.tensor([[cell in "oO*" for cell in row.ljust(columns, ".")] for row in found])
    )


def _check_size(rows: int, columns: int, source: str) -> None:
    if not 1 <= min(rows, columns) <= max(rows, columns) <= LARGEST_SIDE:
        raise ValueError(
            f"{source}: a pattern of {columns} x {rows}; expected sides from 1 to {LARGEST_SIDE}"
        )
