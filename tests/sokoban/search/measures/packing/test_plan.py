"""The packing plan of FESS and what compiled code asks of it."""

from collections.abc import Iterable
from itertools import pairwise
from typing import no_type_check

import numpy as np
import pytest

from tests.sokoban.search.measures.packing.relaxed import Relaxed, draw_board
from tests.sokoban.search.measures.packing.test_pulls import PARKING
from tokoban.compiling import entry
from tokoban.sokoban.board import Board, Square
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.search.level.ground import NONE, Squares, grounds_both_ways
from tokoban.sokoban.search.measures.packing import fillings, plan, planning
from tokoban.sokoban.search.measures.packing.plan import Packing
from tokoban.sokoban.search.measures.packing.planning import packing_in_steps
from tokoban.sokoban.search.state.positions import packed_bits
from tokoban.sokoban.search.steps import completed


@entry
@no_type_check
def all_asked(packing, is_blocked, words):
    """Packed, boxes out of plan, and the first word of squares out of plan."""
    packed, point = plan.progress_of_plan(packing, is_blocked)
    return (
        packed,
        plan.out_of_plan(packing, words, point),
        packing.points.out_of_plan[point, 0],
    )


# The lane on the left is packed from its far end, and the goal on the right is a room of its own.
LANE = parse_board("##########|#..-$$$-.#|#####-@--#|##########")


def packing_of(board: Board) -> tuple[Squares, Packing]:
    squares = Squares(board)
    grounds = grounds_both_ways(board, squares)
    packing = completed(packing_in_steps(*grounds, squares.number[board.player]))
    return squares, packing


def asked(squares: Squares, packing: Packing, boxes: Iterable[int]) -> list[int]:
    is_blocked = np.zeros(len(squares.squares) + 1, np.bool_)
    is_blocked[[*boxes, -1]] = True
    answers = all_asked(packing, is_blocked, packed_bits(is_blocked[:-1]))
    return [int(answer) for answer in answers]


@pytest.mark.parametrize("board", [LANE, *(parse_board(drawing) for drawing in PARKING)])
def test_a_game_by_the_plan_packs_one_more_at_each_step(board: Board) -> None:
    squares, packing = packing_of(board)
    boxes: set[int] = set()
    leaves_from = moves_on(packing)
    for step, square in enumerate(packing.steps.tolist()):
        assert asked(squares, packing, boxes)[0] == step
        boxes -= {leaves_from.get(step)}
        boxes.add(square)
    assert boxes == set(squares.numbers(board.goals).tolist())


def test_without_pulls_goals_are_filled_from_far_to_near(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planning, "MAX_BOXES", 0)
    squares, packing = packing_of(parse_board("########|#.-.@-.#|#-$$$--#|########"))
    filled = [squares.squares[step] for step in packing.steps.tolist()]
    assert filled == [Square(1, 1), Square(1, 6), Square(1, 3)]


def moves_on(packing: Packing) -> dict[int, int]:
    """The steps that move a box on, and from which square: the base of the next stage lacks it."""
    found = {}
    firsts = packing.first_base.tolist()
    bases = [set(packing.base[i:j].tolist()) for i, j in pairwise(firsts)]
    for stage, (first, end) in enumerate(pairwise(packing.first_step.tolist()[:-1])):
        (gone,) = (bases[stage] | set(packing.steps[first:end].tolist())) - bases[stage + 1]
        found[end - 1] = gone
    return found


@pytest.mark.parametrize("board", [parse_board(drawing) for drawing in PARKING])
def test_packed_is_the_latest_stage_and_its_largest_consistent_fillings(board: Board) -> None:
    squares, packing = packing_of(board)
    draw = np.random.default_rng(7)
    plan_squares = sorted({*packing.steps.tolist(), *packing.base.tolist()})
    for _ in range(200):
        boxes = {square for square in plan_squares if draw.random() < 0.7}
        assert asked(squares, packing, boxes)[0] == slowly_packed(packing, boxes)


