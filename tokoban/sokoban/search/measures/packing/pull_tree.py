"""The positions of the search for a plan by pulls, and which of them is next.

Axes as in ``ground``, and N positions, C cells.
"""

from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Int16, Int32, Int64, UInt64

from tokoban.compiling import entry, inner
from tokoban.sokoban.search.level.flood import flood_rest
from tokoban.sokoban.search.level.ground import NONE
from tokoban.sokoban.search.measures.packing.pull_board import PullBoard
from tokoban.sokoban.search.state.columns import zeroed
from tokoban.sokoban.search.state.pairing_heap import pairing_heap
from tokoban.sokoban.search.state.positions import empty_slots

GONE = NONE  # where a box is that has left the board
_CAPACITY = 1 << 19
_MAX_REGIONS = 7  # more are counted as this many

# Entries of `PullTree.progress`.
NUM_NODES, NUM_CELLS, NEXT_CELL, NEW_CELL, NUM_TURNS, BEST, FOUND, WORK = range(8)


class PullTree(NamedTuple):
    """Positions, each one pull of its parent, and a heap of them for each cell.

    A cell is the number of boxes, of boxes on goals and of regions of free floor. Positions are
    told apart by their hash alone: nothing is proved here.
    """

    parent: Int32[np.ndarray, " N"]
    box: Int16[np.ndarray, " N"]  # where the pulled box was
    to: Int16[np.ndarray, " N"]  # where it is, or GONE
    player: Int16[np.ndarray, " N"]  # the least square of the player's region
    num_boxes: Int16[np.ndarray, " N"]
    num_on_goals: Int16[np.ndarray, " N"]
    num_off_starts: Int16[np.ndarray, " N"]
    num_regions: Int16[np.ndarray, " N"]  # of free floor
    weight: Int32[np.ndarray, " N"]
    distance: Int32[np.ndarray, " N"]  # the sum over the boxes
    boxes_key: UInt64[np.ndarray, " N"]
    slots: Int32[np.ndarray, " S"]
    first_below: Int32[np.ndarray, " N"]  # the links of the heaps
    next_beside: Int32[np.ndarray, " N"]
    root: Int32[np.ndarray, " C"]  # of the heap of each cell
    cells: Int32[np.ndarray, " C"]  # those that have been met
    path: Int32[np.ndarray, " N"]  # workspace
    progress: Int64[np.ndarray, "8"]


def empty_pull_tree(board: PullBoard) -> PullTree:
    """The board with all goals filled, once for each region of free floor."""
    num_cells = (len(board.goals) + 1) ** 2 * (_MAX_REGIONS + 1)
    root = np.full(num_cells, NONE, np.int32)
    tree = zeroed(PullTree, N=_CAPACITY, C=num_cells, slots=empty_slots(_CAPACITY), root=root)
    tree.progress[[NEW_CELL, BEST, FOUND]] = NONE
    add_roots(board, tree)
    return tree


@entry
@no_type_check
def add_roots(board, tree):
    """Enters all goals filled, with the player in each region; the largest weighs least."""
    neighbours, is_blocked, progress = board.neighbours, board.is_blocked, tree.progress
    num_floor = len(neighbours) - 1
    key = np.uint64(0)
    num_off_starts = 0
    for goal in board.goals:
        is_blocked[goal] = True
        key ^= board.keys[0, goal]
        num_off_starts += not board.is_start[goal]
    board.marks[:] = 0
    num_regions = flood_rest(neighbours, is_blocked, board.marks, board.waiting)
    largest = num_largest = 0
    for region in range(2, 2 + num_regions):
        num_squares = 0
        for square in range(num_floor):
            num_squares += board.marks[square] == region
        if num_squares > num_largest:
            largest, num_largest = region, num_squares
    for region in range(2, 2 + num_regions):
        node = progress[NUM_NODES]
        progress[NUM_NODES] += 1
        for square in range(num_floor - 1, -1, -1):
            if board.marks[square] == region:
                tree.player[node] = square
        tree.parent[node] = NONE
        tree.box[node] = tree.to[node] = NONE
        tree.num_boxes[node] = tree.num_on_goals[node] = len(board.goals)
        tree.num_off_starts[node] = num_off_starts
        tree.num_regions[node] = num_regions
        tree.weight[node] = region != largest
        tree.distance[node] = 0
        tree.boxes_key[node] = key
        enter(board, tree, node)


@inner
@no_type_check
def is_before(tree, one, other):
    """Least weight first, then the boxes farthest from the goals, then the older one."""
    if tree.weight[one] != tree.weight[other]:
        return tree.weight[one] < tree.weight[other]
    if tree.distance[one] != tree.distance[other]:
        return tree.distance[one] > tree.distance[other]
    return one < other


