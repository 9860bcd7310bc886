"""Fillings of a group of squares that can be completed, found by removing boxes from the full one.

A filling is *consistent* if boxes that come one after another from where boxes start can fill the
rest of the group. Found backwards, from the full group, as in Kirov's sokoban-ai: a box leaves if
it can be pulled to where some box starts. What can leave still can when others have left, for then
the player has more room. Where there are too many fillings to list, each square has *obstructions*
instead: minimal sets of other squares that, when full, keep a box on it from leaving.
Boxes are bits, as in ``Group.squares``. Axes as in ``ground``, N squares of the group, M fillings
and O obstructions.
"""

from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Int16, Int64, UInt64

from tokoban.compiling import entry, inner
from tokoban.sokoban.hashing import GOLDEN
from tokoban.sokoban.search.level.flood import flood
from tokoban.sokoban.search.level.ground import NONE
from tokoban.sokoban.search.level.regions import find_beside, find_regions, region_of
from tokoban.sokoban.search.level.words import EMPTY, ONE, lowest
from tokoban.sokoban.search.measures.packing.pull_board import (
    PullBoard,
    find_pulls,
    is_first_beside,
)
from tokoban.sokoban.search.state.columns import zeroed
from tokoban.sokoban.search.steps import Steps

MAX_FILLINGS = 4000
MAX_SQUARES = 63
MAX_OBSTRUCTIONS = 16
_MOST_TRIED = 64  # sets that the obstructions of one square are to avoid
_SLOTS = 1 << 14
_WORK_A_STEP = 500_000
# Squares looked at for the grouping of one stage, and as many for each group: a third of a second.
_MOST_WORK = 10_000_000
_MOST_WORK_IN_ALL = 40_000_000

# Entries of `_Family.progress`.
_KNOWN, _DONE, _ROOT, _STOP_AT = range(4)


class Group(NamedTuple):
    """Squares that are filled in one stage of a plan, and the consistent fillings."""

    squares: Int16[np.ndarray, " N"]
    fillings: UInt64[np.ndarray, " M"]  # the fullest first; none if there are too many
    obstructions: UInt64[np.ndarray, " O"]  # none if all fillings are listed
    first_obstruction: Int64[np.ndarray, " N+1"]  # of each square


class _Family(NamedTuple):
    """The consistent fillings found so far, for the player in one region of the full group."""

    filling: UInt64[np.ndarray, " M"]
    leaving: UInt64[np.ndarray, " M"]  # boxes known to be able to leave
    slots: Int16[np.ndarray, " S"]
    progress: Int64[np.ndarray, "4"]


def groups_in_steps(
    board: PullBoard, occupied: Int16[np.ndarray, " _"], squares: list[int]
) -> Steps[list[Int16[np.ndarray, " _"]]]:
    """Parts of ``squares``, one of which can be filled before or after any other.

    Squares side by side are in one part, and so are those that keep each other's boxes from leaving
    when full, but never more than ``MAX_SQUARES``.
    """
    parts = _side_by_side(board, squares)
    stop_at = int(board.work[0]) + _MOST_WORK
    part = 0  # no earlier part is blocked by all others; joining parts does not change that
    while part < len(parts) and board.work[0] < min(stop_at, _MOST_WORK_IN_ALL):
        yield
        others = [i for i in range(len(parts)) if i != part]
        if _is_blocked_by(board, occupied, parts, part, others):
            for other in list(others):  # what remains is a minimal set that blocks the part
                fewer = [i for i in others if i != other]
                if _is_blocked_by(board, occupied, parts, part, fewer):
                    others = fewer
                if board.work[0] > stop_at:
                    return _of_fewer_squares(board, occupied, parts)
                yield
        else:
            others = []
        joined = [part, *others]
        if not others or sum(len(parts[i]) for i in joined) > MAX_SQUARES:
            part += 1
            continue
        part -= sum(other < part for other in others)
        together = np.sort(np.concatenate([parts[i] for i in joined]))
        parts = [parts[i] for i in range(len(parts)) if i not in joined]
        parts.insert(part, together)
    return _of_fewer_squares(board, occupied, parts)


def _of_fewer_squares(
    board: PullBoard, occupied: Int16[np.ndarray, " _"], parts: list[Int16[np.ndarray, " _"]]
) -> list[Int16[np.ndarray, " _"]]:
    """The parts; those of more than ``MAX_SQUARES`` are cut where few boxes block each other."""
    small: list[Int16[np.ndarray, " _"]] = []
    for squares_of_part in parts:
        in_order = squares_of_part
        if len(in_order) > MAX_SQUARES:
            layers = np.zeros(len(in_order), np.int16)
            fill_layers(board, occupied, in_order, layers)
            in_order = in_order[np.argsort(layers, kind="stable")]
        small += [in_order[i : i + MAX_SQUARES] for i in range(0, len(in_order), MAX_SQUARES)]
    return small