def test_obstructions_pack_as_much_as_listed_fillings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it is less than all, nearly always: boxes are taken away greedily."""
    draw = np.random.default_rng(6)
    num_equal = num_less = 0
    for _ in range(150):
        board = draw_board(draw, 4, 5, int(draw.integers(3, 7)), walls=0.15)
        # Obstructions do not say that the player must be in one region for all of them.
        if board is None or len((level := Relaxed.of(board)).regions(level.goals)) > 1:
            continue
        squares, packing = packing_of(board)
        with monkeypatch.context() as patch:
            patch.setattr(fillings, "MAX_FILLINGS", 1)
            _, unlisted = packing_of(board)
        if (packing.core != 0).any():
            continue  # some box can never leave, and obstructions say nothing of that
        assert len(unlisted.fillings) == 0
        goals = squares.numbers(board.goals).tolist()
        for _ in range(30):
            boxes = [goal for goal in goals if draw.random() < 0.6]
            packed, most = (asked(squares, one, boxes)[0] for one in (unlisted, packing))
            assert packed <= most and (packed == len(boxes)) == (most == len(boxes))
            num_less += most < len(boxes)
            num_equal += packed == most < len(boxes)
    assert num_less > 50 and num_equal > 0.95 * num_less, (num_equal, num_less)


def runs(values: np.ndarray, firsts: np.ndarray) -> list[list[int]]:
    return [values[i:j].tolist() for i, j in pairwise(firsts.tolist())]


def slow_stage(packing: Packing, boxes: set[int]) -> int:
    """The latest stage whose base is filled; NONE if there is none."""
    stages = list(enumerate(runs(packing.base, packing.first_base)))
    return next((stage for stage, base in reversed(stages) if boxes >= set(base)), NONE)


def slow_packed_sets(packing: Packing, stage: int, boxes: set[int]) -> list[set[int]]:
    """Of each group of the stage the largest consistent filling."""
    squares = runs(packing.squares, packing.first_square)
    listed = runs(packing.fillings, packing.first_filling)
    packed = []
    for group in range(packing.first_group[stage], packing.first_group[stage + 1]):
        sets = [{s for i, s in enumerate(squares[group]) if f >> i & 1} for f in listed[group]]
        packed.append(next(filling for filling in sets if filling <= boxes))
    return packed


def slowly_packed(packing: Packing, boxes: set[int]) -> int:
    stage = slow_stage(packing, boxes)
    if stage == NONE:
        return len(boxes & set(runs(packing.base, packing.first_base)[0]))
    packed = slow_packed_sets(packing, stage, boxes)
    return int(packing.first_step[stage]) + sum(map(len, packed))


def slowly_out_of_plan(packing: Packing, neighbours: np.ndarray, boxes: set[int]) -> set[int]:
    """By adding what the plan fills next until more squares are out of plan than it fills."""
    latest = slow_stage(packing, boxes)
    stage = max(latest, 0)
    steps = packing.steps.tolist()
    first, end = packing.first_step[stage : stage + 2].tolist()
    packed = boxes & set(runs(packing.base, packing.first_base)[stage])
    if latest == NONE:
        first = 0
    else:
        packed = packed.union(*slow_packed_sets(packing, stage, boxes))
    leaves = {square for step, square in moves_on(packing).items() if step >= end - 1}

    def in_plan(packed: set[int]) -> set[int]:
        walls = packed - leaves | {len(neighbours) - 1}
        reached = [s for s in steps[first:end] if s not in packed] + steps[end:]
        for square in reached:
            for direction in range(4):
                before = int(neighbours[square, direction])
                if before not in reached and not {before, neighbours[before, direction]} & walls:
                    reached.append(before)
        return set(reached)

    now = in_plan(packed)
    everything = set(range(len(neighbours) - 1))
    for square in steps[first : min(end, len(steps) - 1)]:
        if square not in packed | leaves:
            packed = packed | {square}
            now, before = in_plan(packed), now
            if len(now) < len(before) - 1:
                break
    return everything - now - packed


@pytest.mark.parametrize("board", [LANE, *(parse_board(drawing) for drawing in PARKING)])
def test_out_of_plan_is_what_the_next_change_cuts_off(board: Board) -> None:
    squares, packing = packing_of(board)
    draw = np.random.default_rng(8)
    plan_squares = sorted({*packing.steps.tolist(), *packing.base.tolist()})
    num_out = 0
    for _ in range(100):
        boxes = {square for square in plan_squares if draw.random() < 0.7}
        *_, bits = asked(squares, packing, boxes)
        out = {square for square in range(len(squares.squares)) if bits >> square & 1}
        assert out == slowly_out_of_plan(packing, squares.neighbours, boxes)
        num_out += len(out)
    assert num_out > 100
