"""Damaged, hostile and endless files: each is read or told, soon, and what was read is writable."""

import random
import time

import pytest

from benchmarks.damaged_files import SMALL, TEN, check, mutate
from tokoban.sokoban.formats import budget
from tokoban.sokoban.formats.levels import parse_content


@pytest.mark.parametrize("seed", range(30))
def test_damaged_files_parse_or_report_an_error_and_round_trip(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(3):
        check(mutate(chance))


@pytest.mark.slow
def test_many_damaged_files_parse_or_report_an_error_and_round_trip() -> None:
    chance = random.Random(1)
    found = [check(mutate(chance)) for _ in range(5000)]
    assert sum(bool(read.levels) for read in found) > 1000
    assert sum(bool(read.problems) for read in found) > 1000


# Each grows with its number of letters; so may the time, and no faster.
ENDLESS = {
    "groups in groups": lambda size: f"{SMALL[:-6]}" + "9(" * (size // 2) + "#",
    "boards in code": lambda size: "99#|96(#97-#|)#@$.94-#|99#\n\n" * (size // 28),
    "games in code": lambda size: f"{TEN}\n\n" + "499999(du)\n\n" * (size // 12),
    "rows of nothing": lambda size: f"5#|#@$.#|{'|' * size}5#",
    "rulers": lambda size: "-\n" * (size // 2),
    "short rows": lambda size: "#\n" * (size // 2),
    "short rows over two boards": lambda size: "#\n" * (size // 2) + f"{SMALL.strip()}\n{SMALL}",
    "walls apart": lambda size: "# " * (size // 2),
    "rows that are none": lambda size: "#" * size + "x",
    "headings": lambda size: SMALL + "Solution\n" * (size // 9),
    "headings in a line": lambda size: SMALL + "solution " * (size // 9),
    "headings beside moves": lambda size: SMALL + "solution: r\n" * (size // 12),
    "remarks": lambda size: "#@$.#  ; x\n" * (size // 11),
    "titles": lambda size: SMALL + "Title: x\n" * (size // 9),
    "comments": lambda size: "Comment:\n" * (size // 9),
    "blank lines": lambda size: SMALL + "\n" * size + SMALL,
    "keys": lambda size: "a " * (size // 2),
    "moves": lambda size: f"{SMALL}Solution\n" + "rl" * (size // 2),
    "blanks": lambda size: f"Solution{' ' * size}x\n{SMALL}",
    "quotes": lambda size: f"{SMALL}; {chr(39) * size}\n\n{SMALL}",
    "levels": lambda size: f"{SMALL}\n" * (size // 19),
    "elements": lambda size: f"<SokobanLevels>{'<L></L>' * (size // 7)}",
    "rows of elements": lambda size: f"<SokobanLevels><Level>{'<L>#</L>' * (size // 8)}</Level>",
    "attributes": lambda size: f"<SokobanLevels {'a' * size}",
}  # fmt: skip


@pytest.mark.parametrize("name", ENDLESS)
def test_files_without_end_are_read_or_told(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "MAX_UNITS", 5000)
    read = parse_content(ENDLESS[name](2000).encode())
    assert read.levels or read.problems


@pytest.mark.slow
@pytest.mark.parametrize("name", ENDLESS)
def test_the_time_grows_with_the_file_and_no_faster(name: str) -> None:
    def spent_s(size: int) -> float:
        start = time.process_time()
        parse_content(ENDLESS[name](size).encode())
        return time.process_time() - start

    spent_s(20_000)  # what is done once
    assert spent_s(160_000) < 20 * spent_s(20_000) + 1  # 64 times, were it the square
