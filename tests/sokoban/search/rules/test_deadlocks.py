"""No deadlock rule calls a position deadlocked that can be solved, on small boards."""

import random
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from tests.sokoban.brute_force import Shape, connected_boards
from tests.sokoban.search.laid_out import LaidOut, for_python, lay_out_board
from tests.sokoban.search.push_graph import board_at, can_be_solved, push_graph, pushes_left
from tokoban.sokoban.board import Board, Direction, Square
from tokoban.sokoban.deadlocks import frozen_boxes
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.search.bitboard import terrain as terrains
from tokoban.sokoban.search.bitboard.levels import from_board
from tokoban.sokoban.search.bitboard.terrain import empty_terrain
from tokoban.sokoban.search.rules import corral_search, corrals, freeze, patterns
from tokoban.sokoban.search.rules.corrals import DEADLOCKED, NO_CORRAL
from tokoban.sokoban.search.rules.patterns import NUM_PATTERNS
from tokoban.sokoban.search.state.positions import unpacked_bits

has_deadlocked_corral_in = for_python(corral_search.has_deadlocked_corral)
find_pi_corral = for_python(corrals.find_pi_corral)
mark_frozen = for_python(freeze.mark_frozen)
frozen_entry = for_python(freeze.frozen_entry)
is_deadlocked_by_freeze = for_python(freeze.is_deadlocked_by_freeze)
survey = for_python(terrains.survey)
is_frozen_on_words = for_python(terrains.is_frozen)
has_pattern_of = for_python(patterns.has_pattern)

SHAPES = [Shape(4, 5, 3, is_closed=True), Shape(3, 5, 4, is_closed=True), Shape(3, 7, 3, False)]


def is_frozen(laid: LaidOut) -> bool:
    scratch = laid.scratch
    frozen_walls = laid.pruning.frozen_walls
    return is_deadlocked_by_freeze(laid.ground, frozen_walls, scratch.boxes, scratch.is_blocked)


def corral_verdict(laid: LaidOut) -> int:
    scratch = laid.scratch
    return find_pi_corral(
        laid.ground,
        scratch.boxes,
        scratch.is_blocked,
        scratch.area,
        laid.num_regions,
        laid.pruning.is_inside,
        laid.pruning.is_around,
        laid.pruning.may_move,
    )


def has_deadlocked_corral(laid: LaidOut) -> bool:
    pruning = laid.pruning
    return has_deadlocked_corral_in(
        laid.ground,
        pruning.patterns,
        pruning.corral_search,
        laid.scratch.boxes,
        laid.scratch.area,
        laid.num_regions,
        pruning.is_inside,
        laid.player,
        1 << 62,
    )


def has_pattern(laid: LaidOut, learned: LaidOut) -> bool:
    """Whether the position holds a pattern that was learned at another of the same level."""
    words, player = laid.words, laid.player
    boxes = laid.scratch.boxes
    return any(has_pattern_of(learned.pruning.patterns, words, box, player, 0) for box in boxes)


def check_prunings(board: Board, draw: random.Random, num_positions: int) -> Counter[str]:
    """Asks all prunings at some positions of a game; counts what they say, once per position."""
    graph = push_graph(board)
    alive = pushes_left(graph, board.goals)
    learned = lay_out_board(board)  # what is learned at one position is used at the others
    said: Counter[str] = Counter()
    for position in draw.choices(list(graph), k=num_positions):
        laid = replace(lay_out_board(board_at(board, position)), pruning=learned.pruning)
        verdict = corral_verdict(laid)
        found = {
            "frozen": is_frozen(laid),
            "no way into a corral": verdict == DEADLOCKED,
            "pattern": has_pattern(laid, learned),
            "corral": has_deadlocked_corral(laid),
        }
        assert not (any(found.values()) and position in alive), (found, position)
        said += Counter(name for name, is_lost in found.items() if is_lost)
        if (
            verdict not in (DEADLOCKED, NO_CORRAL)
            and position in alive
            and position[0] != board.goals
        ):
            may_move = {laid.squares[box] for box in laid.scratch.boxes[laid.pruning.may_move]}
            assert any(box in may_move and after in alive for box, after in graph[position])
            said["only these boxes"] += 1
    return said


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_prunings_keep_all_that_can_be_solved(shape: Shape) -> None:
    draw = random.Random(3)
    said: Counter[str] = Counter()
    for board in connected_boards(shape, 10, seed=5):
        said += check_prunings(board, draw, 40)
    assert {"frozen", "no way into a corral", "corral", "only these boxes"} <= set(said)


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("seed", range(4))
def test_prunings_keep_all_that_can_be_solved_on_many_more_boards(shape: Shape, seed: int) -> None:
    draw = random.Random(seed)
    for board in connected_boards(shape, 100, seed=100 + seed):
        check_prunings(board, draw, 100)


