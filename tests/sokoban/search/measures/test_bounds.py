"""Boxes and goals one to one, against all other ways to match them."""

from itertools import permutations

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from tests.sokoban.brute_force import Shape, connected_boards
from tests.sokoban.search.laid_out import for_python, lay_out_board
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.search.level.ground import UNREACHABLE
from tokoban.sokoban.search.measures import bounds

every_box_has_a_goal = for_python(bounds.every_box_has_a_goal)
match_all = for_python(bounds.match_all)
match_again = for_python(bounds.match_again)
matched_pushes = for_python(bounds.matched_pushes)
lower_bound_after = for_python(bounds.lower_bound_after)


@pytest.mark.parametrize("num_boxes", [1, 2, 5])
def test_every_box_has_a_goal_when_some_permutation_gives_it_one(num_boxes: int) -> None:
    draw = np.random.default_rng(7)
    answers = set()
    for _ in range(60):
        reaches = draw.random((num_boxes, num_boxes)) < 0.45
        words = (reaches << np.arange(num_boxes)).sum(axis=1, keepdims=True).astype(np.uint64)
        expected = any(
            all(reaches[box, goal] for box, goal in enumerate(goals))
            for goals in permutations(range(num_boxes))
        )
        assert every_box_has_a_goal(words, np.zeros((4, num_boxes), np.int32)) == expected
        answers.add(expected)
    assert answers == {True, False}


def test_goals_beyond_the_first_word_count_as_well() -> None:
    num_boxes = 67
    words = np.zeros((num_boxes, 2), np.uint64)
    for box in range(num_boxes):  # each box its own goal, and the next one's
        for goal in {box, (box + 1) % num_boxes}:
            words[box, goal // 64] |= np.uint64(1 << goal % 64)
    workspace = np.zeros((4, num_boxes), np.int32)
    assert every_box_has_a_goal(words, workspace)
    words[65] = words[66] = words[0]  # three boxes, two goals
    assert not every_box_has_a_goal(words, workspace)


def test_the_lower_bound_after_one_move_is_that_of_the_cheapest_matching() -> None:
    num_finite = 0
    for board in connected_boards(Shape(5, 7, 4, is_closed=False), 30, seed=2):
        laid = lay_out_board(board)
        scratch = laid.scratch
        match_all(laid.ground.pushes, True, scratch.places, scratch.matching, scratch.path)
        for row in range(len(scratch.places)):
            for place in range(0, 4 * len(laid.squares), 5):
                places = scratch.places.copy()
                places[row] = place
                pushes = laid.ground.pushes[places]
                expected = pushes[linear_sum_assignment(pushes)].sum()
                found = lower_bound_after(
                    laid.ground, True, scratch.places, row, place, scratch.matching, scratch.path
                )
                assert found == min(expected, UNREACHABLE)
                num_finite += found < UNREACHABLE
    assert num_finite > 100


def test_one_position_after_another_has_its_cheapest_matching() -> None:
    draw, totals = np.random.default_rng(3), []
    for board in connected_boards(Shape(5, 7, 4, is_closed=False), 30, seed=2):
        laid = lay_out_board(board)
        pushes, scratch = laid.ground.pushes, laid.scratch
        reached = np.flatnonzero(laid.ground.lower_bound < UNREACHABLE)
        if len(reached) < 8:
            continue
        places = draw.choice(reached, 4, replace=False)
        for num_moved in draw.integers(5, size=60):  # 0 to 4 boxes
            rows = draw.choice(4, num_moved, replace=False)
            places[rows] = draw.choice(np.setdiff1d(reached, places), num_moved, replace=False)
            places.sort()
            match_again(pushes, True, places, scratch.matching, scratch.path)
            found = matched_pushes(pushes, places, scratch.matching)
            of_these = pushes[places]
            assert found == of_these[linear_sum_assignment(of_these)].sum()
            assert found == -scratch.matching[0, -1]
            totals.append(found)
    assert min(totals) < UNREACHABLE <= max(totals)


def test_unmatched_boxes_go_each_to_the_nearest_goal() -> None:
    laid = lay_out_board(parse_board("#######|#-$.$-#|#-.-@.#|#--$--#|#######"))
    scratch = laid.scratch
    match_all(laid.ground.pushes, False, scratch.places, scratch.matching, scratch.path)
    for place in range(4 * len(laid.squares)):
        places = scratch.places.copy()
        places[1] = place
        expected = min(int(laid.ground.pushes[places].min(axis=1).sum()), UNREACHABLE)
        arguments = scratch.places, 1, place, scratch.matching, scratch.path
        assert lower_bound_after(laid.ground, False, *arguments) == expected
