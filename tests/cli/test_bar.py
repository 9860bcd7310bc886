"""The bar under the answers of ``solve``: what it says of searches that take long."""

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tokoban.cli import solve
from tokoban.cli.found import Found, describe_search
from tokoban.sokoban.formats import Solution
from tokoban.sokoban.search.answer import Answer, Progress
from tokoban.sokoban.work import Workers

FAR = Progress(None, 1_234_567, 7_654_321, at_least=1_053, elapsed_s=9.75)
SHORT = Progress(None, 7, 11, elapsed_s=0.5)


class Recorder:
    """A terminal that notes what the bar is told."""

    is_terminal = True

    def __init__(self) -> None:
        self.told: list[Any] = []

    @contextmanager
    def counting(self, description: str, total: int) -> Iterator[Callable[..., None]]:
        self.told.append((description, total))
        yield lambda **fields: self.told.append(tuple(fields.values()))


def test_a_line_says_what_is_looked_for_and_how_far_that_is() -> None:
    told = "level 93: fewest moves, at least 1,053; "
    told += "1,234,567 expansions, 7,654,321 positions, 10 s"
    assert describe_search(93, "moves", FAR) == told
    found = FAR._replace(working="fess", best=Solution("rR" * 600))
    told = "level 93: fewest moves, at least 1,053, so far 1,200 moves, 600 pushes; "
    told += "1,234,567 expansions, 7,654,321 positions, 10 s, FESS"
    assert describe_search(93, "moves", found) == told
    unbounded = Progress(None, 1, 2, elapsed_s=3.0)
    assert describe_search(5, "any", unbounded).startswith("level 5: any solution; 1 expansions")


def test_of_the_searches_that_take_long_the_first_is_described_until_it_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def answers(_: Any, __: Any, ___: Any, report: Any) -> Iterator[tuple[int, Found]]:
        report(2, "moves", SHORT)
        report(3, "moves", FAR)
        report(1, "moves", FAR)
        report(3, "pushes", SHORT)  # goes on with the next search
        yield 3, Found(Answer(status="gave up", solver="astar"))
        report(1, "moves", FAR)

    monkeypatch.setattr(solve, "_answers", answers)
    screen, levels = Recorder(), dict.fromkeys(range(155))
    shown: Any = solve._with_bar(levels, argparse.Namespace(), Workers(1), screen)  # type: ignore[arg-type]
    assert [number for number, _ in shown] == [3]
    first = describe_search(3, "moves", FAR)
    assert screen.told == [
        ("solving", 155),
        (first,),
        (first,),
        (describe_search(3, "pushes", SHORT),),
        (1, "solving"),
        (describe_search(1, "moves", FAR),),
    ]
