"""Explanations against every possible play of small boards, and of boards drawn by hand."""

import itertools
import threading
from collections.abc import Callable

import pytest

import tokoban
from tests.sokoban.brute_force import Shape, random_boards
from tests.sokoban.search.push_graph import can_all_come_to_goals, can_be_solved
from tokoban.sokoban import rules
from tokoban.sokoban.board import Board, Square
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.proofs import explainer
from tokoban.sokoban.proofs.certificate import KINDS, Certificate
from tokoban.sokoban.proofs.checker import find_fault
from tokoban.sokoban.proofs.explainer import Deadlocked, explain
from tokoban.sokoban.proofs.numbered_board import NumberedBoard
from tokoban.sokoban.proofs.static import smallest_frozen
from tokoban.sokoban.search.answer import Answer
from tokoban.sokoban.search.limits import Limits, Reason

SHAPES = {
    "one box, open": (Shape(4, 5, 1, is_closed=False), 8),
    "two boxes, open": (Shape(3, 7, 2, is_closed=False), 10),
    "three boxes, closed": (Shape(5, 4, 3, is_closed=True), 10),
    "four boxes, closed": (Shape(4, 4, 4, is_closed=True), 10),
    "two boxes, too wide for a word": (Shape(2, 11, 2, is_closed=True), 8),
}


def check_against_every_possible_play(boards: list[Board]) -> list[Deadlocked]:
    """The boards that are deadlocked; all claims of the answers have been tried out."""
    found = []
    for board in boards:
        answer = explain(board)
        assert isinstance(answer, Deadlocked) != can_be_solved(board)
        if not isinstance(answer, Deadlocked):
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
        deadlocked = check_against_every_possible_play(list(random_boards(shape, 300, seed=41)))
        found += [answer.certificate for answer in deadlocked]
    assert {certificate.kind for certificate in found} == set(KINDS) - {"count"}
    searched = [certificate for certificate in found if certificate.kind == "search"]
    assert any(certificate.frozen for certificate in searched)
    assert any(len(certificate.boxes) > 2 for certificate in searched)


# X: a box in deadlock on floor, x: on a goal.
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
def test_the_boxes_in_deadlock_are_as_drawn(name: str) -> None:
    kind, drawing = DRAWN[name]
    board = parse_board(drawing.replace("X", "$").replace("x", "*"))
    rows = enumerate(drawing.split("|"))
    marked = [Square(i, j) for i, row in rows for j, letter in enumerate(row) if letter in "Xx"]
    answer = explain(board)
    assert isinstance(answer, Deadlocked)
    assert (answer.certificate.kind, list(answer.certificate.boxes)) == (kind, marked)
    assert find_fault(answer.certificate) is None


def test_a_solved_board_is_solved_without_a_move() -> None:
    answer = explain(parse_board("@*"))
    assert isinstance(answer, Answer)
    assert answer.solution is not None
    assert answer.solution.directions == ()


# Deadlocked, and that takes a search.
HARD = parse_board("-@X-X..|###-###".replace("X", "$"))


def reason_of(answer: Deadlocked | Answer) -> str:
    """Why it was given up."""
    assert isinstance(answer, Answer) and answer.status == "gave up"
    assert answer.reason is not None
    return answer.reason


def test_limits_are_kept_and_named() -> None:
    assert reason_of(explain(HARD, limits=Limits(max_expansions=0))) == "0 positions"
    assert reason_of(explain(HARD, limits=Limits(memory_limit_mb=0.0))) == "0 MB"
    limits = Limits(time_limit_s=1.0, clock=itertools.count(0.0).__next__)
    reason = reason_of(explain(HARD, limits=limits))
    assert reason == "1 s" and isinstance(reason, Reason) and reason.code == "time"
    large = Board(
        65, 65, frozenset(), frozenset({Square(0, 3)}), frozenset({Square(1, 1)}), Square(0, 0)
    )
    reason = reason_of(explain(large))
    assert reason == "expected at most 4096 squares of floor, got 4225"
    [sentence] = tokoban.explain(large).sentences
    assert sentence == f"not searched: {reason}"


