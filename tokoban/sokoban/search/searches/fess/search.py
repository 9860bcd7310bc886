"""The loop of FESS: takes the next child, lays it out, tests it for deadlocks and expands it."""

from functools import partial
from typing import no_type_check

import numpy as np

from tokoban.compiling import entry, inner
from tokoban.sokoban.search.level.ground import NONE, UNREACHABLE
from tokoban.sokoban.search.measures.bounds import match_again, matched_pushes
from tokoban.sokoban.search.outcome import Outcome
from tokoban.sokoban.search.rules.corrals import DEADLOCKED
from tokoban.sokoban.search.rules.pruning import judge_position
from tokoban.sokoban.search.searches.fess.advisors import advise
from tokoban.sokoban.search.searches.fess.heaps import enter, take_next
from tokoban.sokoban.search.searches.fess.moves import is_worth_storing, move_box
from tokoban.sokoban.search.searches.fess.scores import CELL_SHIFT, score_of_cell, score_within_cell
from tokoban.sokoban.search.searches.fess.tree import (
    BEST,
    EXPANDING,
    FIRST_NEW,
    NEXT_ROW,
    NUM_CHILDREN,
    NUM_LAID_OUT,
    NUM_PUSHES,
    NUM_RUNS,
    NUM_TURNS,
    SOLVED_BY,
    cell_of,
    child_boxes,
    child_words,
    lacks_room,
    slot_of,
    swap_children,
)
from tokoban.sokoban.search.state.workspace import lay_out_position


@partial(inner, is_inlined=True)
@no_type_check
def lay_out(tables, tree, scratch, child):
    """Lays a child out as the position in the making; returns how many other regions there are.

    Other than the player's; -1 if the child has been expanded already or has a better record.
    """
    ground = tables.ground
    position = tree.progress[NUM_LAID_OUT]
    words, player = tree.boxes[position], np.int64(tree.child_player[child])
    child_words(tree, child, words)
    slot = slot_of(tree, words, tree.key[child], player)
    if tree.slots[slot] != child or tree.is_done[child]:
        return -1
    tree.is_done[child] = True
    parent = tree.parent[tree.run[child]]
    tree.boxes_key[position] = tree.key[child] ^ ground.keys[1, player]
    tree.player[position] = player
    tree.came_by[position] = child
    tree.score[position] = tree.child_score[child]
    num_regions = lay_out_position(ground, words, player, scratch)
    if child == 0:
        tree.score[position] = score_of_cell(tables, scratch.is_blocked, words, 1 + num_regions)
        tree.score[position] |= score_within_cell(tables, words)
    tree.best_cell[position] = max(tree.best_cell[parent], tree.score[position] >> CELL_SHIFT)
    return num_regions


@partial(inner, is_inlined=True)
@no_type_check
def begin_expansion(tables, tree, scratch, pruning, child):
    """Lays a child out and fills ``may_move``; whether it is to be expanded.

    Not if it has been already, has a better record, or is found deadlocked.
    """
    ground, progress = tables.ground, tree.progress
    num_regions = lay_out(tables, tree, scratch, child)
    if num_regions < 0:
        return False
    position = progress[NUM_LAID_OUT]
    places, matching = scratch.places, scratch.matching
    match_again(ground.pushes, tables.is_matched, places, matching, scratch.path)
    verdict = DEADLOCKED
    if not tables.is_matched or matched_pushes(ground.pushes, places, matching) < UNREACHABLE:
        words, player = tree.boxes[position], np.int64(tree.player[position])
        verdict, num_floods = judge_position(ground, words, player, scratch, pruning, num_regions)
        progress[NUM_PUSHES] += num_floods
    progress[NUM_PUSHES] += 1
    if verdict == DEADLOCKED:
        return False
    progress[EXPANDING] = child
    progress[NEXT_ROW] = 0
    return True


@inner
@no_type_check
def sift_down(tree, first, root, count):
    """Lets a child sink in a binary heap whose root is its worst; children are counted from 0."""
    while 2 * root + 1 < count:
        below = 2 * root + 1
        if (
            below + 1 < count
            and tree.child_score[first + below + 1] < tree.child_score[first + below]
        ):
            below += 1
        if tree.child_score[first + root] <= tree.child_score[first + below]:
            return
        swap_children(tree, first + root, first + below)
        root = below


