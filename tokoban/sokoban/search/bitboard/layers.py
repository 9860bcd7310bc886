"""BFS over all states: backwards from the solved boards (retrograde analysis), and forwards from
the start too (bidirectional BFS).

A state is a set of boxes and the player's cell. For each set of boxes one word holds the player
cells of all states known, another those of the next layer: a layer costs little more than one step
of a flood for each set. Axes: K room for sets of boxes, D binary digits of a distance, S slots of
the hash table.
"""

from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Int32, Int64, UInt64

from tokoban.compiling import inner
from tokoban.sokoban.hashing import GOLDEN
from tokoban.sokoban.search.bitboard.terrain import ALIVE, FLOOR, is_frozen
from tokoban.sokoban.search.level.words import EMPTY, flood, index, lowest, moved, spread
from tokoban.sokoban.search.outcome import Outcome
from tokoban.sokoban.search.state.columns import enlarge_columns, zeroed

NONE = -1

# Columns of ``Side.sets``; the next layer's cells are at NEXT or at NEXT + 1, by turns.
BOXES, KNOWN, NEXT = range(3)
# Entries of ``Side.progress``.
LAYER, CURSOR, NUM_WAITING, NUM_NEXT = range(4)
# Entries of ``Layers.progress``.
NUM_SETS, NUM_SLOTS, NUM_SETTLED, MET_SET, MET_CELL = range(5)

_FIRST_SETS, _FIRST_DIGITS = 1 << 9, 8
_FIRST_SLOTS = 512  # few enough to be cleared for every level


class Side(NamedTuple):
    """All states met from one side, with their distances from it."""

    sets: UInt64[np.ndarray, "K 4"]
    digits: UInt64[np.ndarray, "K D"]  # the cells whose distance has this binary digit set
    waiting: Int32[np.ndarray, "K 2"]  # the sets with states in this layer, and in the next
    progress: Int64[np.ndarray, "4"]


class Layers(NamedTuple):
    """Both sides of a search; the number of a set of boxes is the same in both."""

    forwards: Side
    backwards: Side
    slots: Int32[np.ndarray, " S"]  # hash table of the sets; S is a power of two
    progress: Int64[np.ndarray, "5"]


def empty_layers(*, is_one_sided: bool) -> Layers:
    """Room for some sets of boxes, a power of two; ``is_one_sided`` for backwards alone."""
    forwards = zeroed(Side, K=0 if is_one_sided else _FIRST_SETS, D=_FIRST_DIGITS)
    backwards = zeroed(Side, K=_FIRST_SETS, D=_FIRST_DIGITS)
    return zeroed(Layers, S=2 * _FIRST_SETS, forwards=forwards, backwards=backwards)


def grown(layers: Layers) -> Layers:
    """The same search, in the same arrays, with twice the capacity."""
    for side in layers[:2]:
        enlarge_columns(side, "K", 2 * len(side.sets))
    enlarge_columns(layers, "S", 2 * len(layers.slots))
    return layers


def deepened(layers: Layers) -> Layers:
    """The same search with room for distances of twice as many binary digits."""
    sides = [
        side._replace(digits=np.concatenate([side.digits, np.zeros_like(side.digits)], axis=1))
        for side in layers[:2]
    ]
    return layers._replace(forwards=sides[0], backwards=sides[1])


@inner
@no_type_check
def _slot_of(slots, num_slots, sets, boxes):
    """The slot of a set of boxes, or the empty one where it belongs."""
    mixed = boxes * GOLDEN
    mask = num_slots - 1
    slot = np.int64((mixed ^ (mixed >> np.uint64(32))) >> np.uint64(16)) & mask
    while slots[slot] != NONE and sets[slots[slot], BOXES] != boxes:
        slot = (slot + 1) & mask
    return slot


@inner
@no_type_check
def number_of(layers, boxes):
    """The number of a set of boxes, or NONE."""
    sets = layers.backwards.sets
    return np.int64(layers.slots[_slot_of(layers.slots, layers.progress[NUM_SLOTS], sets, boxes)])


@inner
@no_type_check
def distance_of(side, number, cells):
    """The distance of one state from its side, NONE if it is not known there."""
    if number == NONE or side.sets[number, KNOWN] & cells == EMPTY:
        return NONE
    distance = 0
    for digit in range(side.digits.shape[1]):
        if side.digits[number, digit] & cells != EMPTY:
            distance += 1 << digit
    return distance


@inner
@no_type_check
def clear(layers):
    """Forgets an earlier search."""
    progress = layers.progress
    progress[:] = 0
    progress[NUM_SLOTS] = min(_FIRST_SLOTS, len(layers.slots))
    for slot in range(progress[NUM_SLOTS]):
        layers.slots[slot] = NONE
    layers.forwards.progress[:] = 0
    layers.backwards.progress[:] = 0


@inner
@no_type_check
def begin(layers, side, boxes, cells):
    """Makes the states of one set of boxes the first layer of a side."""
    slot = _slot_of(layers.slots, layers.progress[NUM_SLOTS], layers.backwards.sets, boxes)
    number = np.int64(layers.slots[slot])
    if number == NONE:
        number = _enter(layers, slot, boxes)
    side.sets[number, NEXT] = cells
    side.waiting[0, 0] = number
    side.progress[NUM_WAITING] = 1


@inner
@no_type_check
def _enter(layers, slot, boxes):
    """Enters a set of boxes of which no state is known; returns its number."""
    number = layers.progress[NUM_SETS]
    layers.progress[NUM_SETS] += 1
    layers.slots[slot] = number
    _enter_side(layers.backwards, number, boxes)
    if len(layers.forwards.sets) > 0:
        _enter_side(layers.forwards, number, boxes)
    return number


