"""The cheapest plan among those that stay near a given one.

A position is near the plan if it differs from one of the plan's in few boxes, wherever these are.
It is far in the plan if it is near a late position of it. Whatever is not near, or comes later than
the plan comes equally far, is left out; so the rest is small enough to be searched wholly, in the
order of the prices. The plan's own positions are there from the start, at the plan's prices.
"""

from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Int64

from tokoban.compiling import entry, inner
from tokoban.sokoban.search.astar import NONE, flood, is_frozen_off_goal
from tokoban.sokoban.search.bit_slots import slot_of
from tokoban.sokoban.search.bitboard.words import count
from tokoban.sokoban.search.vicinity.positions import (
    BUCKET,
    END,
    END_PRICE,
    IS_FAR,
    IS_LATE,
    NUM_EXPANSIONS,
    NUM_POSITIONS,
    put_in,
    take_out,
)
from tokoban.sokoban.search.vicinity.tables import MAIN, bit_of, list_boxes, price_of_push

# Why `search` returned.
BUDGET_SPENT, STORE_FULL, EXHAUSTED = range(3)


class Scope(NamedTuple):
    """What of the vicinity of a plan is searched."""

    most_boxes: int  # so many may differ
    latest: Int64[np.ndarray, " M+1"]  # the highest price of what is as far in the plan


@inner
@no_type_check
def has_no_room(positions, num_boxes):
    """Whether the pushes from one position could be too many."""
    return positions.progress[NUM_POSITIONS] + 4 * num_boxes >= len(positions.player)


@inner
@no_type_check
def num_differing(words, others):
    """How many boxes stand elsewhere; both are equally many."""
    total = 0
    for word in range(len(words)):
        total += count(words[word] & ~others[word])
    return total


@inner
@no_type_check
def find_near(plan_boxes, words, most_boxes):
    """The last position of the plan from which at most so many boxes differ; NONE if none is.

    From one to the next only one box differs, so that many can be passed over.
    """
    near = len(plan_boxes) - 1
    while near >= 0:
        surplus = num_differing(words, plan_boxes[near]) - most_boxes
        if surplus <= 0:
            return near
        near -= surplus
    return NONE


@entry
@no_type_check
def begin(tables, plan, start, positions, scratch, place):
    """Enters the plan from its position ``start`` on; ``place`` [M + 1] says where each is then.

    Where the plan comes back to a position it is entered once, at its first price.
    """
    progress = positions.progress
    for i in range(start, len(plan.boxes)):
        list_boxes(plan.boxes[i], scratch.boxes)
        mixed_boxes = np.uint64(0)
        for box in scratch.boxes:
            mixed_boxes ^= tables.keys[0, box]
        player = plan.player[i]
        slot = slot_of(positions, plan.boxes[i], mixed_boxes, player, tables.keys[1, player])
        place[i] = positions.slots[slot]
        if place[i] != NONE:
            continue
        position = progress[NUM_POSITIONS]
        progress[NUM_POSITIONS] += 1
        positions.slots[slot] = place[i] = position
        for word in range(plan.boxes.shape[1]):
            positions.boxes[position, word] = plan.boxes[i, word]
        positions.mixed_boxes[position] = mixed_boxes
        positions.player[position] = player
        positions.push[position] = plan.pushes[i - 1] if i > start else NONE
        positions.parent[position] = place[i - 1] if i > start else NONE
        positions.price[position] = plan.price[i]
        positions.pushes_left[position] = i + 1 < len(plan.boxes)
        positions.near[position] = NONE
        put_in(positions, position)
    progress[END] = place[len(plan.boxes) - 1]
    progress[END_PRICE] = positions.price[progress[END]]


@inner
@no_type_check
def leads_nowhere(price, pushes_left, progress):
    """Whether so many pushes more would cost as much as the cheapest plan that is known."""
    return price + pushes_left * (MAIN + 1) >= progress[END_PRICE]


@inner
@no_type_check
def is_late(positions, near, price, latest):
    """Whether the plan comes so far for less; its own positions never are."""
    if near == NONE or price <= latest[near]:
        return False
    positions.progress[IS_LATE] = 1
    return True


@inner
@no_type_check
def is_frozen_after(tables, scratch, row, beyond):
    """Whether boxes off their goals are stuck once box ``row`` is pushed to ``beyond``."""
    box = scratch.boxes[row]
    scratch.boxes[row] = beyond
    scratch.is_blocked[box] = False
    scratch.is_blocked[beyond] = True
    up, left, down, right = tables.neighbours[beyond]
    is_frozen = (
        (scratch.is_blocked[up] or scratch.is_blocked[down])
        and (scratch.is_blocked[left] or scratch.is_blocked[right])
        and is_frozen_off_goal(tables, scratch.boxes, scratch.is_blocked, scratch.is_held)
    )
    scratch.is_blocked[beyond] = False
    scratch.is_blocked[box] = True
    scratch.boxes[row] = box
    return is_frozen


