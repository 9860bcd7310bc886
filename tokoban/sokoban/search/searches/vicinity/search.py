"""The cheapest solution among those that stay near a given one.

A position is near the path of the solution if it differs from one of the path's in few boxes,
wherever these are. It is far along the path if it is near a late position of it. Positions that are
not near, or that cost more than the path costs equally far, are left out; the rest is small enough
for Dijkstra's algorithm. The path's own positions are there from the start, at the path's costs.
"""

from functools import partial
from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Int64

from tokoban.compiling import entry, inner
from tokoban.sokoban.search.level.ground import NONE, UNREACHABLE
from tokoban.sokoban.search.level.words import count
from tokoban.sokoban.search.outcome import Outcome
from tokoban.sokoban.search.rules.freeze import is_frozen_off_goals
from tokoban.sokoban.search.searches.vicinity.push_paths import MAIN, cost_of_push, mark_walks
from tokoban.sokoban.search.searches.vicinity.store import (
    BUCKET,
    END,
    END_COST,
    IS_FAR,
    IS_LATE,
    NUM_EXPANSIONS,
    put_in,
    take_out,
)
from tokoban.sokoban.search.state.positions import add, key_of, list_boxes, slot_of, write_moved
from tokoban.sokoban.search.state.single_pushes import single_pushes
from tokoban.sokoban.search.state.workspace import place_boxes


class Scope(NamedTuple):
    """Which part of the vicinity of a path is searched."""

    most_boxes: int  # the most that may stand elsewhere
    latest: Int64[np.ndarray, " M+1"]  # the highest cost of a position equally far along the path


@inner
@no_type_check
def num_differing(words, others):
    """The number of boxes that stand elsewhere; both words have equally many."""
    total = 0
    for word in range(len(words)):
        total += count(words[word] & ~others[word])
    return total


@inner
@no_type_check
def find_near(path_boxes, words, most_boxes):
    """The last position of the path that differs in at most so many boxes; NONE without one.

    From one to the next only one box differs, so as many are skipped as boxes differ too many.
    """
    near = len(path_boxes) - 1
    while near >= 0:
        surplus = num_differing(words, path_boxes[near]) - most_boxes
        if surplus <= 0:
            return near
        near -= surplus
    return NONE


@entry
@no_type_check
def begin(task, path, start, store, scratch, entered_as):
    """Enters the path from its position ``start`` on; ``entered_as`` [M + 1] has their numbers.

    Where the path comes back to a position it is entered once, at its first cost.
    """
    keys = task.ground.keys
    for i in range(start, len(path.boxes)):
        words, player = path.boxes[i], path.player[i]
        list_boxes(words, scratch.boxes)
        boxes_key = key_of(keys, scratch.boxes)
        slot = slot_of(store.positions, words, boxes_key, player, keys[1, player])
        entered_as[i] = store.positions.slots[slot]
        if entered_as[i] != NONE:
            continue
        parent = entered_as[i - 1] if i > start else NONE
        position = add(store.positions, slot, words, boxes_key, player, parent)
        entered_as[i] = position
        store.push[position] = path.pushes[i - 1] if i > start else NONE
        store.cost[position] = path.cost[i]
        store.lower_bound[position] = i + 1 < len(path.boxes)
        store.near[position] = NONE
        put_in(store, position)
    store.progress[END] = entered_as[len(path.boxes) - 1]
    store.progress[END_COST] = store.cost[store.progress[END]]


@inner
@no_type_check
def is_too_costly(cost, lower_bound, progress):
    """Whether the pushes that remain would cost as much as the cheapest known solution."""
    return cost + lower_bound * (MAIN + 1) >= progress[END_COST]


@inner
@no_type_check
def is_late(store, near, cost, latest):
    """Whether the path gets equally far at a lower cost; its own positions never are late."""
    if near == NONE or cost <= latest[near]:
        return False
    store.progress[IS_LATE] = 1
    return True


