"""Batches of boards of one word: the answers, what the search knows, and the limits."""

import threading
from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from tests.sokoban.brute_force import Shape, moved, random_boards
from tests.sokoban.search.bitboard.swept import LARGE, labels_of, words_of
from tokoban.sokoban import rules
from tokoban.sokoban.board import Board, Square
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.search.bitboard import layers, worker, workspace
from tokoban.sokoban.search.bitboard.batch import Solving, solve_many, workspace_for
from tokoban.sokoban.search.bitboard.driver import Answers, Verdict
from tokoban.sokoban.search.bitboard.levels import from_bitboards, from_board
from tokoban.sokoban.search.bitboard.worker import complete
from tokoban.sokoban.search.combine.solver import solve
from tokoban.sokoban.search.level.ground import Squares, build_ground
from tokoban.sokoban.search.limits import Limits
from tokoban.sokoban.search.outcome import Outcome
from tokoban.sokoban.simulation.bitboards import image, pack
from tokoban.sokoban.symmetry import SYMMETRIES

# Open and closed, up to the whole word, with few boxes and with more than four.
SHAPES = [
    Shape(8, 8, 2, is_closed=False),
    Shape(6, 5, 3, is_closed=True),
    Shape(7, 8, 4, is_closed=False),
    Shape(4, 5, 5, is_closed=True),
]
BOARDS = [board for shape in SHAPES for board in random_boards(shape, 29, seed=11)]
PUSH, LOST = parse_board("@$."), parse_board("@-$--|.----")


def equal(first: Answers, second: Answers) -> bool:
    return all(np.array_equal(*arrays) for arrays in zip(first, second, strict=True))


@pytest.mark.parametrize("objective", ["moves", "pushes", "any"])
def test_a_batch_answers_as_single_boards_do(objective: str) -> None:
    answers = solve_many(words_of(BOARDS), objective)
    for i, board in enumerate(BOARDS):
        alone = solve(board, minimise=objective)
        assert (answers.verdict[i] == Verdict.SOLVED) == (alone.status == "solved")
        solution = alone.solution.directions if alone.solution is not None else ()
        assert answers.directions(i) == solution
        boards = rules.play(board, solution)
        assert boards[-1].is_solved == (alone.status == "solved")
        num_pushes = sum(a.boxes != b.boxes for a, b in pairwise(boards))
        assert (answers.num_moves[i], answers.num_pushes[i]) == (len(solution), num_pushes)
    assert set(answers.verdict) == {Verdict.SOLVED, Verdict.UNSOLVABLE}


@pytest.mark.parametrize("unit", ["moves", "pushes"])
def test_the_shortest_solutions_are_as_long_as_the_sweep_says(unit: str) -> None:
    levels = words_of(BOARDS)
    answers = solve_many(levels, unit)
    labels = labels_of(levels, unit)
    length = answers.num_moves if unit == "moves" else answers.num_pushes
    is_solved = answers.verdict == Verdict.SOLVED
    assert np.array_equal(labels.verdict, answers.verdict)
    assert np.array_equal(labels.distance[is_solved], length[is_solved])


def test_growing_room_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    stops = set()

    def recording(room: workspace.Workspace, stop: Outcome) -> workspace.Workspace:
        stops.add(stop)
        return workspace.grown(room, stop)

    monkeypatch.setattr(worker, "grown", recording)
    far = parse_board("@-------|-$$-----|-$-$----|--$-----|--------|--#-..--|----...-")
    levels = words_of([*BOARDS, far])
    growing = solve_many(levels, "moves")
    monkeypatch.setattr(workspace, "_FIRST_POSITIONS", 1 << 16)
    monkeypatch.setattr(layers, "_FIRST_SETS", 1 << 16)
    roomy = solve_many(levels, "moves")
    monkeypatch.setattr(layers, "_FIRST_DIGITS", 1)
    deepening = solve_many(levels, "moves")
    assert stops == {Outcome.STORE_FULL, Outcome.LAYERS_FULL, Outcome.LAYERS_TOO_DEEP}
    assert equal(growing, roomy)
    assert equal(growing, deepening)


def test_boxes_out_of_reach_matter_only_off_their_goals() -> None:
    boards = ["@$.-#*#|-----##", "@$.-#$#|----##.", "@*--|----", "$.-@#*#|-----##"]
    answers = solve_many(words_of([parse_board(board) for board in boards]), "pushes")
    solved, lost = Verdict.SOLVED, Verdict.UNSOLVABLE
    assert list(answers.verdict) == [solved, lost, solved, lost]
    assert list(answers.num_moves) == [1, 0, 0, 0]


def moved_into_a_large_board(board: Board) -> Board:
    """The board with its top left in row 3, column 41 of a board of walls."""
    squares = {*board.squares()} - board.walls, board.goals, board.boxes, {board.player}
    floor, goals, boxes, (player,) = (moved(some, 3, 41) for some in squares)
    walls = frozenset(Square(row, column) for row in range(53) for column in range(61)) - floor
    return Board(53, 61, walls, goals, boxes, player)


