"""Which push loses a game: the first after which play by the rules cannot end well."""

import random
from collections.abc import Callable

import pytest

from tests.sokoban.brute_force import Shape, random_boards
from tests.sokoban.search.push_graph import position_of, push_graph, pushes_left
from tokoban.sokoban import rules
from tokoban.sokoban.board import Board
from tokoban.sokoban.explanation import explain_game
from tokoban.sokoban.formats import lurd
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.proofs.explainer import Deadlocked, explain
from tokoban.sokoban.search.answer import Answer

# The second push brings the box to a wall without a goal, the third into a corner.
BOARD = parse_board("#######|#-----#|#@$.--#|#-----#|#######")
LOST_BY_PUSH_3 = "RRRdr"


def test_the_push_that_deadlocks_a_game_leads_to_its_first_deadlocked_board() -> None:
    draw = random.Random(3)
    num_deadlocked = 0
    for board in random_boards(Shape(4, 4, 2, is_closed=True), 12, seed=7):
        boards, letters = [board], ""
        for direction in draw.choices(range(4), k=40):
            after = rules.step(boards[-1], direction)
            if after != boards[-1]:
                boards.append(after)
                letters += lurd.LETTERS[direction]
        good = pushes_left(push_graph(board), board.goals)
        deadlocked = [position_of(later) not in good for later in boards]
        found = explain_game(board, letters, explain)
        assert (found.status == "deadlocked") == deadlocked[-1]
        if not deadlocked[-1]:
            assert found.num_moves_solvable == len(found.moves) == len(letters)
            continue
        num_deadlocked += 1
        first = deadlocked.index(True)
        assert (len(found.moves), found.board) == (first, boards[first])
        assert found.certificate is not None
        assert found.certificate.board == found.board
        if first == 0:
            assert found.num_moves_solvable is None
        else:
            assert found.num_moves_solvable is not None
            assert found.num_moves_solvable < first
            assert found.moves[found.num_moves_solvable :].upper()[-1] == found.moves[-1]
    assert num_deadlocked > 3


def given_up_before(num_pushes: int) -> Callable[[Board], Deadlocked | Answer]:
    """Explains the positions of ``BOARD`` where the box is that far to the right, no others."""

    def answer(board: Board) -> Deadlocked | Answer:
        (box,) = board.boxes
        is_known = box.column >= 2 + num_pushes
        return explain(board) if is_known else Answer(status="gave up", solver="astar")

    return answer


def test_a_game_is_lost_by_the_push_after_the_last_that_is_known_to_be_solvable() -> None:
    found = explain_game(BOARD, LOST_BY_PUSH_3, explain)
    assert (found.moves, found.num_moves_solvable) == ("RRR", 2)


def test_what_was_given_up_is_not_called_solvable() -> None:
    found = explain_game(BOARD, LOST_BY_PUSH_3, given_up_before(3))
    assert (found.moves, found.num_moves_solvable) == ("RRR", None)
    found = explain_game(BOARD, "RR", given_up_before(3))
    assert found.status == "unknown"
    assert (found.moves, found.num_moves_solvable) == ("RR", None)


def test_moves_that_cannot_be_made_are_refused() -> None:
    with pytest.raises(ValueError, match=r"move 3 \(L\): wall at row"):
        explain_game(BOARD, "RLL", explain)
