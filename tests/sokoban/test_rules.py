"""The reference rules against boards drawn by hand, and the history that undo walks back."""

from tests.sokoban.drawings import DRAWINGS
from tokoban.sokoban import rules
from tokoban.sokoban.board import UNDO, Direction
from tokoban.sokoban.formats.xsb import format_board, parse_board

UP, LEFT, DOWN, RIGHT = Direction


def test_play_leads_from_drawing_to_drawing_and_keeps_every_board_of_the_game() -> None:
    for name, drawing in DRAWINGS.items():
        boards = rules.play(drawing.start, drawing.actions)
        assert len(boards) == len(drawing.actions) + 1
        assert boards[0] == drawing.start
        assert boards[-1] == drawing.end, name
        for before, action, after in zip(boards, drawing.actions, boards[1:], strict=False):
            assert after == rules.step(before, action)


def test_step_leaves_the_board_it_was_given() -> None:
    board = parse_board("@$-.")
    assert rules.step(board, RIGHT) != board
    assert board == parse_board("@$-.")


def drawn_game(start: str, actions: list[int]) -> list[str]:
    boards = rules.play(parse_board(start), actions)
    return [format_board(board).replace(" ", "-").replace("\n", "|") for board in boards]


def test_undo_takes_back_a_step() -> None:
    assert drawn_game("@-", [RIGHT, UNDO]) == ["@-", "-@", "@-"]


def test_undo_takes_back_a_push_with_its_box() -> None:
    assert drawn_game("@$.", [RIGHT, UNDO]) == ["@$.", "-@*", "@$."]


def test_undo_passes_over_bumps() -> None:
    assert drawn_game("@-", [RIGHT, RIGHT, UP, UNDO]) == ["@-", "-@", "-@", "-@", "@-"]


def test_undo_at_the_start_changes_nothing() -> None:
    assert drawn_game("@-", [UNDO, UNDO, RIGHT, UNDO, UNDO]) == ["@-"] * 3 + ["-@"] + ["@-"] * 2


def test_a_move_after_an_undo_goes_on_from_there() -> None:
    actions = [RIGHT, RIGHT, UNDO, LEFT, UNDO, UNDO]
    assert drawn_game("@--", actions) == ["@--", "-@-", "--@", "-@-", "@--", "-@-", "@--"]
