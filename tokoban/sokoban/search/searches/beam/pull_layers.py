"""One layer of a beam of pulls: all positions one move beyond those of the layer before; compiled.

A move is any pulls of one box alone. Axes as in ``ground``, and N candidates.
"""

from functools import partial
from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Int16, Int32, Int64, UInt64

from tokoban.compiling import entry, inner
from tokoban.sokoban.search.level.ground import NONE, UNREACHABLE
from tokoban.sokoban.search.level.words import count as count_bits
from tokoban.sokoban.search.measures.bounds import lower_bound_after, match_again
from tokoban.sokoban.search.outcome import Outcome
from tokoban.sokoban.search.searches.beam.rounds import BADNESS_BITS, LEAST_BADNESS
from tokoban.sokoban.search.searches.moves import lift, moves_of_one_box
from tokoban.sokoban.search.state.columns import enlarge_columns, zeroed
from tokoban.sokoban.search.state.positions import (
    add,
    bit_of,
    copy,
    empty_slots,
    next_capacity,
    slot_of,
    write_moved,
)
from tokoban.sokoban.search.state.workspace import lay_out_position

# Entries of `Layer.progress`.
(
    NEXT,  # the position whose moves are next
    NEXT_ROW,  # its next box
    NUM_CANDIDATES,
    NUM_PULLS,  # that were tried, and lower bounds: the measure of the work
    SOLVED_BY,  # the candidate that is the start of the level, or NONE
) = range(5)


class Layer(NamedTuple):
    """Positions one move beyond those of the layer before, which a beam may keep.

    They are told apart by their hash alone: nothing is proved here.
    """

    parent: Int32[np.ndarray, " N"]
    box: Int16[np.ndarray, " N"]  # where the pulled box was
    to: Int16[np.ndarray, " N"]  # where it is
    player: Int16[np.ndarray, " N"]  # the least square that the player can walk to
    boxes_key: UInt64[np.ndarray, " N"]  # the keys of all boxes, xored
    score: Int64[np.ndarray, " N"]  # its kind and its badness, as ``rounds`` says
    slots: Int32[np.ndarray, " S"]  # hash table; the size is a power of two
    goal_words: UInt64[np.ndarray, " W"]
    progress: Int64[np.ndarray, "5"]


def empty_layer(capacity: int, goal_words: UInt64[np.ndarray, " W"]) -> Layer:
    """Room for so many candidates."""
    layer = zeroed(Layer, N=capacity, slots=empty_slots(capacity), goal_words=goal_words)
    layer.progress[SOLVED_BY] = NONE
    return layer


def grown(layer: Layer) -> Layer:
    """The same candidates, in the same arrays, with more room; their hash table is empty if new.

    They are to be entered into it by ``refill_slots``.
    """
    capacity = next_capacity(len(layer.parent))
    enlarge_columns(layer, "N", capacity)
    if len(layer.slots) >= 2 * capacity:
        return layer
    return layer._replace(slots=empty_slots(capacity))


@inner
@no_type_check
def slot_of_candidate(layer, keys, key):
    """The slot of the hash table that holds the candidate with this hash of boxes and player, or
    the empty one where it belongs."""
    mask = len(layer.slots) - 1
    slot = np.int64(key >> np.uint64(1)) & mask
    while layer.slots[slot] != NONE:
        known = layer.slots[slot]
        if layer.boxes_key[known] ^ keys[1, layer.player[known]] == key:
            break
        slot = (slot + 1) & mask
    return slot


@entry
@no_type_check
def refill_slots(layer, keys, first, last):
    """Enters the candidates from ``first`` on, before ``last``, into the hash table."""
    for candidate in range(first, last):
        key = layer.boxes_key[candidate] ^ keys[1, layer.player[candidate]]
        layer.slots[slot_of_candidate(layer, keys, key)] = candidate


