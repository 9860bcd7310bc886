"""Run-length encoded lines: ``3r2U`` is ``rrrUU`` and ``2(3(ur)D)`` is ``urururDurururD``."""

import re

MAX_LENGTH = 1_000_000
MAX_DEPTH = 32
_TOO_LONG = f"expands to more than {MAX_LENGTH} characters"
_TOKEN = re.compile(r"([0-9]*)([^0-9]|\Z)")
_WITHOUT_CODE = re.compile(r"[^0-9()]*")


def expand(line: str) -> str:
    """One line with every count and group written out; a line without them is its own expansion.

    A count repeats the next character or group. Raises ``ValueError`` saying what does not fit:
    brackets without partner, empty groups, counts of zero or of nothing, more than ``MAX_DEPTH``
    groups in one another, more than ``MAX_LENGTH`` characters before or after.
    """
    if len(line) > MAX_LENGTH:
        raise ValueError(_TOO_LONG)
    if _WITHOUT_CODE.fullmatch(line):
        return line
    open_groups: list[tuple[int, list[str]]] = []  # the count and what stood before each "("
    written: list[str] = []
    num_written = 0  # in all open groups together
    for token in _TOKEN.finditer(line):
        digits, unit = token.groups()
        count = _parse_count(digits)
        if unit == "(":
            if len(open_groups) == MAX_DEPTH:
                raise ValueError(f"nested deeper than {MAX_DEPTH}")
            open_groups.append((count, written))
            written = []
            continue
        if unit in (")", "") and digits:
            raise ValueError(f"count {count} repeats nothing")
        if unit == ")":
            if not open_groups:
                raise ValueError('")" without "("')
            unit = "".join(written)
            if not unit:
                raise ValueError('empty group "()"')
            num_written -= len(unit)
            count, written = open_groups.pop()
        num_written += count * len(unit)
        if num_written > MAX_LENGTH:
            raise ValueError(_TOO_LONG)
        written.append(unit * count)
    if open_groups:
        raise ValueError('"(" without ")"')
    return "".join(written)


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