DEADLOCKED_BOARDS = {
    # Both boxes can only be pushed up into corners: the player never comes behind them.
    "two boxes before a dead end": "########|#--#####|#$$----#|#------#|#..---@#|########",
    # The same in a crowd that could move all day.
    "in a crowd": "########|#--#####|#$$----#|#----$-#|#..-.-@#|########",
}


@pytest.mark.parametrize("name", DEADLOCKED_BOARDS)
def test_a_corral_that_never_opens_is_lost_though_nothing_is_frozen(name: str) -> None:
    board = parse_board(DEADLOCKED_BOARDS[name])
    laid = lay_out_board(board)
    assert not frozen_boxes(board) and not is_frozen(laid)
    assert corral_verdict(laid) == DEADLOCKED
    assert has_deadlocked_corral(laid)
    assert not can_be_solved(board)


def test_a_pattern_holds_the_boxes_and_the_area_of_the_corral_and_is_found_among_others() -> None:
    learned = lay_out_board(parse_board(DEADLOCKED_BOARDS["two boxes before a dead end"]))
    assert has_deadlocked_corral(learned)
    patterns = learned.pruning.patterns
    assert patterns.progress[NUM_PATTERNS] == 1
    boxes = np.flatnonzero(unpacked_bits(patterns.boxes[0], len(learned.squares)))
    assert boxes.tolist() == learned.numbers({Square(2, 1), Square(2, 2)})
    area = np.flatnonzero(unpacked_bits(patterns.area[0], len(learned.squares)))
    beyond = {Square(1, 1), Square(1, 2), Square(2, 1), Square(2, 2)}
    assert area.tolist() == learned.numbers(set(learned.squares) - beyond)
    assert has_pattern(lay_out_board(parse_board(DEADLOCKED_BOARDS["in a crowd"])), learned)
    inside_the_corral = "########|#@-#####|#$$----#|#----$-#|#..-.--#|########"
    assert not has_pattern(lay_out_board(parse_board(inside_the_corral)), learned)


@pytest.mark.parametrize(
    "drawing",
    [
        "#########|#-..#--@#|#---$-$-#|#---#---#|#########",
        # On a goal already, but the one inside is bare.
        "#########|#--.#--@#|#---*-$-#|#---#---#|#########",
    ],
)
def test_a_corral_that_must_be_entered_now_binds_the_moves_to_its_boxes(drawing: str) -> None:
    # The box in the doorway can only be pushed into the room, and has to be; the other may wait.
    laid = lay_out_board(parse_board(drawing))
    assert corral_verdict(laid) not in (DEADLOCKED, NO_CORRAL)
    assert [laid.squares[box] for box in laid.scratch.boxes[laid.pruning.may_move]] == [(2, 4)]


@pytest.mark.parametrize(
    "drawing",
    [
        # The lower box could be pushed in once the box behind it is gone.
        "###########|#--#------#|#.-$------#|#--#-----@#|#.-$$-----#|#--#---.--#|###########",
        # The box can be pushed along the wall instead of into the niche.
        "#########|####-####|#---$--.#|#@------#|#########",
        # The box below the niche can be pushed along the wall once the one beside it is gone.
        "#######|####.##|#.-$$-#|#-----#|#--@--#|#######",
        # The room is finished.
        "##########|#--#----@#|#--*--$--#|#--#--.--#|##########",
    ],
)
def test_a_corral_with_other_ways_binds_nobody(drawing: str) -> None:
    assert corral_verdict(lay_out_board(parse_board(drawing))) == NO_CORRAL