def _side_by_side(board: PullBoard, squares: list[int]) -> list[Int16[np.ndarray, " _"]]:
    is_other = np.ones(len(board.is_blocked), np.bool_)
    is_other[squares] = False
    marks = np.zeros(len(board.is_blocked), np.int64)
    num_parts = 0
    for square in sorted(squares):
        if marks[square] == 0:
            num_parts += 1
            flood(board.neighbours, is_other, square, marks, num_parts, board.waiting)
    return [np.flatnonzero(marks == 1 + i).astype(np.int16) for i in range(num_parts)]


def _is_blocked_by(
    board: PullBoard,
    occupied: Int16[np.ndarray, " _"],
    parts: list[Int16[np.ndarray, " _"]],
    part: int,
    others: list[int],
) -> bool:
    """Whether some box of a full part can never leave while the others are full."""
    walls = np.concatenate([occupied, *(parts[i] for i in others)])
    layers = np.zeros(len(parts[part]), np.int16)
    fill_layers(board, walls, parts[part], layers)
    return bool((layers == 0).any())


def group_in_steps(
    board: PullBoard, occupied: Int16[np.ndarray, " _"], squares: Int16[np.ndarray, " N"]
) -> Steps[Group]:
    """The fillings of at most ``MAX_SQUARES`` squares while boxes on ``occupied`` never move."""
    fillings: set[int] = set()
    roots = roots_of(board, occupied, squares)
    stop_at = min(int(board.work[0]) + _MOST_WORK, _MOST_WORK_IN_ALL)
    for root in roots.tolist():
        family = _empty_family(root, stop_at)
        while not go_on_with_family(board, occupied, squares, family):
            yield
        fillings.update(family.filling[: family.progress[_KNOWN]].tolist())
        is_complete = family.progress[_KNOWN] == family.progress[_DONE]
        if not is_complete or len(fillings) > MAX_FILLINGS:
            fillings.clear()
            break
    if fillings:
        obstructions = [np.empty(0, np.uint64)] * len(squares)
    else:
        obstructions = yield from obstructions_in_steps(board, occupied, squares)
    fullest_first = sorted(fillings, key=lambda filling: (-filling.bit_count(), filling))
    return Group(
        squares=squares,
        fillings=np.array(fullest_first, np.uint64),
        obstructions=np.concatenate(obstructions),
        first_obstruction=np.concatenate([[0], np.cumsum([len(some) for some in obstructions])]),
    )


def _empty_family(root: int, stop_at: int) -> _Family:
    family = zeroed(_Family, M=MAX_FILLINGS, slots=np.full(_SLOTS, NONE, np.int16))
    family.progress[[_ROOT, _STOP_AT]] = root, stop_at
    return family


@entry(makes_arrays=True)
@no_type_check
def roots_of(board, occupied, squares):
    """A square of each region of free floor, when the group is full, in which there is room to pull
    a box: more than one square."""
    num_floor = len(board.neighbours) - 1
    fill(board, occupied, squares, ~np.uint64(0))
    roots = np.empty(num_floor, np.int64)
    num_roots = 0
    board.marks[:] = 0
    for square in range(num_floor):
        if board.marks[square] == 0 and not board.is_blocked[square]:
            flood(board.neighbours, board.is_blocked, square, board.marks, 1, board.waiting)
            for direction in range(4):
                if not board.is_blocked[board.neighbours[square, direction]]:
                    roots[num_roots] = square
                    num_roots += 1
                    break
    return roots[:num_roots]


@inner
@no_type_check
def fill(board, occupied, squares, filling):
    """Puts boxes on the board: those that never move, and a filling of the group."""
    is_blocked = board.is_blocked
    is_blocked[: len(is_blocked) - 1] = False
    for square in occupied:
        is_blocked[square] = True
    for i in range(len(squares)):
        if i >= 64 or filling & ONE << np.uint64(i):
            is_blocked[squares[i]] = True


@inner
@no_type_check
def can_leave(board, box, inside):
    """Whether a box can be pulled to where it leaves the board.

    The player is in the region of the square ``inside``; if NONE, in any region beside the box.
    """
    board.is_blocked[box] = False
    find_regions(board.neighbours, board.is_blocked, board.regions)
    board.work[0] += len(board.neighbours) - 1
    leaves = False
    if inside != NONE:
        leaves = leaves_from(board, box, region_of(board.neighbours, board.regions, box, inside))
    else:
        find_beside(board.neighbours, board.regions, box)
        for direction in range(4):
            if is_first_beside(board.regions.beside, box, direction):
                leaves |= leaves_from(board, box, board.regions.beside[box, direction])
    board.is_blocked[box] = True
    return leaves


@inner
@no_type_check
def leaves_from(board, box, player):
    """The same for a box that is lifted, with the player in the region of that name."""
    count = find_pulls(board, box, player)
    leaves = False
    for i in range(1, count):
        leaves |= board.is_start[board.ways[0, i]]
    return leaves


