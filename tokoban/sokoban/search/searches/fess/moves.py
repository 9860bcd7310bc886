"""The children of a position: all ways to push one box alone, as far and as often as one likes.

These are the macro moves of Shoham and Schaeffer 2020.
"""

from functools import partial
from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Bool, Int16, Int32, Int64, UInt64

from tokoban.compiling import inner
from tokoban.sokoban.search.level.ground import NONE, UNREACHABLE
from tokoban.sokoban.search.level.regions import Regions, empty_regions, find_regions
from tokoban.sokoban.search.rules.few_boxes import is_deadlocked_now
from tokoban.sokoban.search.rules.pruning import is_deadlocked_by_push
from tokoban.sokoban.search.searches.fess.explorer import (
    Exploring,
    can_return,
    empty_exploring,
    find_new_pushes,
    find_returns,
    has_new_push,
)
from tokoban.sokoban.search.searches.fess.scores import (
    CELL_SHIFT,
    OPENS,
    RETURNS,
    score_of_cell,
    score_within_cell,
)
from tokoban.sokoban.search.searches.fess.tree import (
    EXPANDING,
    NUM_CHILDREN,
    NUM_LAID_OUT,
    NUM_PUSHES,
    SOLVED_BY,
    slot_of,
)
from tokoban.sokoban.search.state.positions import bit_of, copy


class Scratch(NamedTuple):
    """Workspace, which holds the position in the making while a search is interrupted."""

    is_blocked: Bool[np.ndarray, "F+1"]  # walls and boxes
    boxes: Int16[np.ndarray, " G"]  # ascending
    places: Int32[np.ndarray, " G"]
    may_move: Bool[np.ndarray, " G"]
    area: Int32[np.ndarray, "F+1"]  # 1 where the player can walk, other regions from 2 on
    regions: Regions  # once the box that is being moved is lifted
    exploring: Exploring  # then, too
    seen: Int64[np.ndarray, "F*4"]  # the last mark where it was, and the player beside it
    last_mark: Int64[np.ndarray, "1"]
    waiting: Int32[np.ndarray, "F+1"]
    steps: Int32[np.ndarray, "F+1"]
    ways: Int32[np.ndarray, "2 F*4"]
    words: UInt64[np.ndarray, " W"]
    others: UInt64[np.ndarray, " W"]  # the boxes that do not move
    matching: Int64[np.ndarray, "3 G+1"]
    path: Int64[np.ndarray, "3 G+1"]
    advice: Int64[np.ndarray, " _"]


