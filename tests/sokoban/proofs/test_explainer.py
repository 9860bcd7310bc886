"""Explanations against every possible play of small boards, and of boards drawn by hand."""

import itertools

import pytest

from tests.sokoban.brute_force import Shape, random_boards
from tests.sokoban.proofs.plays import can_all_come_to_goals
from tests.sokoban.search.fess.push_graph import can_be_solved
from tokoban.sokoban import rules
from tokoban.sokoban.board import Board, Square
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.proofs import explainer
from tokoban.sokoban.proofs.certificate import KINDS, Certificate
from tokoban.sokoban.proofs.checker import find_fault
from tokoban.sokoban.proofs.explainer import Lost, explain
from tokoban.sokoban.search.answer import Answer

SHAPES = {
    "one box, open": (Shape(4, 5, 1, is_closed=False), 12),
    "two boxes, open": (Shape(3, 7, 2, is_closed=False), 20),
    "three boxes, closed": (Shape(5, 4, 3, is_closed=True), 20),
    "four boxes, closed": (Shape(4, 4, 4, is_closed=True), 20),
    "two boxes, too wide for a word": (Shape(2, 11, 2, is_closed=True), 12),
}


def check_against_every_possible_play(boards: list[Board]) -> list[Lost]:
    """The boards that are lost; all claims of the answers have been tried out."""
    found = []
    for board in boards:
        answer = explain(board)
        assert isinstance(answer, Lost) != can_be_solved(board)
        if not isinstance(answer, Lost):
            assert answer.solution is not None
            assert rules.play(board, answer.solution.directions)[-1].is_solved
            continue
        certificate = answer.certificate
        assert certificate.board == board
        assert find_fault(certificate) is None
        assert certificate.is_minimal
        boxes = certificate.boxes
        assert not can_all_come_to_goals(board, boxes)
        for fewer in itertools.combinations(boxes, len(boxes) - 1):
            assert can_all_come_to_goals(board, fewer)
        found.append(answer)
    return found


@pytest.mark.parametrize("shape", SHAPES)
def test_answers_are_those_of_all_possible_plays(shape: str) -> None:
    boards = list(random_boards(*SHAPES[shape], seed=17))
    assert 0 < len(check_against_every_possible_play(boards)) < len(boards)


@pytest.mark.slow
def test_answers_hold_for_many_more_boards_and_all_kinds() -> None:
    found: list[Certificate] = []
    for shape, _ in SHAPES.values():
        lost = check_against_every_possible_play(list(random_boards(shape, 300, seed=41)))
        found += [answer.certificate for answer in lost]
    assert {certificate.kind for certificate in found} == set(KINDS) - {"count"}
    searched = [certificate for certificate in found if certificate.kind == "search"]
    assert any(certificate.frozen for certificate in searched)
    assert any(len(certificate.traps) > 1 for certificate in searched)
    assert any(len(certificate.boxes) > 2 for certificate in searched)


# X: a box to blame on floor, x: on a goal.
DRAWN = {
    "in a corner": ("dead", "#####|#X-.#|#@--#|#####"),
    "at a wall without a goal": ("dead", "#######|#--X--#|#@-.--#|##---##|#######"),
    "where the player never comes": ("dead", "#####|#@#X#|#-#.#|#####"),
    "side by side at a wall": ("frozen", "#######|#.-XX.#|#@----#|#######"),
    "one of them on a goal": ("frozen", "#######|#.-Xx-#|#@----#|#######"),
    "a square of four": ("frozen", "------|-XX---|-XX...|@----."),
    "three boxes, of which two will do": ("frozen", "#######|#.-XX.#|#@-$.-#|#######"),
    # Left and right of the left box, the player would have to come round it.
    "one that a push to either side loses": ("frozen", "-*#---|--+Xx-|------"),
    "one goal at the wall for two": ("bipartite", "#######|#-X.X-#|#@----#|#.----#|#######"),
    "no room to pass": ("search", "-@X-X..|###-###"),
    "of four boxes in a heap, two": ("search", "#-$.-|#..$#|@XX--|.#---"),
    "two in the way of a third, which then have one goal": ("search", ".-X-|-$X-|.@#-|.X-."),
    "too few boxes": ("count", "-@$-..|------"),
}


@pytest.mark.parametrize("name", DRAWN)
def test_the_boxes_to_blame_are_as_drawn(name: str) -> None:
    kind, drawing = DRAWN[name]
    board = parse_board(drawing.replace("X", "$").replace("x", "*"))
    rows = enumerate(drawing.split("|"))
    marked = [Square(i, j) for i, row in rows for j, letter in enumerate(row) if letter in "Xx"]
    answer = explain(board)
    assert isinstance(answer, Lost)
    assert (answer.certificate.kind, list(answer.certificate.boxes)) == (kind, marked)
    assert answer.is_searched == (kind == "search")
    assert find_fault(answer.certificate) is None


def test_a_solved_board_is_alive_without_a_move() -> None:
    answer = explain(parse_board("@*"))
    assert isinstance(answer, Answer)
    assert answer.solution is not None
    assert answer.solution.directions == ()


# Lost, and that takes a search.
HARD = parse_board("-@X-X..|###-###".replace("X", "$"))


def test_limits_are_kept_and_named() -> None:
    answer = explain(HARD, max_positions=0)
    assert isinstance(answer, Answer)
    assert answer.status == "gave up"
    assert answer.reason == "0 positions"
    ticks = itertools.count()
    answer = explain(HARD, time_limit_s=1.0, clock=lambda: float(next(ticks)))
    assert isinstance(answer, Answer)
    assert answer.status == "gave up"
    assert answer.reason == "1 s"
    large = Board(
        65, 65, frozenset(), frozenset({Square(0, 3)}), frozenset({Square(1, 1)}), Square(0, 0)
    )
    answer = explain(large)
    assert isinstance(answer, Answer)
    assert answer.status == "gave up"
    assert answer.reason == "4096 squares of floor"


def test_what_the_search_for_boxes_solves_is_alive(monkeypatch: pytest.MonkeyPatch) -> None:
    board = parse_board("#######|#.$@$.#|#######")
    assert not isinstance(explain(board), Lost)
    gave_up = Answer(status="gave up", solver="astar")
    monkeypatch.setattr(explainer.solver, "solve", lambda board, **limits: gave_up)
    answer = explain(board)
    assert isinstance(answer, Answer)
    assert answer.solution is not None
    assert rules.play(board, answer.solution.directions)[-1].is_solved


def test_a_box_is_called_needed_only_where_that_is_known() -> None:
    board = parse_board("#######|#.-$$.#|#@----#|#######")
    ticks = itertools.count()
    answer = explain(board, time_limit_s=2.5, clock=lambda: float(next(ticks)))
    assert isinstance(answer, Lost)
    assert answer.certificate.without == (None, None)
    assert find_fault(answer.certificate) is None
