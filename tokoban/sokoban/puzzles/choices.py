"""The pushes to choose from along a solution, and how many of them lose.

Axes: Q pushes, W words of 64 squares.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import no_type_check

import numpy as np
from jaxtyping import Int16, UInt64

from tokoban.compiling import entry
from tokoban.sokoban.board import Board
from tokoban.sokoban.deadlocks import frozen_boxes
from tokoban.sokoban.formats import lurd
from tokoban.sokoban.puzzles.state_space import Choices, Exploration
from tokoban.sokoban.search.bitboard.batch import solve_many
from tokoban.sokoban.search.bitboard.driver import Verdict
from tokoban.sokoban.search.bitboard.levels import Levels, from_board
from tokoban.sokoban.search.combine.solver import solve
from tokoban.sokoban.search.level.ground import Squares
from tokoban.sokoban.search.limits import Limits, Watch
from tokoban.sokoban.search.state.positions import bit_of, packed_bits, unpacked_bits, write_moved
from tokoban.sokoban.search.state.workspace import least_of_area, place_boxes, workspace_for
from tokoban.sokoban.sizes import SIDE

# Most pushes are known after so few; the others share the time that is left.
_FIRST_EXPANSIONS = 200
_PART_BYTES = 64_000_000  # of the pushes along a part of a solution


def choices_along(
    board: Board,
    solution: Sequence[int],
    *,
    limits: Limits,
    exploration: Exploration | None = None,
) -> Choices:
    """The choices wherever the solution of ``board`` makes a push.

    The limits hold for each push that is looked into, their time and stop flag for all of them
    together. No push is looked into where an ``exploration`` of the same board is given.
    """
    watch = Watch(limits)
    squares = Squares(board)
    num_boxes, num_words = len(squares.numbers(board.boxes)), -(-len(squares.squares) // 64)
    most_pushes = max(_PART_BYTES // (32 * num_words * max(num_boxes, 1)), 1)
    most = 4 * num_boxes * min(most_pushes, len(solution))
    after = np.empty((most, num_words), np.uint64), np.empty(most, np.int16)
    was_made = np.empty(most, np.bool_)
    scratch = workspace_for(len(squares.squares), num_boxes)
    boxes = packed_bits(squares.is_among(board.boxes))
    count = _count_losing if from_board(board) is None else _count_losing_of_words
    player = squares.number[board.player]
    sums = np.zeros(4, np.int64)
    for part in _parts(board, solution, most_pushes):
        moves = np.array(part, np.int8)
        positions, pushes = _list_pushes(
            squares.neighbours, boxes, player, moves, scratch, *after, was_made
        )
        is_other = np.flatnonzero(~was_made[:pushes])  # a push of the solution never loses
        others = after[0][is_other], after[1][is_other]
        if exploration is not None:
            losing, unknown = exploration.count_losing(*others), 0
        else:
            losing, unknown = count(board, squares, *others, watch)
        sums += positions, pushes, losing, unknown
        for move in part:
            player = int(squares.neighbours[player, move])
    return Choices(*sums.tolist())


def _parts(board: Board, solution: Sequence[int], most_pushes: int) -> Iterator[list[int]]:
    """The solution in parts of so many pushes."""
    part: list[int] = []
    pushes = 0
    for letter, direction in zip(lurd.format(board, solution), solution, strict=True):
        part.append(direction)
        pushes += letter.isupper()
        if pushes == most_pushes:
            yield part
            part, pushes = [], 0
    yield part


def _count_losing_of_words(
    board: Board,
    squares: Squares,
    boxes: UInt64[np.ndarray, "Q W"],
    player: Int16[np.ndarray, " Q"],
    watch: Watch,
) -> tuple[int, int]:
    """``_count_losing`` of boards that fit one word, many at once."""
    level = from_board(board)
    assert level is not None
    top, left = (min(numbers) for numbers in zip(*squares.squares, strict=True))
    cells = [1 << (row - top) * SIDE + column - left for row, column in squares.squares]
    bits = np.array(cells, np.uint64)
    walls, goals = (np.repeat(word, len(boxes)) for word in (level.walls, level.goals))
    after = Levels(walls, goals, unpacked_bits(boxes, len(bits)) @ bits, bits[player])
    at_first = watch.as_stop_flag().at_most(_FIRST_EXPANSIONS)
    verdicts = solve_many(after, "any", limits=at_first).verdict
    rest = np.flatnonzero(verdicts == Verdict.OUT_OF_EXPANSIONS)
    limits = watch.rest(1 / max(len(rest), 1))
    hard = Levels(*(word[rest] for word in after))
    verdicts[rest] = solve_many(hard, "any", limits=limits).verdict
    is_losing = verdicts == Verdict.UNSOLVABLE
    return int(is_losing.sum()), int((~is_losing & (verdicts != Verdict.SOLVED)).sum())


def _count_losing(
    board: Board,
    squares: Squares,
    boxes: UInt64[np.ndarray, "Q W"],
    player: Int16[np.ndarray, " Q"],
    watch: Watch,
) -> tuple[int, int]:
    """The numbers of these positions without a solution, and of those where that is unknown."""
    outside = board.boxes.difference(squares.squares)
    is_open = (boxes != packed_bits(squares.is_among(board.goals))).any(axis=1)  # not solved
    boxes, player = boxes[is_open], player[is_open]
    losing = unknown = 0
    for number, stands_on in enumerate(player.tolist()):
        if watch.reason_to_end() is not None:  # there may be ten thousands of boards to make
            return losing, unknown + len(player) - number
        is_box = unpacked_bits(boxes[number], len(squares.squares))
        after = replace(
            board,
            boxes=outside.union(squares.squares[box] for box in np.flatnonzero(is_box).tolist()),
            player=squares.squares[stands_on],
        )
        if not frozen_boxes(after) <= after.goals:
            losing += 1
            continue
        answer = solve(after, minimise="any", limits=watch.rest())
        unknown += answer.status == "gave up"
        losing += answer.status == "unsolvable"
    return losing, unknown


@entry
@no_type_check
def _list_pushes(neighbours, boxes, player, moves, scratch, after_boxes, after_player, was_made):
    """Plays ``moves`` [M] and lists each push that was possible whenever a push was made.

    Fills the boxes and the player after each of these pushes, and whether it was the one made.
    ``boxes`` [W] are moved along. Returns how many positions there were, and how many pushes.
    """
    is_blocked, marks = scratch.is_blocked, scratch.marks
    place_boxes(boxes, scratch.boxes, is_blocked)
    num_positions, num_pushes = 0, 0
    for move in moves:
        ahead = neighbours[player, move]
        if is_blocked[ahead]:
            num_positions += 1
            least_of_area(neighbours, scratch, player)
            mark = scratch.last_mark[0]
            for box in scratch.boxes:
                for direction in range(4):
                    beyond = neighbours[box, direction]
                    if marks[neighbours[box, direction ^ 2]] != mark or is_blocked[beyond]:
                        continue
                    write_moved(boxes, np.int64(box), np.int64(beyond), after_boxes[num_pushes])
                    after_player[num_pushes] = box
                    was_made[num_pushes] = box == ahead and direction == move
                    num_pushes += 1
            beyond = neighbours[ahead, move]
            boxes[ahead >> 6] ^= bit_of(ahead)
            boxes[beyond >> 6] ^= bit_of(beyond)
            place_boxes(boxes, scratch.boxes, is_blocked)
        player = ahead
    return num_positions, num_pushes
