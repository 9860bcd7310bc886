"""Shorter solutions against every possible play of small boards, and the limits that hold."""

import heapq
import random
import threading
from collections.abc import Iterator
from dataclasses import replace
from itertools import count

import pytest

from tests.sokoban.brute_force import Shape, is_push, random_boards
from tokoban.sokoban import rules
from tokoban.sokoban.board import Board, Direction, Square
from tokoban.sokoban.formats import lurd
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.search.answer import Answer
from tokoban.sokoban.search.combine.optimiser import FIGURES, optimise
from tokoban.sokoban.search.level.ground import Ground
from tokoban.sokoban.search.limits import Limits
from tokoban.sokoban.search.searches.vicinity import windows
from tokoban.sokoban.search.searches.vicinity.store import Store
from tokoban.sokoban.search.state.positions import num_bytes

SHAPES = {
    "one box, open": Shape(4, 5, 1, is_closed=False),
    "two boxes, open": Shape(3, 5, 2, is_closed=False),
    "three boxes, closed": Shape(4, 4, 3, is_closed=True),
    "four boxes, closed": Shape(3, 4, 4, is_closed=True),
}
# A few thousand positions.
ROOM = parse_board("########|#-----.#|#-$-$-.#|#-@#-#-#|#-$-$-.#|#-----.#|########")


def rambling(board: Board, num_moves: int, *, seed: int) -> tuple[Board, tuple[Direction, ...]]:
    """The board with goals where a random walk leaves its boxes, and this walk."""
    draw = random.Random(seed)
    walk: list[Direction] = []
    now = board
    while len(walk) < num_moves:
        direction = draw.choice(list(Direction))
        after = rules.step(now, direction)
        if after != now:
            walk.append(direction)
        now = after
    return replace(board, goals=now.boxes), tuple(walk)


def ramblings(
    shape: Shape, num_boards: int, *, seed: int
) -> Iterator[tuple[Board, tuple[Direction, ...]]]:
    """Random boards on which the player can move, with long solutions."""
    for board in random_boards(shape, num_boards, seed=seed):
        if any(rules.step(board, direction) != board for direction in Direction):
            yield rambling(board, 60, seed=seed)


def least(board: Board, minimise: str) -> tuple[int, int]:
    """Moves and pushes of the best solution, by all possible plays in the order of their costs."""
    waiting: list[tuple[tuple[int, int], int, Board]] = [((0, 0), 0, board)]
    numbers = count(1)
    done = set()
    while True:
        price, _, now = heapq.heappop(waiting)
        if now.is_solved:
            return price if minimise == "moves" else price[::-1]
        if now in done:
            continue
        done.add(now)
        for direction in Direction:
            after = rules.step(now, direction)
            if after not in done:
                step = (1, int(is_push(now, after)))
                first, second = step if minimise == "moves" else step[::-1]
                waiting_price = (price[0] + first, price[1] + second)
                heapq.heappush(waiting, (waiting_price, next(numbers), after))


def figures(answer: Answer) -> tuple[int, int]:
    """Moves and pushes."""
    assert answer.solution is not None
    return answer.solution.num_moves, answer.solution.num_pushes


def check(board: Board, given: tuple[Direction, ...], best: Answer, minimise: str) -> None:
    """It solves the board, has the figures it says, and is no longer than the given solution."""
    before = lurd.replay(board, lurd.format(board, given))
    replayed = lurd.replay(board, str(best.solution))
    assert replayed.is_solved
    assert (replayed.moves, replayed.pushes) == figures(best)
    both = [(before.moves, before.pushes), figures(best)]
    if minimise == "pushes":
        both = [figure[::-1] for figure in both]
    assert both[1] <= both[0]


@pytest.mark.parametrize("minimise", FIGURES)
@pytest.mark.parametrize("shape", SHAPES)
def test_what_is_proved_is_the_best_of_all_possible_plays(shape: str, minimise: str) -> None:
    num_shorter = 0
    for board, given in ramblings(SHAPES[shape], 12, seed=31):
        best = optimise(board, given, minimise=minimise)
        check(board, given, best, minimise)
        assert best.optimum == minimise and best.reason is None
        assert figures(best) == least(board, minimise)
        num_shorter += figures(best)[0] < len(given)
    assert num_shorter > 5


@pytest.mark.slow
@pytest.mark.parametrize("minimise", FIGURES)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("seed", range(3))
def test_the_proof_holds_for_many_more_boards(shape: str, minimise: str, seed: int) -> None:
    for board, given in ramblings(SHAPES[shape], 60, seed=100 + seed):
        best = optimise(board, given, minimise=minimise)
        check(board, given, best, minimise)
        assert best.optimum is not None
        assert figures(best) == least(board, minimise)