def test_a_part_of_a_large_board_that_fits_one_word_keeps_its_solution() -> None:
    for board in BOARDS[:5]:
        answer, moved_answer = solve(board), solve(moved_into_a_large_board(board))
        assert moved_answer.status == answer.status
        assert str(moved_answer.solution) == str(answer.solution)
    assert from_board(parse_board("@--------")) is None


def test_open_positions_know_the_cheapest_matching() -> None:
    num_checked = 0
    for board in BOARDS:
        level = from_board(board)
        assert level is not None
        room = workspace_for(level)
        work = Solving(level, "pushes", Limits(max_expansions=17))
        work.run(room, 1 << 20)
        terrain, store, goals = room.terrain, room.store, int(level.goals[0])
        for total in range(100):
            position = store.bucket[total]
            while position > 0:  # the start is not estimated
                boxes, player = int(store.boxes[position]), int(store.player[position])
                price = [
                    [int(pushes) for pushes in terrain.pushes[place][: goals.bit_count()]]
                    for cell in range(64)
                    if boxes >> cell & 1
                    for place in [4 * cell + side_of(terrain.area, terrain.words[2], cell, player)]
                ]
                left = np.array(price)[linear_sum_assignment(price)].sum()
                assert total - store.price[position] == left
                num_checked += 1
                position = store.next_open[position]
    assert num_checked > 300


def side_of(area: np.ndarray, split: np.uint64, cell: int, player: int) -> int:
    """The side on which the place of a box and a player is kept."""
    if not int(split) >> cell & 1:
        return 0
    return next(side for side in range(4) if int(area[4 * cell + side]) & player)


def test_a_box_held_by_a_loose_one_is_not_frozen() -> None:
    # The first push brings the upper box between a wall and the lower box, which can go aside.
    boards = pack([parse_board("#@##|#$--|#---|-$.-|-.--")])
    for symmetry in SYMMETRIES:
        level = from_bitboards(image(boards, symmetry))
        assert solve_many(level, "pushes").num_pushes[0] == 4


def test_pushes_of_a_lone_box_are_those_of_the_ground() -> None:
    for board in BOARDS:
        level = from_board(board)
        if level is None or board.is_solved or not board.boxes | board.goals <= board.inside():
            continue
        room = workspace_for(level)
        Solving(level, "pushes", Limits(max_expansions=0)).run(room, 1)
        numbered = Squares(board)
        squares, ground = numbered.squares, build_ground(board, numbered)
        top, left = min(row for row, _ in squares), min(column for _, column in squares)
        cells = [8 * (row - top) + column - left for row, column in squares]
        for i, cell in enumerate(cells):
            for j, player in enumerate(cells):
                if i != j:
                    side = side_of(room.terrain.area, room.terrain.words[2], cell, 1 << player)
                    expected = ground.pushes[4 * i + int(ground.zone[i, j])]
                    found = room.terrain.pushes[4 * cell + side, : len(expected)]
                    assert np.array_equal(np.minimum(expected, 1 << 14), found)


def test_expansions_are_a_limit_for_each_level() -> None:
    levels = words_of([PUSH, LARGE, LOST, LARGE])
    answers = solve_many(levels, "moves", limits=Limits(max_expansions=1009))
    solved, limited, lost = Verdict.SOLVED, Verdict.OUT_OF_EXPANSIONS, Verdict.UNSOLVABLE
    assert list(answers.verdict) == [solved, limited, lost, limited]
    assert list(answers.expansions[[1, 3]]) == [1009, 1009]
    assert list(answers.ends) == [1, 1, 1, 1]


def test_memory_is_a_limit_that_holds() -> None:
    level, limits = words_of([LARGE]), Limits(memory_limit_mb=11.0)
    work = Solving(level, "moves", limits)
    workspace = complete(work, workspace_for(level), limits)
    assert work.answers().verdict[0] == Verdict.OUT_OF_MEMORY
    assert 1e6 < workspace.num_bytes < 11e6


def test_the_stop_flag_leaves_every_level_undone_that_is_left() -> None:
    levels = words_of([PUSH, LARGE, PUSH])

    class SetAfterTheFirst(threading.Event):
        def is_set(self) -> bool:
            return bool(work.progress[0] == 1)

    limits = Limits(stop=SetAfterTheFirst())
    work = Solving(levels, "moves", limits)
    complete(work, workspace_for(levels), limits)
    answers = work.answers()
    assert list(answers.verdict) == [Verdict.SOLVED, Verdict.UNKNOWN, Verdict.UNKNOWN]
    assert [len(answers.directions(level)) for level in range(3)] == [1, 0, 0]
