"""The lines under the answers: for whom they are drawn, and what they say."""

import io

from tokoban.cli.bar import Bar, describe
from tokoban.cli.screen import Screen
from tokoban.sokoban.formats import Solution
from tokoban.sokoban.search.combine.solver import Progress

FAR = Progress(None, 1_234_567, 7_654_321, at_least=1_053, elapsed_s=9.75)


def drawn(num_levels: int, number: int, progress: Progress, *, is_terminal: bool) -> str:
    """What a bar writes while one search reports, and its level ends."""
    screen = Screen()
    screen.file = io.StringIO()
    screen._force_terminal = screen.is_interactive = is_terminal
    with Bar(num_levels, screen) as bar:
        bar.report(number, "moves", progress)
        if is_terminal:
            bar._live.refresh()
        bar.done(number)
    return screen.file.getvalue()


def test_a_line_says_what_is_looked_for_and_how_far_that_is() -> None:
    told = "level 93: fewest moves, at least 1,053; "
    told += "1,234,567 expansions, 7,654,321 positions, 10 s"
    assert describe(93, "moves", FAR) == told
    found = FAR._replace(working="fess", best=Solution("rR" * 600))
    told = "level 93: fewest moves, at least 1,053, so far 1,200 moves, 600 pushes; "
    told += "1,234,567 expansions, 7,654,321 positions, 10 s, FESS"
    assert describe(93, "moves", found) == told
    unbounded = Progress(None, 1, 2, elapsed_s=3.0)
    assert describe(5, "any", unbounded).startswith("level 5: any solution; 1 expansions")


def test_a_search_that_takes_long_is_drawn_and_a_short_one_is_not() -> None:
    assert "level 93: fewest moves" in drawn(155, 93, FAR, is_terminal=True)
    short = Progress(None, 7, 11, elapsed_s=0.5)
    text = drawn(155, 93, short, is_terminal=True)
    assert "level 93" not in text
    assert "solving" in text


def test_one_level_has_no_bar_of_levels() -> None:
    text = drawn(1, 1, FAR, is_terminal=True)
    assert "level 1: fewest moves" in text
    assert "solving" not in text


def test_nothing_is_drawn_where_there_is_no_terminal() -> None:
    assert drawn(155, 93, FAR, is_terminal=False) == ""


def test_a_line_goes_on_with_the_next_search() -> None:
    screen = Screen()
    screen.file = io.StringIO()
    screen._force_terminal = screen.is_interactive = True
    with Bar(2, screen) as bar:
        bar.report(1, "any", FAR)
        bar.report(1, "pushes", Progress(None, 7, 11, elapsed_s=0.25))
        bar._live.refresh()
    assert "level 1: fewest pushes; 7 expansions" in screen.file.getvalue()
