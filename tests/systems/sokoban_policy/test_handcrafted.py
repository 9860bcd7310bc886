"""The post's entries: its own example, and each complaint."""

import pytest

from tokoban.sokoban.board import UNDO
from tokoban.systems.sokoban_policy.handcrafted import parse_entries

EXAMPLE = """\
start:
######
#. bp#
######

goal:
######
#B   #
######

solved
moves: LL
isbad: --

solved
moves: xLL
isbad: x--

unsolved
moves:
isbad:
"""


def test_the_posts_example_is_read() -> None:
    entries = parse_entries(EXAMPLE, source="x.txt")
    assert [entry.actions for entry in entries] == [(1, 1), (UNDO, 1, 1), ()]
    assert [entry.is_bad for entry in entries] == [(False, False), (True, False, False), ()]
    assert [entry.is_solved for entry in entries] == [True, True, False]
    assert len({entry.start for entry in entries}) == 1


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("moves: LL", "moves: LQ", "x.txt:11: move 'Q' is not one of U L D R x"),
        ("moves: LL", "moves: LR", "x.txt:11: the moves LR do not solve the start"),
        ("isbad: --", "isbad: -", "x.txt:11: expected one of x - for each of the 2 moves, got '-'"),
        ("isbad: --", "", "x.txt:11: expected 'isbad:' after 'solved', got ''"),
        ("#B   #", "#. B #", "x.txt:6: the goal must have the walls and goals of the start"),
        ("start:", "begin:", "x.txt:1: expected start:, goal:, solved or unsolved, got 'begin:'"),
        ("#. bp#", "#. bb#", "x.txt:1: no player"),
    ],
)
def test_what_is_wrong_is_reported_with_its_line(before: str, after: str, message: str) -> None:
    with pytest.raises(ValueError) as caught:
        parse_entries(EXAMPLE.replace(before, after, 1), source="x.txt")
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("goal:\n####\n#@ #\n####\n", "x.txt:1: a goal before any start"),
        ("solved\nmoves: L\nisbad: -\n", "x.txt:1: a solution before any start"),
    ],
)
def test_order_matters(text: str, message: str) -> None:
    with pytest.raises(ValueError) as caught:
        parse_entries(text, source="x.txt")
    assert str(caught.value) == message
