"""Run-length encoded lines: ``3r2U`` is ``rrrUU`` and ``2(3(ur)D)`` is ``urururDurururD``."""

import re

MAX_LENGTH = 1_000_000
MAX_DEPTH = 32
_TOO_LONG = f"expands to more than {MAX_LENGTH} characters"
_TOKEN = re.compile(r"([0-9]*)([^0-9]|\Z)")
_WITHOUT_CODE = re.compile(r"[^0-9()]*")
# A count for two of a kind would save nothing.
_WORTH_A_COUNT = re.compile(r"([^0-9])\1{2,}")


def measure(line: str) -> int:
    """The number of characters that ``line`` expands to, found without writing them.

    Raises ``ValueError`` saying what does not fit: brackets without partner, empty groups, counts
    of zero or of nothing, more than ``MAX_DEPTH`` groups in one another, more than ``MAX_LENGTH``
    characters before or after.
    """
    if len(line) > MAX_LENGTH:
        raise ValueError(_TOO_LONG)
    if _WITHOUT_CODE.fullmatch(line):
        return len(line)
    open_groups: list[tuple[int, int]] = []  # the count, and the length of what stood before "("
    length = 0
    for token in _TOKEN.finditer(line):
        digits, unit = token.groups()
        count, size = _parse_count(digits), len(unit)
        if unit == "(":
            if len(open_groups) == MAX_DEPTH:
                raise ValueError(f"nested deeper than {MAX_DEPTH}")
            open_groups.append((count, length))
            length = 0
            continue
        if unit in (")", "") and digits:
            raise ValueError(f"count {count} repeats nothing")
        if unit == ")":
            if not open_groups:
                raise ValueError('")" without "("')
            if not length:
                raise ValueError('empty group "()"')
            size = length
            count, length = open_groups.pop()
        length += count * size
        if length > MAX_LENGTH:
            raise ValueError(_TOO_LONG)
    if open_groups:
        raise ValueError('"(" without ")"')
    return length


def expand(line: str) -> str:
    """One line with every count and group written out; a line without them is its own expansion.

    A count repeats the next character or group. Raises ``ValueError`` as ``measure`` does.
    """
    measure(line)
    if _WITHOUT_CODE.fullmatch(line):
        return line
    open_groups: list[tuple[int, list[str]]] = []  # the count and what stood before each "("
    written: list[str] = []
    for token in _TOKEN.finditer(line):
        digits, unit = token.groups()
        count = _parse_count(digits)
        if unit == "(":
            open_groups.append((count, written))
            written = []
            continue
        if unit == ")":
            unit = "".join(written)
            count, written = open_groups.pop()
        written.append(unit * count)
    return "".join(written)


def encode(line: str) -> str:
    """The line with a count in place of three or more of a character in a row, without groups.

    ``expand`` takes it back; the line must hold no digits and no round brackets.
    """
    return _WORTH_A_COUNT.sub(lambda run: f"{len(run[0])}{run[1]}", line)


def _parse_count(digits: str) -> int:
    if not digits:
        return 1
    significant = digits.lstrip("0")
    if not significant:
        raise ValueError("count 0")
    # No count of more digits can stay within the limit, and int() refuses thousands of them.
    if len(significant) > len(str(MAX_LENGTH)):
        raise ValueError(_TOO_LONG)
    return int(significant)
