"""Boxes and goals beyond the player's reach: decoration, or proof that a level has no solution.

Everything that answers for a level is compared with a plain search through all play of it.
"""

import random
from functools import cache

import pytest
import torch

from tests.sokoban.brute_force import fewest, reachable
from tokoban.sokoban.board import Board, Direction, Square
from tokoban.sokoban.canonical import canonical_form, canonical_hash
from tokoban.sokoban.formats import Level, parse_board, parse_levels, write_levels
from tokoban.sokoban.formats.legality import find_fault
from tokoban.sokoban.interior import enclosed
from tokoban.sokoban.proofs.checker import find_fault as find_fault_in_certificate
from tokoban.sokoban.proofs.explainer import Deadlocked, explain
from tokoban.sokoban.puzzles.rating import rate
from tokoban.sokoban.rules import play
from tokoban.sokoban.search.bitboard.batch import solve_many
from tokoban.sokoban.search.bitboard.driver import Verdict
from tokoban.sokoban.search.bitboard.levels import from_board
from tokoban.sokoban.search.combine.optimiser import optimise
from tokoban.sokoban.search.combine.solver import solve
from tokoban.sokoban.search.limits import Limits
from tokoban.sokoban.simulation import bitboards, wide_bitboards

CORRIDOR = "#####|#@$.#|#####"
# Beside a level that could be solved: what makes it one that cannot be, or leaves it alone.
DECORATED = "#####--|#@$.#-*|#####--"
BOX_AND_GOAL = "#######|#@$.#$#|#####.#|#######"
ALL_OUTSIDE = "#####---|#@-#-$.|#####---"
ONLY_DECORATION = "######|#@-#*#|######"
BOX_OUTSIDE = "########|#@.-#$-#|########"
GOAL_OUTSIDE = "########|#@$-#.-#|########"
UNSOLVABLE = [BOX_AND_GOAL, ALL_OUTSIDE, BOX_OUTSIDE, GOAL_OUTSIDE]


def two_rooms(chance: random.Random) -> Board:
    """The player in a room of up to 3x4 squares, and beside it one that has no door."""
    height, width, other = chance.choice([2, 3]), chance.choice([3, 4]), chance.choice([1, 2, 3])
    left = [Square(1 + i, 1 + j) for i in range(height) for j in range(width)]
    right = [Square(1 + i, 2 + width + j) for i in range(height) for j in range(other)]
    num_boxes = chance.choice([1, 2])
    outside = chance.randrange(3)  # boxes and goals besides, anywhere in the other room
    player, *rest = chance.sample(left, 1 + num_boxes)
    outside = min(outside, len(right))
    boxes = frozenset(rest) | frozenset(chance.sample(right, outside))
    goals = chance.sample(left, num_boxes) + chance.sample(right, outside)
    if chance.random() < 0.3 and outside:  # not as many of each in each room
        goals = chance.sample(left + right, len(boxes))
    if chance.random() < 0.5:  # or decoration alone
        goals = [*goals[:num_boxes], *sorted(boxes)[-outside:]] if outside else goals
        goals = goals if len(set(goals)) == len(boxes) else chance.sample(left + right, len(boxes))
    squares = {Square(i, j) for i in range(height + 2) for j in range(width + other + 3)}
    free = set(left + right)
    walls = {square for square in free if chance.random() < 0.1} - {player} - boxes - set(goals)
    board = Board(
        height + 2,
        width + other + 3,
        frozenset(squares - free | walls),
        frozenset(goals),
        boxes,
        player,
    )
    return board


@cache
def judged() -> list[tuple[Board, int | None]]:
    """Boards with the fewest moves to the end by all play of the plain rules, or None.

    Among them are solvable boards, and unsolvable ones for both kinds of reasons.
    """
    chance = random.Random(5)
    found = [two_rooms(chance) for _ in range(40)]
    best = [fewest(reachable(board), board, lambda before, after: 1) for board in found]
    reasons = {(bool(enclosed(b)), moves is None) for b, moves in zip(found, best, strict=True)}
    assert reasons == {(False, False), (False, True), (True, True)}
    return list(zip(found, best, strict=True))