class StopAfter(threading.Event):
    """A flag that is found set after so many looks at it."""

    def __init__(self, num_looks: int) -> None:
        super().__init__()
        self.num_left = num_looks

    def is_set(self) -> bool:
        self.num_left -= 1
        return self.num_left < 0


def test_the_stop_flag_ends_each_part_of_the_work() -> None:
    explain(HARD)  # compiles
    reasons = []
    for num_looks in itertools.count():
        answer = explain(HARD, limits=Limits(stop=StopAfter(num_looks)))
        if isinstance(answer, Deadlocked):
            break
        reasons.append(reason_of(answer))
    assert set(reasons) == {"stopped"}


def test_the_check_of_a_proof_counts_for_the_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    now_s = 0.0

    def slow(certificate: Certificate, each_position: Callable[[], object]) -> str | None:
        nonlocal now_s
        now_s = 11.0
        return find_fault(certificate, each_position)

    monkeypatch.setattr(explainer, "find_fault", slow)
    reason = reason_of(explain(HARD, limits=Limits(time_limit_s=10.0, clock=lambda: now_s)))
    assert reason == "10 s, before the proof could be checked"
    assert isinstance(reason, Reason) and reason.code == "time"


def test_the_solver_has_half_of_the_time_that_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    now_s = 0.0

    def slow(*_: object) -> None:
        nonlocal now_s
        now_s = 6.0

    given_s = []

    def solve(board: Board, *, limits: Limits, **others: object) -> Answer:
        given_s.append(limits.time_limit_s)
        return Answer(status="gave up", solver="astar")

    monkeypatch.setattr(explainer, "static_deadlock", slow)
    monkeypatch.setattr(explainer.solver, "solve", solve)
    explain(HARD, limits=Limits(time_limit_s=10.0, clock=lambda: now_s))
    assert given_s == [2.0]


def test_a_proof_that_the_checker_refuses_is_never_returned(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(explainer, "find_fault", lambda *_: "a fault")
    with pytest.raises(RuntimeError, match="a fault, in a certificate for"):
        explain(HARD)


def test_what_the_search_for_boxes_solves_is_solvable(monkeypatch: pytest.MonkeyPatch) -> None:
    board = parse_board("#######|#.$@$.#|#######")
    assert not isinstance(explain(board), Deadlocked)
    gave_up = Answer(status="gave up", solver="astar")
    monkeypatch.setattr(explainer.solver, "solve", lambda board, **limits: gave_up)
    answer = explain(board)
    assert isinstance(answer, Answer)
    assert answer.solution is not None
    assert rules.play(board, answer.solution.directions)[-1].is_solved


def test_a_box_is_called_needed_only_where_that_is_known() -> None:
    board = parse_board("#######|#.-$$.#|#@----#|#######")
    limits = Limits(time_limit_s=2.5, clock=itertools.count(0.0).__next__)
    answer = explain(board, limits=limits)
    assert isinstance(answer, Deadlocked)
    assert answer.certificate.without == (None, None)
    assert find_fault(answer.certificate) is None


def test_two_boxes_in_a_crowd_are_named() -> None:
    # Both can only be pushed up into corners; the third could move all day.
    board = parse_board("########|#--#####|#$$----#|#----$-#|#..-.-@#|########")
    answer = explain(board)
    assert isinstance(answer, Deadlocked)
    assert set(answer.certificate.boxes) == {Square(2, 1), Square(2, 2)}
    assert find_fault(answer.certificate) is None


def test_no_box_of_the_smallest_frozen_group_can_be_left_out() -> None:
    board = parse_board("#######|#.$$$-#|#--@--#|#-..--#|#######")
    assert smallest_frozen(NumberedBoard(board), board.boxes) == {Square(1, 2), Square(1, 3)}