@inner
@no_type_check
def add_filling(family, filling, leaving):
    """Adds a filling unless it is known; returns whether there was room."""
    mixed = filling * GOLDEN
    slot = np.int64(mixed >> np.uint64(50))
    while family.slots[slot] != NONE:
        if family.filling[family.slots[slot]] == filling:
            return True
        slot = (slot + 1) & (len(family.slots) - 1)
    known = family.progress[_KNOWN]
    if known == len(family.filling):
        return False
    family.slots[slot] = known
    family.filling[known] = filling
    family.leaving[known] = leaving
    family.progress[_KNOWN] += 1
    return True


@entry
@no_type_check
def go_on_with_family(board, occupied, squares, family):
    """Does a step of the work; returns whether all fillings are found or a bound is reached."""
    progress = family.progress
    if progress[_KNOWN] == 0:
        full = ~np.uint64(0) >> np.uint64(64 - len(squares))
        add_filling(family, full, np.uint64(0))
    stop_at = board.work[0] + _WORK_A_STEP
    while progress[_DONE] < progress[_KNOWN]:
        if board.work[0] >= progress[_STOP_AT]:
            return True
        if board.work[0] > stop_at:
            return False
        filling = family.filling[progress[_DONE]]
        leaving = family.leaving[progress[_DONE]]
        fill(board, occupied, squares, filling)
        for i in range(len(squares)):
            bit = ONE << np.uint64(i)
            # What could leave a fuller group can leave this one too.
            is_open = filling & bit and not leaving & bit
            if is_open and can_leave(board, squares[i], progress[_ROOT]):
                leaving |= bit
        family.leaving[progress[_DONE]] = leaving
        for i in range(len(squares)):
            bit = ONE << np.uint64(i)
            if leaving & bit and not add_filling(family, filling ^ bit, leaving ^ bit):
                return True
        progress[_DONE] += 1
    return True


@entry
@no_type_check
def fill_layers(board, occupied, squares, layers):
    """Fills ``layers``, the order in which squares are filled.

    The highest layer has the boxes that can leave the full group, the next one those that can leave
    then, and so on; the lowest has those that never can.
    """
    fill(board, occupied, squares, ~np.uint64(0))
    layers[:] = 0
    round_number = 0
    while True:
        round_number += 1
        has_left = False
        for i in range(len(squares)):
            if layers[i] == 0 and can_leave(board, squares[i], NONE):
                layers[i] = round_number
                has_left = True
        if not has_left:
            break
        for i in range(len(squares)):
            if layers[i] == round_number:
                board.is_blocked[squares[i]] = False
    for i in range(len(squares)):
        if layers[i] > 0:
            layers[i] = round_number - layers[i]


def obstructions_in_steps(
    board: PullBoard, occupied: Int16[np.ndarray, " _"], squares: Int16[np.ndarray, " N"]
) -> Steps[list[UInt64[np.ndarray, " _"]]]:
    """The obstructions of each square, as far as the bound on the work allows."""
    obstructions = [np.empty(0, np.uint64)] * len(squares)
    found, tried = np.zeros(MAX_OBSTRUCTIONS, np.uint64), np.zeros(_MOST_TRIED, np.uint64)
    stop_at = min(int(board.work[0]) + _MOST_WORK, _MOST_WORK_IN_ALL)
    for i in range(len(squares)):
        if board.work[0] < stop_at:
            count = find_obstructions(board, occupied, squares, i, found, tried)
            obstructions[i] = found[:count].copy()
            yield
    return obstructions


@entry
@no_type_check
def find_obstructions(board, occupied, squares, row, found, tried):
    """Fills ``found`` with obstructions of one square; returns how many.

    After each one, others are sought that avoid one of its squares: a tree of hitting sets
    (Reiter, "A theory of diagnosis from first principles", Artificial Intelligence 32, 1987).
    """
    rest = (~np.uint64(0) >> np.uint64(64 - len(squares))) ^ ONE << np.uint64(row)
    num_found = first = 0
    tried[0] = 0
    num_tried = 1
    while first < num_tried and num_found < len(found):
        left_out = tried[first]
        first += 1
        obstruction = rest & ~left_out
        is_known = False
        for i in range(num_found):
            if found[i] & left_out == EMPTY:
                obstruction = found[i]
                is_known = True
                break
        if not is_known:
            if not is_obstructed(board, occupied, squares, row, obstruction):
                continue
            for i in range(len(squares)):
                bit = ONE << np.uint64(i)
                if obstruction & bit and is_obstructed(
                    board, occupied, squares, row, obstruction ^ bit
                ):
                    obstruction ^= bit
            found[num_found] = obstruction
            num_found += 1
        while obstruction != EMPTY and num_tried < len(tried):
            tried[num_tried] = left_out | lowest(obstruction)
            obstruction ^= lowest(obstruction)
            num_tried += 1
    return num_found


@inner
@no_type_check
def is_obstructed(board, occupied, squares, row, filling):
    """Whether a box on one square cannot leave while others are filled, wherever the player is."""
    fill(board, occupied, squares, filling | ONE << np.uint64(row))
    return not can_leave(board, squares[row], NONE)