@inner
@no_type_check
def sort_children(tree, first, last):
    """Sorts children that have no run yet, the best first (heapsort)."""
    count = last - first
    for root in range(count // 2 - 1, -1, -1):
        sift_down(tree, first, root, count)
    for end in range(count - 1, 0, -1):
        swap_children(tree, first, first + end)
        sift_down(tree, first, 0, end)


@inner
@no_type_check
def add_run(tree, position, cell, weight, first):
    """A run that has no children yet; it is in no heap."""
    run = tree.progress[NUM_RUNS]
    tree.progress[NUM_RUNS] += 1
    tree.parent[run] = position
    tree.next_child[run] = tree.end_child[run] = first
    tree.cell[run] = cell
    tree.weight[run] = weight
    return run


@inner
@no_type_check
def move_child(tree, child, to):
    """Moves the record of a child that has no run yet."""
    tree.box[to] = tree.box[child]
    tree.to[to] = tree.to[child]
    tree.child_player[to] = tree.child_player[child]
    tree.key[to] = tree.key[child]
    tree.child_score[to] = tree.child_score[child]


@partial(inner, is_inlined=True)
@no_type_check
def file_children(tree, scratch, num_advised):
    """Gives the new children their runs, and enters these into the heaps of their cells.

    The children that advisors proposed come first; the others are sorted.
    """
    progress, words = tree.progress, scratch.words
    position, first, last = progress[NUM_LAID_OUT], progress[FIRST_NEW], progress[NUM_CHILDREN]
    best_cell = tree.best_cell[position]
    parent_weight = np.int64(tree.weight[tree.run[progress[EXPANDING]]])
    run = np.int64(NONE)
    kept = first
    for child in range(first, last):
        cell_key = max(best_cell, tree.child_score[child] >> CELL_SHIFT)
        weight = parent_weight + (child - first >= num_advised)
        child_boxes(tree, position, child, words)
        slot = slot_of(tree, words, tree.key[child], tree.child_player[child])
        if not is_worth_storing(tree, slot, cell_key, weight):
            continue
        if run == NONE or tree.cell_key[tree.cell[run]] != cell_key or tree.weight[run] != weight:
            if run != NONE:
                enter(tree, run)
            run = add_run(tree, position, cell_of(tree, cell_key), weight, kept)
        move_child(tree, child, kept)
        tree.run[kept] = run
        tree.is_done[kept] = False
        tree.slots[slot] = kept
        tree.end_child[run] += 1
        kept += 1
    if run != NONE:
        enter(tree, run)
    progress[NUM_CHILDREN] = progress[FIRST_NEW] = kept


@partial(inner, is_inlined=True)
@no_type_check
def expand(tables, tree, scratch, pruning, max_pushes):
    """Continues the expansion of the position in the making, one box at a time.

    Returns whether all its children are filed; else the budget is spent, the tree is full, or a
    child is the solution.
    """
    progress, num_floor = tree.progress, len(tables.ground.zone)
    for row in range(progress[NEXT_ROW], len(scratch.boxes)):
        if scratch.may_move[row]:
            if lacks_room(tree, num_floor) or progress[NUM_PUSHES] >= max_pushes:
                return False
            move_box(tables, tree, scratch, pruning, row)
            if progress[SOLVED_BY] != NONE:
                return False
        progress[NEXT_ROW] = row + 1
    if lacks_room(tree, num_floor):
        return False
    position, first, last = progress[NUM_LAID_OUT], progress[FIRST_NEW], progress[NUM_CHILDREN]
    num_advised = advise(tables, tree, tree.score[position], first, last)
    sort_children(tree, first + num_advised, last)
    file_children(tree, scratch, num_advised)
    if tree.score[position] > tree.score[progress[BEST]]:
        progress[BEST] = position
    progress[EXPANDING] = NONE
    progress[NUM_LAID_OUT] += 1
    progress[NUM_TURNS] += 1
    return True


@entry
@no_type_check
def search(tables, tree, scratch, pruning, max_pushes, max_expansions):
    """Goes on with the search until it meets the solution.

    Stops for a limit do not change the result. ``max_pushes`` and
    ``max_expansions`` count from the first call.
    """
    progress, num_floor = tree.progress, len(tables.ground.zone)
    while True:
        if progress[EXPANDING] == NONE:
            if progress[NUM_PUSHES] >= max_pushes or progress[NUM_LAID_OUT] > max_expansions:
                return Outcome.BUDGET_SPENT
            if lacks_room(tree, num_floor):
                return Outcome.STORE_FULL
            child = take_next(tree)
            if child == NONE:
                return Outcome.EXHAUSTED
            if not begin_expansion(tables, tree, scratch, pruning, child):
                continue
        if not expand(tables, tree, scratch, pruning, max_pushes):
            solved_by = progress[SOLVED_BY]
            if solved_by != NONE:
                tree.run[solved_by] = add_run(tree, progress[NUM_LAID_OUT], 0, 0, solved_by)
                return Outcome.SOLVED
            return Outcome.STORE_FULL if lacks_room(tree, num_floor) else Outcome.BUDGET_SPENT
