"""The reference rules against boards drawn by hand, and the history that undo walks back."""

import pytest

from tests.sokoban.drawings import DRAWINGS
from tokoban.sokoban import rules
from tokoban.sokoban.board import UNDO, Direction
from tokoban.sokoban.formats.xsb import parse_board

UP, LEFT, DOWN, RIGHT = Direction


def test_play_leads_from_drawing_to_drawing_and_keeps_every_board_of_the_game() -> None:
    for name, drawing in DRAWINGS.items():
        boards = rules.play(drawing.start, drawing.actions)
        assert len(boards) == len(drawing.actions) + 1
        assert boards[0] == drawing.start
        assert boards[-1] == drawing.end, name
        for before, action, after in zip(boards, drawing.actions, boards[1:], strict=False):
            assert after == rules.step(before, action)


@pytest.mark.parametrize(
    ("actions", "drawn"),
    [
        ([RIGHT, UNDO], "@- -@ @-"),
        ([RIGHT, UNDO], "@$. -@* @$."),  # with the box
        ([RIGHT, RIGHT, UP, UNDO], "@- -@ -@ -@ @-"),  # passes over bumps
        ([UNDO, UNDO, RIGHT, UNDO, UNDO], "@- @- @- -@ @- @-"),  # nothing before the start
        ([RIGHT, RIGHT, UNDO, LEFT, UNDO, UNDO], "@-- -@- --@ -@- @-- -@- @--"),
    ],
)
def test_undo_takes_back_the_last_change_that_is_left(actions: list[int], drawn: str) -> None:
    boards = [parse_board(drawing) for drawing in drawn.split()]
    assert rules.play(boards[0], actions) == boards
