"""One layer of a beam of pulls: all positions one pull beyond those of the layer before; compiled.

Axes as in ``ground``, and N candidates.
"""

from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Int16, Int32, Int64, UInt64

from tokoban.compiling import entry, inner
from tokoban.sokoban.search.bitboard.words import count
from tokoban.sokoban.search.bounds import lower_bound_after, match_all
from tokoban.sokoban.search.columns import new_columns
from tokoban.sokoban.search.fess.regions import Regions, empty_regions, find_regions
from tokoban.sokoban.search.few_boxes import is_deadlocked_now
from tokoban.sokoban.search.ground import NONE, UNREACHABLE
from tokoban.sokoban.search.laying_out import lay_out_position
from tokoban.sokoban.search.positions import add, bit_of, copy, empty_slots, slot_of

# Entries of `Layer.progress`.
NEXT, NUM_CANDIDATES, NUM_PULLS, SOLVED_BY = range(4)


class Layer(NamedTuple):
    """Positions one pull beyond those of the layer before, which a beam may keep.

    They are told apart by their hash alone: nothing is proved here.
    """

    parent: Int32[np.ndarray, " N"]
    box: Int16[np.ndarray, " N"]  # where the pulled box was
    to: Int16[np.ndarray, " N"]  # where it is
    player: Int16[np.ndarray, " N"]  # the least square that the player can walk to
    boxes_key: UInt64[np.ndarray, " N"]  # the keys of all boxes, xored
    lower_bound: Int32[np.ndarray, " N"]  # on the pulls left
    num_regions: Int16[np.ndarray, " N"]  # of free floor
    num_on_goals: Int16[np.ndarray, " N"]  # boxes that have yet to leave the goals, or come back
    slots: Int32[np.ndarray, " S"]  # hash table; the size is a power of two
    goal_words: UInt64[np.ndarray, " W"]
    regions: Regions  # workspace, for one lifted box
    progress: Int64[np.ndarray, "4"]


def empty_layer(capacity: int, goal_words: UInt64[np.ndarray, " W"], num_floor: int) -> Layer:
    """Room for so many candidates."""
    layer = Layer(
        **new_columns(Layer, N=capacity),
        slots=empty_slots(capacity),
        goal_words=goal_words,
        regions=empty_regions(num_floor),
        progress=np.zeros(4, np.int64),
    )
    layer.progress[SOLVED_BY] = NONE
    return layer


@inner
@no_type_check
def slot_of_candidate(ground, layer, key):
    """The slot of the hash table that holds the candidate with this hash of boxes and player, or
    the empty one where it belongs."""
    mask = len(layer.slots) - 1
    slot = np.int64(key >> np.uint64(1)) & mask
    while layer.slots[slot] != NONE:
        known = layer.slots[slot]
        if layer.boxes_key[known] ^ ground.keys[1, layer.player[known]] == key:
            break
        slot = (slot + 1) & mask
    return slot


@entry
@no_type_check
def add_pulls(tables, positions, layer, scratch, few_boxes, start_player, last, stop_at):
    """Adds the pulls of positions from ``progress[NEXT]`` on, before ``last``, as candidates.

    Stops after about ``stop_at`` pulls in all, and at the start of the level: its boxes in place
    and ``start_player`` the least square that the player can walk to.
    """
    progress = layer.progress
    while progress[NEXT] < last and progress[NUM_PULLS] < stop_at and progress[SOLVED_BY] == NONE:
        position = progress[NEXT]
        progress[NEXT] += 1
        ground = tables.ground
        words, player = positions.boxes[position], np.int64(positions.player[position])
        lay_out_position(ground, words, player, scratch)
        match_all(ground, tables.is_matched, scratch.places, scratch.matching, scratch.path)
        for row in range(len(scratch.boxes)):
            _pull_box(tables, positions, layer, scratch, few_boxes, start_player, position, row)


@inner
@no_type_check
def _pull_box(tables, positions, layer, scratch, few_boxes, start_player, position, row):
    """Adds the pulls of one box of the position that is laid out."""
    ground, progress, regions = tables.ground, layer.progress, layer.regions
    neighbours, is_blocked = ground.neighbours, scratch.is_blocked
    box = np.int64(scratch.boxes[row])
    may_move = False
    for direction in range(4):
        end = neighbours[box, direction]
        may_move |= scratch.area[end] == 1 and not is_blocked[neighbours[end, direction]]
    if not may_move:
        return
    others, words = scratch.others, scratch.words
    copy(positions.boxes[position], others)
    others[box >> 6] ^= bit_of(box)
    is_blocked[box] = False
    find_regions(neighbours, is_blocked, regions)
    for direction in range(4):
        end = np.int64(neighbours[box, direction])
        player = neighbours[end, direction]
        if scratch.area[end] != 1 or is_blocked[player]:
            continue
        progress[NUM_PULLS] += 1
        place = end * 4 + ground.zone[end, player]
        if ground.lower_bound[place] == UNREACHABLE:
            continue
        if is_deadlocked_now(few_boxes, others, end, direction):
            continue
        least = np.int64(regions.beside[end, direction])
        key = positions.boxes_key[position] ^ ground.keys[0, box] ^ ground.keys[0, end]
        copy(others, words)
        words[end >> 6] ^= bit_of(end)
        slot = slot_of_candidate(ground, layer, key ^ ground.keys[1, least])
        if layer.slots[slot] != NONE:
            continue
        known = slot_of(positions, words, key, least, ground.keys[1, least])
        if positions.slots[known] != NONE:
            continue
        lower_bound = lower_bound_after(
            ground, tables.is_matched, scratch.places, row, place, scratch.matching, scratch.path
        )
        if lower_bound == UNREACHABLE:
            continue
        num_on_goals = np.int64(0)
        for word in range(len(words)):
            num_on_goals += count(words[word] & layer.goal_words[word])
        candidate = progress[NUM_CANDIDATES]
        progress[NUM_CANDIDATES] += 1
        layer.slots[slot] = candidate
        layer.boxes_key[candidate] = key
        layer.player[candidate] = least
        layer.parent[candidate] = position
        layer.box[candidate] = box
        layer.to[candidate] = end
        layer.lower_bound[candidate] = lower_bound
        layer.num_regions[candidate] = regions.num_regions[end]
        layer.num_on_goals[candidate] = num_on_goals
        if lower_bound == 0 and least == start_player:
            progress[SOLVED_BY] = candidate
    is_blocked[box] = True


@entry
@no_type_check
def keep(ground, positions, layer, chosen, words):
    """Stores the chosen candidates, for which there must be room."""
    for i in range(len(chosen)):
        candidate = chosen[i]
        parent, player = layer.parent[candidate], np.int64(layer.player[candidate])
        box, to = np.int64(layer.box[candidate]), np.int64(layer.to[candidate])
        copy(positions.boxes[parent], words)
        words[box >> 6] ^= bit_of(box)
        words[to >> 6] ^= bit_of(to)
        key = layer.boxes_key[candidate]
        slot = slot_of(positions, words, key, player, ground.keys[1, player])
        add(positions, slot, words, key, player, parent)