@inner
@no_type_check
def find_position(tables, plan, scope, positions, scratch, parent, row, beyond, price, pushes_left):
    """The position after box ``row`` of ``parent`` is pushed to ``beyond``; NONE if it is left out.

    It is taken out of its bucket if it was known, and added if not.
    """
    progress = positions.progress
    box = scratch.boxes[row]
    # The place after the last position is free to try what may become the next one.
    position = progress[NUM_POSITIONS]
    words = positions.boxes[position]
    for word in range(len(words)):
        words[word] = positions.boxes[parent, word]
    words[box >> 6] ^= bit_of(box)
    words[beyond >> 6] ^= bit_of(beyond)
    mixed_boxes = positions.mixed_boxes[parent] ^ tables.keys[0, box] ^ tables.keys[0, beyond]
    slot = slot_of(positions, words, mixed_boxes, box, tables.keys[1, box])
    known = positions.slots[slot]
    if known != NONE:
        if positions.price[known] <= price:
            return NONE
        if is_late(positions, positions.near[known], price, scope.latest):
            return NONE
        take_out(positions, known)
        return known
    near = find_near(plan.boxes, words, scope.most_boxes)
    if near == NONE:
        progress[IS_FAR] = 1
        return NONE
    if is_late(positions, near, price, scope.latest):
        return NONE
    if is_frozen_after(tables, scratch, row, beyond):
        return NONE
    progress[NUM_POSITIONS] += 1
    positions.slots[slot] = position
    positions.mixed_boxes[position] = mixed_boxes
    positions.player[position] = box
    positions.pushes_left[position] = pushes_left
    positions.near[position] = near
    return position


@inner
@no_type_check
def expand(tables, plan, scope, positions, scratch, parent):
    """Makes each push that is possible from a position."""
    progress, is_blocked, walk = positions.progress, scratch.is_blocked, scratch.walk[0]
    list_boxes(positions.boxes[parent], scratch.boxes)
    all_left = 0
    for box in scratch.boxes:
        is_blocked[box] = True
        all_left += tables.fewest_pushes[box]
    flood(tables.neighbours, is_blocked, positions.player[parent], walk, scratch.reached[0])
    for row in range(len(scratch.boxes)):
        box = np.int64(scratch.boxes[row])
        for direction in range(4):
            steps = np.int64(walk[tables.neighbours[box, direction ^ 2]])
            beyond = np.int64(tables.neighbours[box, direction])
            if steps == NONE or is_blocked[beyond]:
                continue
            if tables.is_lost[beyond * 4 + tables.side[beyond, box]]:
                continue
            price = positions.price[parent] + price_of_push(tables.counts_moves, steps)
            pushes_left = all_left - tables.fewest_pushes[box] + tables.fewest_pushes[beyond]
            if leads_nowhere(price, pushes_left, progress):
                continue
            position = find_position(
                tables, plan, scope, positions, scratch, parent, row, beyond, price, pushes_left
            )
            if position == NONE:
                continue
            positions.push[position] = box * 4 + direction
            positions.parent[position] = parent
            positions.price[position] = price
            put_in(positions, position)
            if pushes_left == 0:
                progress[END] = position
                progress[END_PRICE] = price
    for box in scratch.boxes:
        is_blocked[box] = False


@entry
@no_type_check
def search(tables, plan, scope, positions, scratch, max_expansions):
    """Goes on with the search; returns why it stopped. ``max_expansions`` counts from the start."""
    progress = positions.progress
    while True:
        while positions.buckets[progress[BUCKET]] == NONE:
            progress[BUCKET] += 1
            if progress[BUCKET] == len(positions.buckets):
                return EXHAUSTED
        if progress[NUM_EXPANSIONS] >= max_expansions:
            return BUDGET_SPENT
        if has_no_room(positions, len(scratch.boxes)):
            return STORE_FULL
        position = positions.buckets[progress[BUCKET]]
        take_out(positions, position)
        left = np.int64(positions.pushes_left[position])
        if not leads_nowhere(positions.price[position], left, progress):
            progress[NUM_EXPANSIONS] += 1
            expand(tables, plan, scope, positions, scratch, position)


@entry
@no_type_check
def pushes_to(positions, position, pushes):
    """Writes the pushes that lead to a position, the last one first; returns how many there are."""
    num_pushes = 0
    while positions.parent[position] != NONE:
        pushes[num_pushes] = positions.push[position]
        num_pushes += 1
        position = positions.parent[position]
    return num_pushes
