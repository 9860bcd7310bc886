"""A level file takes less than a gigabyte to read, whatever is in it.

At one 500th of the limits it takes less than one 500th of that.
"""

import tracemalloc

import pytest

from tokoban.sokoban.formats import budget
from tokoban.sokoban.formats.levels import MAX_BYTES, parse_content

SCALE = 500
SMALL = "#####\n#@$.#\n#####\n\n"
WIDE = "#" * 64 + "\n"
BOXES = "#@" + ".$" * 30 + "##\n" + ("#" + "$." * 31 + "#\n") * 20
TEN = "##########\n#@$.######\n" + "##########\n" * 8 + "\n"
# What the file begins with, and what is repeated up to the largest size.
CONTENTS = {
    "small levels": ("", SMALL),
    "small levels in code": ("", "5#|#@$.#|5#\n\n"),
    "small levels with solutions": ("", f"{SMALL}Solution\nR\n\n"),
    "invalid levels": ("", "#@#\n\n"),
    "walls": ("", f"{WIDE}#@$.{'#' * 60}\n{WIDE * 20}\n"),
    "walls in code": ("", "64#|#@$.60#|20(64#|)64#\n\n"),
    "boxes": ("", f"{WIDE}{BOXES}{WIDE}\n"),
    "Boxoban": (f"; 0\n{TEN}", f"; 1\n{TEN}"),
    "almost Boxoban": (f"; 0\n{TEN}", "x\n\n"),
    "saved games": ("######\n#@ $.#\n######\n\n", "r\n\n"),
    "headings": (SMALL, "Solution\n\n"),
    "lines": ("", "a\n"),
    "a wide letter": ("\U0001f600\n", SMALL),
    "SLC": ("<SokobanLevels><LevelCollection>", "<Level Id='a'><L>###</L><L>#@#</L></Level>"),
}


@pytest.mark.parametrize("name", CONTENTS)
def test_reading_takes_less_than_a_gigabyte(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "MAX_UNITS", budget.MAX_UNITS // SCALE)
    beginning, repeated = CONTENTS[name]
    length = MAX_BYTES // SCALE
    content = (beginning + repeated * (length // len(repeated) + 1)).encode()[:length]
    parse_content((beginning + repeated).encode())  # what is kept for all files
    tracemalloc.start()
    read = parse_content(content)
    _, most_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert read.levels or read.problems
    assert most_bytes < 10**9 / SCALE
