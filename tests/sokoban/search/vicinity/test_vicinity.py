"""What counts as near a plan, and what is left out of a search."""

import random

import numba
import numpy as np
import pytest

from tokoban.sokoban.formats import lurd
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.search.astar import NONE, empty_scratch
from tokoban.sokoban.search.vicinity import sweeps
from tokoban.sokoban.search.vicinity.plans import Plan, followed, plan_of
from tokoban.sokoban.search.vicinity.tables import build_tables
from tokoban.sokoban.search.vicinity.vicinity import find_near

# Not `compiling.entry`, whose cache would not see that `vicinity` changed.
nearest = numba.njit(lambda plan_boxes, words, most_boxes: find_near(plan_boxes, words, most_boxes))


def words_of(boxes: set[int]) -> np.ndarray:
    """Squares below 128 as two words."""
    number = sum(1 << box for box in boxes)
    return np.array([number % (1 << 64), number >> 64], np.uint64)


@pytest.mark.parametrize("most_boxes", range(6))
def test_the_last_position_with_few_enough_boxes_elsewhere_is_found(most_boxes: int) -> None:
    draw = random.Random(most_boxes)
    found = set()
    for _ in range(50):
        boxes = set(draw.sample(range(40, 80), 5))
        plan = [boxes]
        for _ in range(40):  # one box at a time, some of them where they were before
            boxes = boxes - {draw.choice(sorted(boxes))}
            boxes |= {draw.choice(sorted(set(range(40, 80)) - boxes))}
            plan.append(boxes)
        kept = draw.sample(sorted(draw.choice(plan)), draw.randrange(6))
        other = {*kept, *draw.sample(range(5 - len(kept)), 5 - len(kept))}
        expected = [i for i, here in enumerate(plan) if len(other - here) <= most_boxes]
        rows = np.stack([words_of(here) for here in plan])
        near = nearest(rows, words_of(other), most_boxes)
        assert near == (expected[-1] if expected else NONE)
        found.add(near)
    assert len(found) > 1 or most_boxes == 5  # of which all differ from no position


def swept(drawing: str, given: str, *, most_boxes: int, lateness: int) -> tuple[int, sweeps.Swept]:
    """The moves of the best plan that a search so wide finds, and what else it says."""
    board = parse_board(drawing)
    squares = sorted(board.inside())
    tables = build_tables(board, squares, "moves")
    scratch = empty_scratch(len(squares), len(board.boxes))
    plan: Plan = plan_of(tables, scratch, board, squares, lurd.parse(given))
    watch = sweeps.Watch(time_limit_s=None, memory_limit_mb=100.0, clock=lambda: 0.0)
    found = sweeps.sweep(tables, scratch, plan, watch, most_boxes=most_boxes, lateness=lateness)
    return found.plan.main_figure, found


# Both boxes by turns takes twelve moves, one after the other eight.
BY_TURNS = ("#######|#@$-.-#|#-----#|#-$-.-#|#######", "RdldRuuRdldR")


def test_without_a_box_elsewhere_only_walks_get_shorter() -> None:
    moves, found = swept(*BY_TURNS, most_boxes=0, lateness=100)
    assert moves == 12
    assert found.is_whole and found.has_left_out and not found.has_left_out_late


def test_with_one_box_elsewhere_pushes_change_their_order() -> None:
    assert swept(*BY_TURNS, most_boxes=1, lateness=100)[0] == 8


def test_what_comes_later_than_the_plan_is_left_out() -> None:
    # With one box anywhere the first push already counts as the plan after three more, for which
    # it has nine moves: a start of eight moves less is late.
    moves, found = swept(*BY_TURNS, most_boxes=1, lateness=-12)
    assert moves == 12
    assert found.has_left_out_late


def test_with_all_boxes_elsewhere_nothing_is_left_out() -> None:
    moves, found = swept(*BY_TURNS, most_boxes=2, lateness=0)
    assert moves == 8
    assert found.is_whole and not found.has_left_out


def test_a_plan_with_a_push_that_the_rules_forbid_is_refused() -> None:
    board = parse_board("@$.-")
    squares = sorted(board.inside())
    tables = build_tables(board, squares, "moves")
    scratch = empty_scratch(len(squares), 1)
    start, right, left = words_of({1})[:1], 1 * 4 + 3, 1 * 4 + 1
    assert followed(tables, scratch, start, 0, np.array([right], np.int16)).price[-1] > 0
    with pytest.raises(RuntimeError, match="a push that the rules forbid"):
        followed(tables, scratch, start, 0, np.array([left], np.int16))