def test_a_corral_entered_from_another_region_takes_that_region_in() -> None:
    # The left box is pushed from the room in the middle, which the right box has to open.
    board = parse_board("##########|####---###|#.-$-.-$@#|####---###|##########")
    laid = lay_out_board(board)
    assert corral_verdict(laid) not in (DEADLOCKED, NO_CORRAL)
    assert laid.pruning.may_move.all()
    assert can_be_solved(board)


def test_boxes_frozen_on_goals_shut_others_off_from_theirs() -> None:
    board = parse_board("######|#.*###|##--##|#--$-#|#@---#|######")
    laid = lay_out_board(board)
    assert frozen_boxes(board) == {Square(1, 2)}
    assert is_frozen(laid)
    assert not can_be_solved(board)
    # Not so where the goal lies elsewhere.
    assert not is_frozen(lay_out_board(parse_board("######|#-*###|##--##|#--$-#|#@-.-#|######")))


def test_frozen_boxes_are_those_of_the_plain_function_where_no_squares_are_dead() -> None:
    num_frozen = 0
    for board in connected_boards(Shape(4, 4, 5, is_closed=True), 60, seed=11):
        laid = lay_out_board(board)
        # Only walls hold a box along an axis.
        num_floor = len(laid.squares)
        is_wall = laid.ground.neighbours == num_floor
        by_walls = np.ascontiguousarray((is_wall[:, :2] | is_wall[:, 2:]).T)
        ground = laid.ground._replace(is_immovable=by_walls)
        is_immobile = np.zeros(num_floor + 1, np.bool_)
        mark_frozen(ground, laid.scratch.boxes, laid.scratch.is_blocked, is_immobile)
        found = {laid.squares[box] for box in laid.scratch.boxes if is_immobile[box]}
        assert found == frozen_boxes(board)
        num_frozen += len(found)
    assert num_frozen > 20


def test_the_freeze_rule_on_words_is_that_on_squares() -> None:
    verdicts = Counter[bool]()
    shapes = Shape(5, 5, 5, is_closed=True), Shape(6, 7, 2, is_closed=False)
    for board in (board for shape in shapes for board in connected_boards(shape, 60, seed=17)):
        level = from_board(board)
        assert level is not None
        laid = lay_out_board(board)
        scratch = laid.scratch
        is_immobile = np.zeros(len(laid.squares) + 1, np.bool_)
        on_squares = mark_frozen(laid.ground, scratch.boxes, scratch.is_blocked, is_immobile) < 0
        terrain = empty_terrain(len(board.goals))
        survey(terrain, ~level.walls[0], level.goals[0])
        boxes = level.boxes[0]
        cells = [np.uint64(1) << np.uint64(i) for i in range(64) if int(boxes) >> i & 1]
        assert any(is_frozen_on_words(terrain, boxes, cell) for cell in cells) == on_squares
        verdicts[on_squares] += 1
    assert min(verdicts[True], verdicts[False]) > 5


def test_goals_are_reached_by_pushes_between_walls_and_frozen_boxes() -> None:
    draw = random.Random(6)
    num_shut_off = 0
    for board in connected_boards(Shape(4, 5, 4, is_closed=True), 40, seed=12):
        laid = lay_out_board(board)
        frozen = set(draw.sample(sorted(board.boxes), 2))
        floor = board.inside() - frozen
        is_immobile = np.array([square not in floor for square in laid.squares] + [True])
        walls = laid.pruning.frozen_walls
        entry = frozen_entry(laid.ground, walls, laid.scratch.boxes, is_immobile)
        for goal, number in enumerate(laid.ground.goals):
            reached = [laid.squares[number]]
            for square in reached if reached[0] in floor else []:
                for direction in Direction:
                    before = square.neighbour(direction)
                    behind = before.neighbour(direction)
                    if {before, behind} <= floor and before not in reached:
                        reached.append(before)
            bits = walls.goals[entry, :, 0] >> np.uint64(goal) & np.uint64(1)
            assert {laid.squares[i] for i in np.flatnonzero(bits)} == set(reached)
            num_shut_off += len(reached) < len(floor)
    assert num_shut_off > 20


def test_a_box_between_dead_squares_is_frozen_with_the_wall_above() -> None:
    # No goal on the upper wall: left and right of the box are as good as walls.
    board = parse_board("#######|#--$--#|#-----#|#@.---#|#######")
    assert not frozen_boxes(board)
    assert is_frozen(lay_out_board(board))
    assert not can_be_solved(board)
