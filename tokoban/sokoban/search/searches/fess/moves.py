"""The children of a position: all ways to push one box alone (``searches.moves``)."""

from functools import partial
from typing import no_type_check

from tokoban.compiling import inner
from tokoban.sokoban.search.level.ground import NONE
from tokoban.sokoban.search.rules.pruning import is_deadlocked_by_push
from tokoban.sokoban.search.searches.fess.scores import CELL_SHIFT, score_of_cell, score_within_cell
from tokoban.sokoban.search.searches.fess.tree import (
    EXPANDING,
    NUM_CHILDREN,
    NUM_LAID_OUT,
    NUM_PUSHES,
    SOLVED_BY,
    slot_of,
)
from tokoban.sokoban.search.searches.moves import lift, moves_of_one_box
from tokoban.sokoban.search.state.positions import are_equal, write_moved


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
def add_child(state, ground, scratch, _row, box, place, least):
    """Stores a child of the position in the making, without a run, if it is new.

    A ``visit`` of ``moves_of_one_box``: none go on from a deadlocked child.
    """
    tables, tree, pruning = state
    progress, to = tree.progress, place >> 2
    progress[NUM_PUSHES] += 1
    position = progress[NUM_LAID_OUT]
    words = scratch.words
    write_moved(tree.boxes[position], box, to, words)
    boxes_key = tree.boxes_key[position] ^ ground.keys[0, box] ^ ground.keys[0, to]
    key = boxes_key ^ ground.keys[1, least]
    slot = slot_of(tree, words, key, least)
    if tree.slots[slot] != NONE and tree.is_done[tree.slots[slot]]:
        return True
    if is_deadlocked_by_push(ground, pruning, words, scratch.boxes, scratch.is_blocked, to, least):
        return False
    score = score_of_cell(tables, scratch.is_blocked, words, scratch.regions.num_regions[to])
    weight = tree.weight[tree.run[progress[EXPANDING]]]
    cell_key = max(tree.best_cell[position], score >> CELL_SHIFT)
    if not is_worth_storing(tree, slot, cell_key, weight):
        return True
    score |= score_within_cell(tables, words)
    child = progress[NUM_CHILDREN]
    progress[NUM_CHILDREN] += 1
    tree.box[child] = box
    tree.to[child] = to
    tree.child_player[child] = least
    tree.key[child] = key
    tree.child_score[child] = score
    tree.is_done[child] = False
    if are_equal(words, tables.goal_words):
        progress[SOLVED_BY] = child
    return True


move_lifted = moves_of_one_box(add_child)


@partial(inner, is_inlined=True)
@no_type_check
def move_box(tables, tree, scratch, pruning, row):
    """Adds the children after any pushes of box ``row`` alone that lead through no deadlock."""
    ground = tables.ground
    if lift(ground, tree.boxes[tree.progress[NUM_LAID_OUT]], scratch, row, False):
        state = (tables, tree, pruning)
        move_lifted(state, ground, scratch, row, False)