@inner
@no_type_check
def _enter_side(side, number, boxes):
    side.sets[number, BOXES] = boxes
    side.sets[number, KNOWN] = EMPTY
    side.sets[number, NEXT] = EMPTY
    side.sets[number, NEXT + 1] = EMPTY
    for digit in range(side.digits.shape[1]):
        side.digits[number, digit] = EMPTY


@inner
@no_type_check
def _widen(layers):
    """Doubles the slots in use."""
    layers.progress[NUM_SLOTS] *= 2
    num_slots, sets = layers.progress[NUM_SLOTS], layers.backwards.sets
    for slot in range(num_slots):
        layers.slots[slot] = NONE
    for number in range(layers.progress[NUM_SETS]):
        layers.slots[_slot_of(layers.slots, num_slots, sets, sets[number, BOXES])] = number


@inner
@no_type_check
def advance(terrain, layers, is_forwards, counts_moves, max_settled):
    """Settles the states of a side's layer and finds those of the next; returns why it stopped.

    EXHAUSTED says that the layer is done. Unless it ``counts_moves``, it counts pushes, and a layer
    is closed under walks. If there are two sides it is SOLVED as soon as a state of the next layer
    is known to the other side, and notes which.
    """
    side = layers.forwards if is_forwards else layers.backwards
    other_side = layers.backwards if is_forwards else layers.forwards
    progress = side.progress
    layer = progress[LAYER]
    if layer >> side.digits.shape[1] != 0:
        return Outcome.LAYERS_TOO_DEEP
    floor = terrain.words[FLOOR]
    while progress[CURSOR] < progress[NUM_WAITING]:
        if layers.progress[NUM_SETTLED] >= max_settled:
            return Outcome.BUDGET_SPENT
        # Each box and each free cell is part of at most four pushes or pulls.
        most_sets = layers.progress[NUM_SETS] + 4 * 32
        if most_sets > len(side.sets):
            return Outcome.LAYERS_FULL
        if 2 * most_sets > layers.progress[NUM_SLOTS]:
            _widen(layers)
        number = np.int64(side.waiting[progress[CURSOR], layer & 1])
        progress[CURSOR] += 1
        layers.progress[NUM_SETTLED] += 1
        cells = _settle(side, number, layer, floor, counts_moves)
        if _walk(layers, side, other_side, number, cells, floor):
            return Outcome.SOLVED
        if _move_boxes(terrain, layers, side, other_side, is_forwards, number, cells):
            return Outcome.SOLVED
    progress[LAYER] += 1
    progress[CURSOR] = 0
    progress[NUM_WAITING] = progress[NUM_NEXT]
    progress[NUM_NEXT] = 0
    return Outcome.EXHAUSTED


@inner
@no_type_check
def _settle(side, number, layer, floor, counts_moves):
    """Makes a set's states of this layer known, and returns the player's cells."""
    sets = side.sets
    now = NEXT + (layer & 1)
    known = sets[number, KNOWN]
    cells = sets[number, now] & ~known
    sets[number, now] = EMPTY
    if not counts_moves:
        cells = flood(cells, floor & ~sets[number, BOXES])
    sets[number, KNOWN] = known | cells
    for digit in range(side.digits.shape[1]):
        if (layer >> digit) & 1:
            side.digits[number, digit] |= cells
    return cells


@inner
@no_type_check
def _walk(layers, side, other_side, number, cells, floor):
    """Adds the states one step away to the next layer; returns whether the other side knows one."""
    walked = spread(cells) & floor & ~side.sets[number, BOXES] & ~side.sets[number, KNOWN]
    return walked != EMPTY and _add(layers, side, other_side, number, walked)


@inner
@no_type_check
def _add(layers, side, other_side, number, cells):
    """Adds states to the next layer; returns whether the other side knows one."""
    if len(layers.forwards.sets) > 0:
        met = cells & other_side.sets[number, KNOWN]
        if met != EMPTY:
            layers.progress[MET_SET] = number
            layers.progress[MET_CELL] = index(met)
            return True
    that = (side.progress[LAYER] + 1) & 1
    if side.sets[number, NEXT + that] == EMPTY:
        side.waiting[side.progress[NUM_NEXT], that] = number
        side.progress[NUM_NEXT] += 1
    side.sets[number, NEXT + that] |= cells
    return False


@inner
@no_type_check
def _move_boxes(terrain, layers, side, other_side, is_forwards, number, cells):
    """Adds the states one push or pull away, as ``_walk`` does those one step away."""
    boxes = side.sets[number, BOXES]
    free = terrain.words[FLOOR] & ~boxes
    for direction in range(4):
        back = direction ^ 2
        # Forwards: the cells where a box is pushed to. Backwards: those where the player goes.
        if is_forwards:
            targets = moved(moved(cells, direction) & boxes, direction)
            targets &= free & terrain.words[ALIVE + direction]
        else:
            targets = moved(cells & moved(boxes, back), back) & free
        while targets != EMPTY:
            target = lowest(targets)
            targets ^= target
            if is_forwards:
                player = moved(target, back)
                after = boxes ^ player ^ target
            else:
                player = target
                box = moved(player, direction)
                after = boxes ^ box ^ moved(box, direction)
            slot = _slot_of(layers.slots, layers.progress[NUM_SLOTS], side.sets, after)
            other = np.int64(layers.slots[slot])
            if other == NONE:
                if is_forwards and is_frozen(terrain, after, target):
                    continue
                other = _enter(layers, slot, after)
            elif side.sets[other, KNOWN] & player != EMPTY:
                continue
            if _add(layers, side, other_side, other, player):
                return True
    return False