def test_what_is_enclosed_is_what_no_play_can_change() -> None:
    for board, _ in judged():
        after = reachable(board)
        moved = {square for later in after for square in board.boxes ^ later.boxes}
        assert not enclosed(board) & moved
        if enclosed(board):
            assert not any(later.is_solved for later in after)
        assert find_fault(board) is None
        assert parse_levels(write_levels([Level(board)])).levels[0].board == board


@pytest.mark.parametrize("minimise", ["moves", "pushes", "any"])
def test_every_search_says_of_enclosed_boxes_what_plain_play_says(minimise: str) -> None:
    for board, best in judged():
        answer = solve(board, minimise=minimise)
        if best is None:
            assert answer.status == "unsolvable"
            continue
        assert answer.solution is not None
        assert play(board, answer.solution.directions)[-1].is_solved
        assert minimise != "moves" or len(answer.solution.directions) == best


def test_batches_of_words_and_certificates_say_the_same() -> None:
    for board, best in judged():
        is_solvable = best is not None
        level = from_board(board)
        assert level is not None
        verdict = solve_many(level, "any").verdict[0]
        assert verdict == (Verdict.SOLVED if is_solvable else Verdict.UNSOLVABLE)
        explained = explain(board)
        assert isinstance(explained, Deadlocked) != is_solvable
        if isinstance(explained, Deadlocked):
            assert find_fault_in_certificate(explained.certificate) is None


def test_the_rating_and_the_optimiser_leave_decoration_alone() -> None:
    for drawing in UNSOLVABLE:
        assert rate(parse_board(drawing)).status == "unsolvable"
        with pytest.raises(ValueError, match="do not solve the board"):
            optimise(parse_board(drawing), [Direction.RIGHT] * ("@$" in drawing))
    rated, plain = rate(parse_board(DECORATED)), rate(parse_board(CORRIDOR))
    assert (rated.status, rated.reachable) == ("solved", plain.reachable)
    shortest = optimise(parse_board(DECORATED), [Direction.RIGHT])
    assert (str(shortest.solution), shortest.optimum) == ("R", "moves")
    assert rate(parse_board(ONLY_DECORATION), limits=Limits()).status == "solved"


def test_a_level_is_another_one_with_a_box_that_nothing_can_move() -> None:
    forms = [canonical_form(parse_board(drawing)) for drawing in (CORRIDOR, DECORATED)]
    assert forms[0] == forms[1] != canonical_form(parse_board(BOX_AND_GOAL))
    assert canonical_hash(parse_board(BOX_AND_GOAL)) != canonical_hash(parse_board(CORRIDOR))


@pytest.mark.parametrize("rules", [bitboards, wide_bitboards])
def test_the_fast_rules_play_such_boards_as_the_plain_ones_do(rules) -> None:
    chance = random.Random(3)
    for board, _ in judged():
        packed = rules.pack([board])
        actions = [chance.choice(list(Direction)) for _ in range(30)]
        for action, later in zip(actions, play(board, actions)[1:], strict=True):
            packed = rules.step(packed, torch.tensor([action]))
            assert bool(rules.is_solved(packed)[0]) == later.is_solved


def test_a_level_too_far_from_what_is_enclosed_has_no_word() -> None:
    far = "#####-----|#@$.#----$|#####-----|.---------"
    assert from_board(parse_board(far)) is None
    assert solve(parse_board(far), minimise="moves").status == "unsolvable"


def test_an_environment_is_solved_only_where_nothing_is_enclosed() -> None:
    pytest.importorskip("gymnasium")
    from tokoban.sokoban.simulation.environment import SokobanEnv

    env = SokobanEnv([parse_board(drawing) for drawing in (BOX_AND_GOAL, DECORATED)])
    for level, is_solvable in enumerate((False, True)):
        env.reset(seed=1, options={"level": level})
        assert env.step(Direction.RIGHT)[2] == is_solvable