meld, without_root = pairing_heap(is_before)


@inner
@no_type_check
def enter(board, tree, node):
    """Puts a position into the heap of its cell; returns whether it was new."""
    mask = len(tree.slots) - 1
    player = tree.player[node]
    key = tree.boxes_key[node] ^ board.keys[1, player]
    slot = np.int64(key >> np.uint64(1)) & mask
    while tree.slots[slot] != NONE:
        known = tree.slots[slot]
        if tree.boxes_key[known] == tree.boxes_key[node] and tree.player[known] == player:
            return False
        slot = (slot + 1) & mask
    tree.slots[slot] = node
    progress = tree.progress
    if tree.num_off_starts[node] == 0 and progress[FOUND] == NONE:
        progress[FOUND] = node
    best = progress[BEST]
    if (
        best == NONE
        or tree.num_boxes[node] < tree.num_boxes[best]
        or (
            tree.num_boxes[node] == tree.num_boxes[best]
            and tree.distance[node] > tree.distance[best]
        )
    ):
        progress[BEST] = node
    cell = cell_of(board, tree, node)
    if tree.root[cell] == NONE:
        is_new = True
        for i in range(progress[NUM_CELLS]):
            is_new &= tree.cells[i] != cell
        if is_new:
            tree.cells[progress[NUM_CELLS]] = cell
            progress[NUM_CELLS] += 1
            progress[NEW_CELL] = cell
    tree.first_below[node] = tree.next_beside[node] = NONE
    tree.root[cell] = meld(tree, tree.root[cell], node)
    return True


@inner
@no_type_check
def cell_of(board, tree, node):
    """The number of the cell of a position."""
    cell = np.int64(tree.num_boxes[node]) * (len(board.goals) + 1) + tree.num_on_goals[node]
    return cell * (_MAX_REGIONS + 1) + min(np.int64(tree.num_regions[node]), _MAX_REGIONS)


@inner
@no_type_check
def take_next(board, tree):
    """The position whose turn it is, NONE if there is none.

    A new cell is next; then cells take turns, every other turn going to the best position's cell.
    """
    progress = tree.progress
    cell = progress[NEW_CELL]
    progress[NEW_CELL] = NONE
    progress[NUM_TURNS] += 1
    if cell == NONE and progress[NUM_TURNS] % 2 == 0:
        cell = cell_of(board, tree, progress[BEST])
        if tree.root[cell] == NONE:
            cell = np.int64(NONE)
    for _ in range(progress[NUM_CELLS]):
        if cell != NONE:
            break
        progress[NEXT_CELL] = (progress[NEXT_CELL] + 1) % progress[NUM_CELLS]
        if tree.root[tree.cells[progress[NEXT_CELL]]] != NONE:
            cell = np.int64(tree.cells[progress[NEXT_CELL]])
    if cell == NONE:
        return np.int64(NONE)
    node = np.int64(tree.root[cell])
    tree.root[cell] = without_root(tree, node)
    return node


@inner
@no_type_check
def lay_out(board, tree, node):
    """Puts the boxes of a position on the board."""
    is_blocked = board.is_blocked
    is_blocked[: len(is_blocked) - 1] = False
    for goal in board.goals:
        is_blocked[goal] = True
    length = 0
    while tree.parent[node] != NONE:
        tree.path[length] = node
        length += 1
        node = tree.parent[node]
    for i in range(length - 1, -1, -1):
        is_blocked[tree.box[tree.path[i]]] = False
        if tree.to[tree.path[i]] >= 0:
            is_blocked[tree.to[tree.path[i]]] = True


@inner
@no_type_check
def add_child(board, tree, parent, box, to, player):
    """Writes a child after the last position, which ``enter`` has yet to file."""
    child = tree.progress[NUM_NODES]
    tree.progress[NUM_NODES] += 1
    tree.parent[child] = parent
    tree.box[child] = box
    tree.to[child] = to
    tree.player[child] = player
    tree.weight[child] = tree.weight[parent]
    is_here = to >= 0
    tree.num_boxes[child] = tree.num_boxes[parent] - (not is_here)
    tree.num_on_goals[child] = tree.num_on_goals[parent] - board.is_goal[box]
    tree.num_off_starts[child] = tree.num_off_starts[parent] - (not board.is_start[box])
    tree.distance[child] = tree.distance[parent] - board.distance[box]
    tree.boxes_key[child] = tree.boxes_key[parent] ^ board.keys[0, box]
    if is_here:
        tree.num_on_goals[child] += board.is_goal[to]
        tree.num_off_starts[child] += not board.is_start[to]
        tree.distance[child] += board.distance[to]
        tree.boxes_key[child] ^= board.keys[0, to]
    return child
