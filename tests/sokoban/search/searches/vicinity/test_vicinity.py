"""What counts as near a path, and what is left out of a search."""

import random
from typing import no_type_check

import numpy as np
import pytest

from tokoban.compiling import entry
from tokoban.sokoban.formats import lurd
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.search.level.ground import NONE, Squares
from tokoban.sokoban.search.limits import Limits, Watch
from tokoban.sokoban.search.searches.vicinity import windows
from tokoban.sokoban.search.searches.vicinity.push_paths import build_task, followed, path_of
from tokoban.sokoban.search.searches.vicinity.search import find_near
from tokoban.sokoban.search.state.workspace import workspace_for


@entry
@no_type_check
def nearest(path_boxes, words, most_boxes):
    return find_near(path_boxes, words, most_boxes)


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
        path = [boxes]
        for _ in range(40):  # one box at a time, some of them where they were before
            boxes = boxes - {draw.choice(sorted(boxes))}
            boxes |= {draw.choice(sorted(set(range(40, 80)) - boxes))}
            path.append(boxes)
        kept = draw.sample(sorted(draw.choice(path)), draw.randrange(6))
        other = {*kept, *draw.sample(range(5 - len(kept)), 5 - len(kept))}
        expected = [i for i, here in enumerate(path) if len(other - here) <= most_boxes]
        rows = np.stack([words_of(here) for here in path])
        near = nearest(rows, words_of(other), most_boxes)
        assert near == (expected[-1] if expected else NONE)
        found.add(near)
    assert len(found) > 1 or most_boxes == 5  # of which all differ from no position


def searched(
    drawing: str, given: str, *, most_boxes: int, lateness: int
) -> tuple[int, windows.Searched]:
    """The moves of the best solution that a search so wide finds, and what else it says."""
    board = parse_board(drawing)
    squares = Squares(board)
    task = build_task(board, squares, "moves")
    scratch = workspace_for(len(squares.squares), len(board.boxes))
    path = path_of(task, scratch, board, squares, lurd.parse(given))
    effort = windows.Effort(Watch(Limits(memory_limit_mb=100.0, clock=lambda: 0.0)))
    found = windows.search_along(
        task, scratch, path, effort, most_boxes=most_boxes, lateness=lateness
    )
    return found.path.main_figure, found


# Both boxes by turns takes twelve moves, one after the other eight.
BY_TURNS = ("#######|#@$-.-#|#-----#|#-$-.-#|#######", "RdldRuuRdldR")


def test_without_a_box_elsewhere_only_walks_get_shorter() -> None:
    moves, found = searched(*BY_TURNS, most_boxes=0, lateness=100)
    assert moves == 12
    assert found.is_exhausted and found.has_left_out_far and not found.has_left_out_late


def test_with_one_box_elsewhere_pushes_change_their_order() -> None:
    assert searched(*BY_TURNS, most_boxes=1, lateness=100)[0] == 8


def test_what_comes_later_than_the_path_is_left_out() -> None:
    # With one box anywhere the first push already counts as the path after three more, for which
    # it has nine moves: a start of eight moves less is late.
    moves, found = searched(*BY_TURNS, most_boxes=1, lateness=-12)
    assert moves == 12
    assert found.has_left_out_late


def test_with_all_boxes_elsewhere_nothing_is_left_out() -> None:
    moves, found = searched(*BY_TURNS, most_boxes=2, lateness=0)
    assert moves == 8
    assert found.is_exhausted and not found.has_left_out_far and not found.has_left_out_late


def test_a_path_with_a_push_that_the_rules_forbid_is_refused() -> None:
    board = parse_board("@$.-")
    squares = Squares(board)
    task = build_task(board, squares, "moves")
    scratch = workspace_for(len(squares.squares), 1)
    start, right, left = words_of({1})[:1], 1 * 4 + 3, 1 * 4 + 1
    assert followed(task, scratch, start, 0, np.array([right], np.int16)).cost[-1] > 0
    with pytest.raises(RuntimeError, match="a push that the rules forbid"):
        followed(task, scratch, start, 0, np.array([left], np.int16))
