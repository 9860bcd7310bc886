"""What the list of players' levels says of its rows."""

from dataclasses import replace

from benchmarks.players_levels import Row, rates

ROW = Row("a.txt", 1, 2, "solved", None, 5, 3, 4_000, 2.0, "fess")


def test_rates_are_of_levels_with_a_thousand_expansions_or_more() -> None:
    rows = [
        ROW,  # 2,000 a second
        replace(ROW, number=2, expansions=1_000, elapsed_s=0.125),  # 8,000
        replace(ROW, number=3, answer="gave up", expansions=9_000, elapsed_s=6.0),  # 1,500
        replace(ROW, number=4, expansions=999, elapsed_s=0.0),
    ]
    assert rates(rows) == (
        "expansions a second on 3 levels of 1,000 expansions or more: "
        "at least 1500 (a.txt 3), 2000 in the median"
    )
    assert rates(rows[3:]) == "expansions a second: no level has 1,000 expansions"
