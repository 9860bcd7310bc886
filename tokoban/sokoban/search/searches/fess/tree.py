"""The tree of FESS: positions that were expanded, and their children, which are not laid out.

A child is a record of some 35 bytes: its run, the box that moved, its hash and its score. Its boxes
are those of the expanded parent but for one, so two children are compared exactly although neither
is laid out, and proofs rest on no hash.

A *run* is children of one parent with one cell and one weight, best first. A *cell* is a
combination of features; each has a heap of runs (``heaps``). Axes as in ``ground``, and E expanded
positions, N children, R runs, C cells.
"""

from collections.abc import Sequence
from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Bool, Int16, Int32, Int64, UInt64

from tokoban.compiling import entry, inner
from tokoban.sokoban.search.level.flood import flood
from tokoban.sokoban.search.level.ground import NONE, Ground
from tokoban.sokoban.search.level.one_box import Step
from tokoban.sokoban.search.state.columns import columns_of, enlarge_columns, zeroed
from tokoban.sokoban.search.state.positions import (
    bit_of,
    empty_slots,
    next_capacity,
    packed_bits,
    write_moved,
)

_FIRST_CHILDREN = 1 << 14

# Entries of `Tree.progress`.
(
    NUM_LAID_OUT,  # expanded positions and number 0, the one in the making not counted
    NUM_CHILDREN,
    FIRST_NEW,  # the first child of the position in the making; it and those after it have no run
    NUM_RUNS,
    NUM_CELLS,
    NUM_PUSHES,  # tried, and floods of corral searches: the measure of the work
    NUM_TURNS,
    NEXT_CELL,
    NEW_CELL,  # the latest new cell, which is next; NONE if it had its turn
    EXPANDING,  # the child that is being expanded, or NONE
    NEXT_ROW,  # its next box
    SOLVED_BY,  # the child with all boxes on goals, or NONE
    BEST,  # the laid out position with the best score
) = range(13)


class Tree(NamedTuple):
    """Positions, children, runs and cells, in the order in which they were met.

    Position 0 is the start; child 0 is the start again, so that it is expanded like any other.
    Positions are distinct. An unexpanded child may have several records, of which the hash table
    holds the latest.
    """

    boxes: UInt64[np.ndarray, "E W"]
    boxes_key: UInt64[np.ndarray, " E"]  # the keys of all boxes, xored
    player: Int16[np.ndarray, " E"]  # the least square that the player can walk to
    came_by: Int32[np.ndarray, " E"]  # the child that it was
    score: Int64[np.ndarray, " E"]  # of the position itself (``scores``)
    best_cell: Int64[np.ndarray, " E"]  # the best cell of any position on the path

    run: Int32[np.ndarray, " N"]
    box: Int16[np.ndarray, " N"]  # of the parent
    to: Int16[np.ndarray, " N"]  # where it comes
    child_player: Int16[np.ndarray, " N"]  # as ``player``
    key: UInt64[np.ndarray, " N"]  # of boxes and player
    child_score: Int64[np.ndarray, " N"]
    is_done: Bool[np.ndarray, " N"]  # expanded, or found deadlocked
    slots: Int32[np.ndarray, " S"]  # hash table of children; the size is a power of two

    parent: Int32[np.ndarray, " R"]
    next_child: Int32[np.ndarray, " R"]  # the first not taken yet
    end_child: Int32[np.ndarray, " R"]  # after the last
    cell: Int32[np.ndarray, " R"]
    weight: Int32[np.ndarray, " R"]  # moves on the path that no advisor proposed
    first_below: Int32[np.ndarray, " R"]  # the links of the heaps
    next_beside: Int32[np.ndarray, " R"]

    cell_key: Int64[np.ndarray, " C"]
    root: Int32[np.ndarray, " C"]  # of the heap of runs
    cell_slots: Int32[np.ndarray, " D"]  # hash table of cells; the size is a power of two
    progress: Int64[np.ndarray, "13"]