@pytest.mark.parametrize(
    ("drawing", "given", "minimise", "expected"),
    [
        ("#####|#@$.#|#####", "R", "moves", "R"),
        ("######|#@-$.#|######", "rlrlrR", "moves", "rR"),  # a shorter walk
        ("#######|#@$-.-#|#######", "RRRl", "moves", "RR"),  # cut at the first solved board
        ("#####|#@*-#|#####", "Rl", "moves", ""),  # solved before the first move
        # One box after the other, and not by turns.
        ("#######|#@$-.-#|#-----#|#-$-.-#|#######", "RdldRuuRdldR", "moves", "RRllddRR"),
        # First the box that is near.
        ("##########|#.$-@--$.#|##########", "rrRllllL", "moves", "lLrrrrR"),
    ],
)
def test_drawn_solutions(drawing: str, given: str, minimise: str, expected: str) -> None:
    board = parse_board(drawing)
    best = optimise(board, lurd.parse(given), minimise=minimise)
    assert str(best.solution) == expected
    assert best.optimum is not None


def test_of_two_figures_the_chosen_one_counts_first() -> None:
    # The player has to come to the other side of the box: around it in the room, which takes two
    # pushes there and two back, or by the long way, which takes two moves more.
    board = parse_board("##########|#--------#|#-###----#|#-.@$----#|##########")
    ways = {"moves": "RRurrdLLLL", "pushes": "lluurrrrddLL"}
    for minimise, expected in ways.items():
        assert least(board, minimise) == (len(expected), sum(map(str.isupper, expected)))
        for given in ways.values():
            best = optimise(board, lurd.parse(given), minimise=minimise)
            assert str(best.solution) == expected


@pytest.fixture
def long_solution() -> tuple[Board, tuple[Direction, ...]]:
    """A solution of a few hundred moves, with thousands of positions around it."""
    return rambling(ROOM, 400, seed=3)


Given = tuple[Board, tuple[Direction, ...]]


def test_the_answer_does_not_depend_on_slices_or_room(
    long_solution: Given, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = optimise(*long_solution)
    assert expected.num_expansions > 5000  # of which every slice below has a few
    by_the_expansion = optimise(*long_solution, limits=Limits(clock=count(0.0).__next__))
    monkeypatch.setattr(windows, "_FIRST_CAPACITY", 1 << 20)
    roomy = optimise(*long_solution)
    for best in (by_the_expansion, roomy):
        assert (best.solution, best.num_expansions) == (expected.solution, expected.num_expansions)


@pytest.mark.parametrize("limit_mb", [0.0, 0.5])
def test_with_little_memory_the_path_is_searched_window_by_window(
    limit_mb: float, long_solution: Given
) -> None:
    board, given = long_solution
    best = optimise(board, given, limits=Limits(memory_limit_mb=limit_mb))
    check(board, given, best, "moves")
    assert best.reason == f"{limit_mb:g} MB" and best.optimum is None
    assert figures(best)[0] < len(given) // 2


def test_tables_that_do_not_fit_are_not_made() -> None:
    box, goal = (frozenset({Square(0, column)}) for column in (1, 2))
    board = Board(64, 64, frozenset(), goal, box, Square(0, 0))  # 16.8 MB for the sides of the box
    best = optimise(board, lurd.parse("duR"), limits=Limits(memory_limit_mb=16.0))
    assert (str(best.solution), best.reason) == ("duR", "16 MB")


def test_the_memory_limit_holds(long_solution: Given, monkeypatch: pytest.MonkeyPatch) -> None:
    held = []
    grown = windows.grown

    def listen(store: Store, ground: Ground) -> Store:
        larger = grown(store, ground)
        held.append(num_bytes(larger))
        return larger

    monkeypatch.setattr(windows, "grown", listen)
    optimise(*long_solution, limits=Limits(memory_limit_mb=2.0))
    assert 0.5e6 < max(held) < 2e6


def test_reports_get_better_and_the_last_is_near_the_answer(long_solution: Given) -> None:
    board, given = long_solution
    said: list[Answer] = []
    limits = Limits(clock=count(0.0).__next__)
    best = optimise(board, given, report=said.append, limits=limits)
    lengths = [figures(so_far)[0] for so_far in said]
    assert lengths == sorted(lengths, reverse=True)
    assert lengths[-1] == figures(best)[0] < lengths[0] <= len(given)
    assert {so_far.optimum for so_far in said} == {None}
    check(board, given, said[len(said) // 2], "moves")


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ("ruR", r"the moves do not solve the board: move 2 \(u\): wall at row 1, column 3"),
        ("r", "the moves do not solve the board: after all 1 of them it is not solved"),
        ("", "the moves do not solve the board: after all 0 of them it is not solved"),
    ],
)
def test_what_does_not_solve_the_board_is_refused(given: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        optimise(parse_board("######|#@-$.#|######"), lurd.parse(given))


def test_expansions_and_the_stop_flag_end_a_search(long_solution: Given) -> None:
    board, given = long_solution
    for most in (0, 777):
        best = optimise(board, given, limits=Limits(max_expansions=most))
        assert (best.num_expansions, best.reason) == (most, f"{most} expansions")
        assert best.optimum is None
        check(board, given, best, "moves")

    stop = threading.Event()

    def stop_at_the_third(so_far: Answer) -> None:
        reports.append(so_far)
        if len(reports) == 3:
            stop.set()

    reports: list[Answer] = []
    best = optimise(board, given, limits=Limits(stop=stop), report=stop_at_the_third)
    assert (best.reason, best.optimum) == ("stopped", None)
    assert len(reports) <= 4  # one slice later at the latest
    check(board, given, best, "moves")