def empty_scratch(num_floor: int, num_boxes: int, max_advice: int) -> Scratch:
    """Only the wall is blocked yet."""
    scratch = Scratch(
        is_blocked=np.zeros(num_floor + 1, np.bool_),
        boxes=np.zeros(num_boxes, np.int16),
        places=np.zeros(num_boxes, np.int32),
        may_move=np.zeros(num_boxes, np.bool_),
        area=np.zeros(num_floor + 1, np.int32),
        regions=empty_regions(num_floor),
        exploring=empty_exploring(num_floor),
        seen=np.zeros(num_floor * 4, np.int64),
        last_mark=np.zeros(1, np.int64),
        waiting=np.zeros(num_floor + 1, np.int32),
        steps=np.zeros(num_floor + 1, np.int32),
        ways=np.zeros((2, num_floor * 4), np.int32),
        words=np.zeros(-(-num_floor // 64), np.uint64),
        others=np.zeros(-(-num_floor // 64), np.uint64),
        matching=np.zeros((3, num_boxes + 1), np.int64),
        path=np.zeros((3, num_boxes + 1), np.int64),
        advice=np.zeros(max_advice, np.int64),
    )
    scratch.is_blocked[num_floor] = True
    return scratch


@inner
@no_type_check
def has_advisors(scratch):
    """Whether advisors and ties read more of a child than its cell, which is all a beam needs."""
    return len(scratch.advice) > 0


@partial(inner, is_inlined=True)
@no_type_check
def explore(ground, tree, scratch, start, num_free):
    """Prepares ``has_new_push`` and ``can_return`` for the box lifted from ``start``."""
    regions, exploring = scratch.regions, scratch.exploring
    find_new_pushes(
        ground,
        scratch.is_blocked,
        scratch.boxes,
        start,
        scratch.area,
        regions,
        num_free,
        exploring,
    )
    player = np.int64(tree.player[tree.progress[NUM_LAID_OUT]])
    find_returns(ground.neighbours, regions, start, player, exploring)


@partial(inner, is_inlined=True)
@no_type_check
def is_worth_storing(tree, slot, cell_key, weight):
    """Whether a child with this cell and weight is new, or better than its records so far."""
    known = tree.slots[slot]
    if known == NONE:
        return True
    if tree.is_done[known]:
        return False
    run = tree.run[known]
    known_key = tree.cell_key[tree.cell[run]]
    return cell_key > known_key or (cell_key == known_key and weight < tree.weight[run])


@partial(inner, is_inlined=True)
@no_type_check
def add_child(tables, tree, scratch, pruning, row, to, least):
    """Stores a child of the position in the making, without a run, if it is new.

    Box ``row`` has come to ``to`` on the floor, but not in ``boxes``; ``least`` is the least square
    that the player can walk to. Returns whether the pushes may go on from here: False where the
    child is deadlocked.
    """
    ground, progress = tables.ground, tree.progress
    position = progress[NUM_LAID_OUT]
    box, words = np.int64(scratch.boxes[row]), scratch.words
    copy(tree.boxes[position], words)
    words[box >> 6] ^= bit_of(box)
    words[to >> 6] ^= bit_of(to)
    boxes_key = tree.boxes_key[position] ^ ground.keys[0, box] ^ ground.keys[0, to]
    key = boxes_key ^ ground.keys[1, least]
    slot = slot_of(tree, words, key, least)
    if tree.slots[slot] != NONE and tree.is_done[tree.slots[slot]]:
        return True
    scratch.boxes[row] = to
    is_deadlocked = is_deadlocked_by_push(
        ground, pruning, words, scratch.boxes, scratch.is_blocked, to, least
    )
    scratch.boxes[row] = box
    if is_deadlocked:
        return False
    regions, exploring = scratch.regions, scratch.exploring
    score = score_of_cell(tables, scratch.is_blocked, words, regions.num_regions[to])
    weight = tree.weight[tree.run[progress[EXPANDING]]]
    cell_key = max(tree.best_cell[position], score >> CELL_SHIFT)
    if not is_worth_storing(tree, slot, cell_key, weight):
        return True
    if has_advisors(scratch):
        score |= score_within_cell(tables, scratch.is_blocked, words)
        score |= has_new_push(ground.neighbours, regions, exploring, to, least) << OPENS
        score |= can_return(regions, exploring, to, least) << RETURNS
    child = progress[NUM_CHILDREN]
    progress[NUM_CHILDREN] += 1
    tree.box[child] = box
    tree.to[child] = to
    tree.child_player[child] = least
    tree.key[child] = key
    tree.child_score[child] = score
    tree.is_done[child] = False
    is_solved = True
    for word in range(len(words)):
        is_solved &= words[word] == tables.goal_words[word]
    if is_solved:
        progress[SOLVED_BY] = child
    return True


@partial(inner, is_inlined=True)
@no_type_check
def move_box(tables, tree, scratch, pruning, row):
    """Adds the children after any pushes of box ``row`` alone that lead through no deadlock."""
    ground = tables.ground
    neighbours, is_blocked, seen = ground.neighbours, scratch.is_blocked, scratch.seen
    beside = scratch.regions.beside
    boxes, reached_from = scratch.ways
    start = np.int64(scratch.boxes[row])
    may_move = False
    for direction in range(4):
        end, behind = neighbours[start, direction], neighbours[start, direction ^ 2]
        may_move |= scratch.area[behind] == 1 and not is_blocked[end]
    if not may_move:
        return
    is_blocked[start] = False
    others = scratch.others
    copy(tree.boxes[tree.progress[NUM_LAID_OUT]], others)
    others[start >> 6] ^= bit_of(start)
    num_free = find_regions(neighbours, is_blocked, scratch.regions)[1]
    if has_advisors(scratch):
        explore(ground, tree, scratch, start, num_free)
    scratch.last_mark[0] += 1
    seen_now = scratch.last_mark[0]
    first, count = 0, 1
    boxes[0] = start
    reached_from[0] = 0
    for direction in range(4):
        if scratch.area[neighbours[start, direction]] == 1:
            reached_from[0] |= 1 << direction
            seen[start * 4 + direction] = seen_now
    while first < count:
        box = np.int64(boxes[first])
        for direction in range(4):
            behind = direction ^ 2
            end = np.int64(neighbours[box, direction])
            if not reached_from[first] >> behind & 1 or is_blocked[end]:
                continue
            if seen[end * 4 + behind] == seen_now:
                continue
            if ground.lower_bound[end * 4 + ground.zone[end, box]] == UNREACHABLE:
                continue
            if is_deadlocked_now(pruning.few_boxes, others, end, behind):
                continue
            tree.progress[NUM_PUSHES] += 1
            least = np.int64(beside[end, behind])
            reached = 0
            for around in range(4):
                if beside[end, around] == least:
                    reached |= 1 << around
                    seen[end * 4 + around] = seen_now
            is_blocked[end] = True
            if add_child(tables, tree, scratch, pruning, row, end, least):
                boxes[count] = end
                reached_from[count] = reached
                count += 1
            is_blocked[end] = False
        first += 1
    is_blocked[start] = True