def first_tree(ground: Ground, boxes: Sequence[int], player: int, *, children_per_run: int) -> Tree:
    """The start of a level, not expanded yet; there is one run for so many children."""
    num_floor = len(ground.zone)
    is_blocked = np.zeros(num_floor + 1, np.bool_)
    is_blocked[[*boxes, num_floor]] = True
    marks, waiting = np.zeros(num_floor + 1, np.int64), np.empty(num_floor + 1, np.int32)
    least = flood(ground.neighbours, is_blocked, player, marks, 1, waiting)
    children = max(_FIRST_CHILDREN, 1 << (16 * num_floor).bit_length())
    runs = children // children_per_run
    tree = zeroed(
        Tree,
        F=num_floor,
        E=children // 64,
        N=children,
        R=runs,
        C=runs,
        slots=empty_slots(children),
        cell_slots=empty_slots(runs),
    )
    tree.progress[[NEW_CELL, EXPANDING, SOLVED_BY]] = NONE
    tree.boxes[0] = packed_bits(is_blocked[:num_floor])
    tree.boxes_key[0] = np.bitwise_xor.reduce(ground.keys[0, boxes])
    tree.player[0] = tree.child_player[0] = least
    tree.key[0] = tree.boxes_key[0] ^ ground.keys[1, least]
    tree.end_child[0] = 1
    tree.first_below[0] = tree.next_beside[0] = NONE
    tree.progress[[NUM_LAID_OUT, NUM_CHILDREN, FIRST_NEW, NUM_RUNS, NUM_CELLS]] = 1
    refill_slots(tree, 0, 1)
    refill_cell_slots(tree)
    return tree


def grown_sizes(tree: Tree, num_floor: int) -> dict[str, int]:
    """By axis, with more room wherever the next box might not find enough."""
    counts = {
        "E": tree.progress[NUM_LAID_OUT] + 1,
        "N": tree.progress[NUM_CHILDREN] + 4 * num_floor,
    }
    num_new = counts["N"] - tree.progress[FIRST_NEW]
    counts["R"] = tree.progress[NUM_RUNS] + num_new
    counts["C"] = tree.progress[NUM_CELLS] + num_new
    sizes = {axis: len(columns_of(tree, axis)[0]) for axis in counts}
    for axis, count in counts.items():
        while count >= sizes[axis]:
            sizes[axis] = next_capacity(sizes[axis])
    return sizes


def bytes_to_grow(tree: Tree, num_floor: int) -> int:
    """The extra bytes once it has grown; a column that is copied meanwhile is not counted."""
    total = 0
    for axis, size in grown_sizes(tree, num_floor).items():
        columns = columns_of(tree, axis)
        num_more = size - len(columns[0])
        total += num_more * sum(column[0].nbytes for column in columns)
        if axis in "NC" and num_more > 0:
            total += 4 << (2 * size - 1).bit_length()
    return total


def grown(tree: Tree, num_floor: int) -> Tree:
    """Enlarges, in place, the arrays that lack room.

    If the hash table of children had to grow it is empty: they are to be entered anew by
    ``refill_slots``.
    """
    sizes = grown_sizes(tree, num_floor)
    for axis, size in sizes.items():
        enlarge_columns(tree, axis, size)
    if len(tree.cell_slots) < 2 * sizes["C"]:
        tree = tree._replace(cell_slots=empty_slots(sizes["C"]))
        refill_cell_slots(tree)
    if len(tree.slots) < 2 * sizes["N"]:
        tree = tree._replace(slots=empty_slots(sizes["N"]))
    return tree


def steps_to(tree: Tree, child: int) -> list[Step]:
    """The moves on the way to a child."""
    steps = []
    while child != 0:
        box, end, player = (of[child] for of in (tree.box, tree.to, tree.child_player))
        steps.append(Step(int(box), int(end), int(player)))
        child = int(tree.came_by[tree.parent[tree.run[child]]])
    return steps[::-1]