@inner
@no_type_check
def find_position(task, path, scope, store, scratch, parent, box, end, cost, lower_bound):
    """The position after ``box`` of ``parent`` is pushed to ``end``; NONE if it is left out.

    It is taken out of its bucket if it was known, and added if not.
    """
    positions, words, keys = store.positions, scratch.words, task.ground.keys
    write_moved(positions.boxes[parent], box, end, words)
    boxes_key = positions.boxes_key[parent] ^ keys[0, box] ^ keys[0, end]
    slot = slot_of(positions, words, boxes_key, box, keys[1, box])
    known = positions.slots[slot]
    if known != NONE:
        if store.cost[known] <= cost or is_late(store, store.near[known], cost, scope.latest):
            return NONE
        take_out(store, known)
        positions.parent[known] = parent
        return known
    near = find_near(path.boxes, words, scope.most_boxes)
    if near == NONE:
        store.progress[IS_FAR] = 1
        return NONE
    if is_late(store, near, cost, scope.latest) or is_frozen_off_goals(
        task.ground, scratch.boxes, scratch.is_blocked, scratch.is_frozen, end
    ):
        return NONE
    position = add(positions, slot, words, boxes_key, box, parent)
    store.lower_bound[position] = lower_bound
    store.near[position] = near
    return position


@partial(inner, is_inlined=True)
@no_type_check
def add_push(state, _row, box, direction, end):
    """Opens the position after a push at its cost, unless it is left out or known for less."""
    task, path, scope, store, scratch, parent, total = state
    ground, progress = task.ground, store.progress
    if ground.lower_bound[end * 4 + ground.zone[end, box]] == UNREACHABLE:
        return True
    steps = np.int64(scratch.steps[ground.neighbours[box, direction ^ 2]])
    cost = store.cost[parent] + cost_of_push(task.counts_moves, steps)
    lower_bound = total - task.lower_bound[box] + task.lower_bound[end]
    if is_too_costly(cost, lower_bound, progress):
        return True
    position = find_position(task, path, scope, store, scratch, parent, box, end, cost, lower_bound)
    if position != NONE:
        store.push[position] = box * 4 + direction
        store.cost[position] = cost
        put_in(store, position)
        if lower_bound == 0:
            progress[END] = position
            progress[END_COST] = cost
    return True


push_each = single_pushes(add_push)


@inner
@no_type_check
def expand(task, path, scope, store, scratch, parent):
    """Makes each push that is possible from a position."""
    neighbours, is_blocked = task.ground.neighbours, scratch.is_blocked
    place_boxes(store.positions.boxes[parent], scratch.boxes, is_blocked)
    total = 0
    for box in scratch.boxes:
        total += task.lower_bound[box]
    mark = mark_walks(task.ground, scratch, store.positions.player[parent])
    state = (task, path, scope, store, scratch, parent, total)
    push_each(state, neighbours, scratch.boxes, is_blocked, scratch.marks, mark)


@entry
@no_type_check
def search(task, path, scope, store, scratch, max_expansions):
    """Goes on with the search; returns why it stopped. ``max_expansions`` counts from the start."""
    progress, capacity = store.progress, len(store.cost)
    while True:
        while store.buckets[progress[BUCKET]] == NONE:
            progress[BUCKET] += 1
            if progress[BUCKET] == len(store.buckets):
                return Outcome.EXHAUSTED
        if progress[NUM_EXPANSIONS] >= max_expansions:
            return Outcome.BUDGET_SPENT
        if store.positions.num_known[0] + 4 * len(scratch.boxes) >= capacity:
            return Outcome.STORE_FULL
        position = store.buckets[progress[BUCKET]]
        take_out(store, position)
        lower_bound = np.int64(store.lower_bound[position])
        if not is_too_costly(store.cost[position], lower_bound, progress):
            progress[NUM_EXPANSIONS] += 1
            expand(task, path, scope, store, scratch, position)


@entry
@no_type_check
def pushes_to(store, position, pushes):
    """Writes the pushes that lead to a position, the last one first; returns how many there are."""
    num_pushes = 0
    while store.positions.parent[position] != NONE:
        pushes[num_pushes] = store.push[position]
        num_pushes += 1
        position = store.positions.parent[position]
    return num_pushes