@partial(inner, is_inlined=True)
@no_type_check
def _add_candidate(state, ground, scratch, row, start, place, least):
    """Adds the position with box ``row`` on ``place``, unless it is known or no matching exists.

    For ``moves_of_one_box``: pulls go on from anywhere.
    """
    (is_matched, positions, layer, start_player, weights, bonuses), bonus_of_others = state
    progress, words = layer.progress, scratch.words
    position, end = progress[NEXT], place >> 2
    key = positions.boxes_key[position] ^ ground.keys[0, start] ^ ground.keys[0, end]
    slot = slot_of_candidate(layer, ground.keys, key ^ ground.keys[1, least])
    if layer.slots[slot] != NONE:
        return True
    copy(scratch.others, words)
    words[end >> 6] ^= bit_of(end)
    known = slot_of(positions, words, key, least, ground.keys[1, least])
    if positions.slots[known] != NONE:
        return True
    lower_bound = lower_bound_after(
        ground, is_matched, scratch.places, row, place, scratch.matching, scratch.path
    )
    progress[NUM_PULLS] += 1  # a lower bound takes as long as trying a pull
    if lower_bound == UNREACHABLE:
        return True
    bonus = bonus_of_others + bonuses[end]
    num_on_goals = np.int64(0)
    for word in range(len(words)):
        num_on_goals += count_bits(words[word] & layer.goal_words[word])
    num_regions = np.int64(scratch.regions.num_regions[end])
    kind = num_on_goals << 16 | num_regions
    badness = lower_bound + weights[0] * num_regions + weights[1] * num_on_goals - bonus
    candidate = progress[NUM_CANDIDATES]
    progress[NUM_CANDIDATES] += 1
    layer.slots[slot] = candidate
    layer.boxes_key[candidate] = key
    layer.player[candidate] = least
    layer.parent[candidate] = position
    layer.box[candidate] = start
    layer.to[candidate] = end
    layer.score[candidate] = kind << BADNESS_BITS | LEAST_BADNESS + badness
    if lower_bound == 0 and least == start_player:
        progress[SOLVED_BY] = candidate
    return True


_pull_lifted = moves_of_one_box(_add_candidate)


@partial(inner, is_inlined=True)
@no_type_check
def _pull_box(state, ground, scratch, row):
    """Adds the moves of one box of the position that is laid out."""
    _, positions, layer, _, _, bonuses = state
    progress = layer.progress
    if lift(ground, positions.boxes[progress[NEXT]], scratch, row, True):
        bonus_of_others = -bonuses[scratch.boxes[row]]
        for box in scratch.boxes:
            bonus_of_others += bonuses[box]
        visited = (state, bonus_of_others)
        progress[NUM_PULLS] += _pull_lifted(visited, ground, scratch, row, True)


@entry
@no_type_check
def add_pulls(
    ground,
    is_matched,
    positions,
    layer,
    scratch,
    start_player,
    weights,
    bonuses,
    last,
    stop_at,
):
    """Adds the moves of positions from ``progress[NEXT]`` on, before ``last``, as candidates.

    It stops after about ``stop_at`` pulls in all, for want of room, and at the start of the level:
    its boxes in place and ``start_player`` the least square that the player can walk to. Stops for
    a limit do not change the result. ``bonuses`` has the bonus of a box on each
    square.
    """
    progress = layer.progress
    state = (is_matched, positions, layer, start_player, weights, bonuses)
    if progress[SOLVED_BY] != NONE:
        return Outcome.SOLVED
    while progress[NEXT] < last and progress[NUM_PULLS] < stop_at:
        position = progress[NEXT]
        if progress[NEXT_ROW] == 0:
            words, player = positions.boxes[position], np.int64(positions.player[position])
            lay_out_position(ground, words, player, scratch)
            match_again(ground.pushes, is_matched, scratch.places, scratch.matching, scratch.path)
        for row in range(progress[NEXT_ROW], len(scratch.boxes)):
            if progress[NUM_CANDIDATES] + 4 * len(ground.zone) > len(layer.parent):
                return Outcome.STORE_FULL
            if progress[NUM_PULLS] >= stop_at:
                return Outcome.BUDGET_SPENT
            _pull_box(state, ground, scratch, row)
            if progress[SOLVED_BY] != NONE:
                return Outcome.SOLVED
            progress[NEXT_ROW] = row + 1
        progress[NEXT] += 1
        progress[NEXT_ROW] = 0
    return Outcome.EXHAUSTED if progress[NEXT] == last else Outcome.BUDGET_SPENT


@entry
@no_type_check
def keep(ground, positions, layer, chosen, words):
    """Stores the chosen candidates, for which there must be room."""
    for i in range(len(chosen)):
        candidate = chosen[i]
        parent, player = layer.parent[candidate], np.int64(layer.player[candidate])
        box, to = np.int64(layer.box[candidate]), np.int64(layer.to[candidate])
        write_moved(positions.boxes[parent], box, to, words)
        key = layer.boxes_key[candidate]
        slot = slot_of(positions, words, key, player, ground.keys[1, player])
        add(positions, slot, words, key, player, parent)