@inner
@no_type_check
def lacks_room(tree, num_floor):
    """Whether another box's children, their runs and their cells might not find room."""
    progress = tree.progress
    num_new = progress[NUM_CHILDREN] - progress[FIRST_NEW] + 4 * num_floor
    return (
        progress[NUM_LAID_OUT] + 1 >= len(tree.player)
        or progress[NUM_CHILDREN] + 4 * num_floor >= len(tree.run)
        or progress[NUM_RUNS] + num_new >= len(tree.parent)
        or progress[NUM_CELLS] + num_new >= len(tree.root)
    )


@inner
@no_type_check
def is_child(tree, child, words, key, player):
    """Whether a child is the position with these boxes and this player."""
    if tree.key[child] != key or tree.child_player[child] != player:
        return False
    parent = tree.parent[tree.run[child]]
    box, to = np.int64(tree.box[child]), np.int64(tree.to[child])
    for word in range(len(words)):
        boxes = tree.boxes[parent, word]
        if box >> 6 == word:
            boxes ^= bit_of(box)
        if to >> 6 == word:
            boxes ^= bit_of(to)
        if boxes != words[word]:
            return False
    return True


@inner
@no_type_check
def slot_of(tree, words, key, player):
    """The slot of the hash table that holds this position, or the empty one where it belongs."""
    mask = len(tree.slots) - 1
    slot = np.int64(key >> np.uint64(1)) & mask
    while tree.slots[slot] != NONE and not is_child(tree, tree.slots[slot], words, key, player):
        slot = (slot + 1) & mask
    return slot


@inner
@no_type_check
def child_words(tree, child, words):
    """Writes the boxes of a child into ``words``."""
    child_boxes(tree, tree.parent[tree.run[child]], child, words)


@inner
@no_type_check
def child_boxes(tree, parent, child, words):
    """The same for a child that has no run yet, whose parent is ``parent``."""
    write_moved(tree.boxes[parent], np.int64(tree.box[child]), np.int64(tree.to[child]), words)


@entry(makes_arrays=True)
@no_type_check
def refill_slots(tree, first, last):
    """Enters the children from ``first`` on, before ``last``; of equal ones the last is found.

    If one of them is done, that one is found instead.
    """
    words = np.empty(tree.boxes.shape[1], np.uint64)
    for child in range(first, last):
        child_words(tree, child, words)
        slot = slot_of(tree, words, tree.key[child], tree.child_player[child])
        if tree.slots[slot] == NONE or not tree.is_done[tree.slots[slot]]:
            tree.slots[slot] = child


@inner
@no_type_check
def cell_slot(tree, key):
    """The slot of the hash table of cells that holds this one, or where it belongs."""
    mask = len(tree.cell_slots) - 1
    slot = (key * 0x9E3779B97F4A7C1 >> 20) & mask
    while tree.cell_slots[slot] != NONE and tree.cell_key[tree.cell_slots[slot]] != key:
        slot = (slot + 1) & mask
    return slot


@entry
@no_type_check
def refill_cell_slots(tree):
    """Enters all cells into their hash table."""
    for cell in range(tree.progress[NUM_CELLS]):
        tree.cell_slots[cell_slot(tree, tree.cell_key[cell])] = cell


@inner
@no_type_check
def cell_of(tree, key):
    """The number of the cell; a new one has an empty heap and is the next that has a turn."""
    slot = cell_slot(tree, key)
    if tree.cell_slots[slot] == NONE:
        cell = tree.progress[NUM_CELLS]
        tree.progress[NUM_CELLS] += 1
        tree.cell_slots[slot] = cell
        tree.cell_key[cell] = key
        tree.root[cell] = NONE
        tree.progress[NEW_CELL] = cell
    return np.int64(tree.cell_slots[slot])


@inner
@no_type_check
def swap_children(tree, one, other):
    """Exchanges two children that have no run yet."""
    tree.box[one], tree.box[other] = tree.box[other], tree.box[one]
    tree.to[one], tree.to[other] = tree.to[other], tree.to[one]
    tree.child_player[one], tree.child_player[other] = (
        tree.child_player[other],
        tree.child_player[one],
    )
    tree.key[one], tree.key[other] = tree.key[other], tree.key[one]
    tree.child_score[one], tree.child_score[other] = tree.child_score[other], tree.child_score[one]
