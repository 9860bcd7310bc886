"""The positions that a search has met, and the hash table that finds them again.

Boxes are bits of words; the hash is Zobrist's ("A new hashing method with application for game
playing", 1970), updated by two exclusive ors per push. The hash only chooses a slot: boxes and
player are compared exactly, because proofs rest on what is found. Axes as in ``ground``.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple, no_type_check

import numpy as np
from jaxtyping import Bool, Int16, Int32, Int64, UInt64

from tokoban.compiling import entry, inner
from tokoban.sokoban.search.level.ground import NONE
from tokoban.sokoban.search.level.words import EMPTY, ONE, index, lowest
from tokoban.sokoban.search.state.columns import enlarge_columns, zeroed

_ENTERED_AT_ONCE = 1 << 16  # positions between two checks of limits while a store grows


class Positions(NamedTuple):
    """Positions in the order in which they were met."""

    boxes: UInt64[np.ndarray, "P W"]
    boxes_key: UInt64[np.ndarray, " P"]  # the keys of all boxes, xored
    player: Int16[np.ndarray, " P"]
    parent: Int32[np.ndarray, " P"]  # NONE for the first
    slots: Int32[np.ndarray, " S"]  # hash table; the size is a power of two
    num_known: Int64[np.ndarray, "1"]


def empty_positions(capacity: int, num_floor: int) -> Positions:
    """Room for positions."""
    return zeroed(Positions, P=capacity, F=num_floor, slots=empty_slots(capacity))


def empty_slots(capacity: int) -> Int32[np.ndarray, " S"]:
    """A hash table that is at most half full."""
    return np.full(1 << (2 * capacity - 1).bit_length(), NONE, np.int32)


def next_capacity(capacity: int) -> int:
    """The next larger one of 1, 1.5, 2, 3, 4, 6, 8, 12, ... times a power of two."""
    is_power = capacity & (capacity - 1) == 0
    return capacity * 3 // 2 if is_power else capacity * 4 // 3


def enlarged(positions: Positions, capacity: int) -> Positions:
    """Enlarges the arrays in place.

    If the hash table had to grow it is empty: all are to be entered anew by ``refill_slots``.
    """
    enlarge_columns(positions, "P", capacity)
    if len(positions.slots) >= 2 * capacity:
        return positions
    return positions._replace(slots=empty_slots(capacity))


def refill(count: int, enter: Callable[[int, int], None]) -> Iterator[bool]:
    """Enters what a store holds into its hash table, which is empty, some at a time.

    Calls ``enter(first, last)`` and yields whether any of ``count`` are still to be entered.
    """
    for first in range(0, max(count, 1), _ENTERED_AT_ONCE):
        last = min(first + _ENTERED_AT_ONCE, count)
        enter(first, last)
        yield last < count


def grown(positions: Positions, keys: UInt64[np.ndarray, "2 F"]) -> Positions:
    """The same positions, in the same arrays, with room for twice as many."""
    larger = enlarged(positions, 2 * len(positions.player))
    refill_slots(larger, keys, 0, int(positions.num_known[0]))
    return larger


@inner
@no_type_check
def slot_of(positions, boxes, boxes_key, player, player_key):
    """The slot of the hash table that holds this position, or the empty one where it belongs."""
    mask = len(positions.slots) - 1
    slot = np.int64((boxes_key ^ player_key) >> np.uint64(1)) & mask
    while positions.slots[slot] != NONE:
        position = positions.slots[slot]
        if (
            positions.boxes_key[position] == boxes_key
            and positions.player[position] == player
            and are_equal(positions.boxes[position], boxes)
        ):
            break
        slot = (slot + 1) & mask
    return slot


@inner
@no_type_check
def add(positions, slot, boxes, boxes_key, player, parent):
    """Stores a position in the slot that ``slot_of`` gave; returns its number."""
    position = positions.num_known[0]
    positions.num_known[0] += 1
    copy(boxes, positions.boxes[position])
    positions.boxes_key[position] = boxes_key
    positions.player[position] = player
    positions.parent[position] = parent
    positions.slots[slot] = position
    return position


@entry
@no_type_check
def refill_slots(positions, keys, first, last):
    """Enters the positions from ``first`` on, before ``last``, into the hash table.

    Of equal ones the last is found.
    """
    for position in range(first, last):
        player = positions.player[position]
        slot = slot_of(
            positions,
            positions.boxes[position],
            positions.boxes_key[position],
            player,
            keys[1, player],
        )
        positions.slots[slot] = position


@inner
@no_type_check
def copy(source, into):
    """Copies an array: compiled code that counts no references cannot assign slices."""
    for i in range(len(source)):
        into[i] = source[i]


@partial(inner, is_inlined=True)
@no_type_check
def are_equal(words, others):
    """Whether two sets of boxes are the same."""
    is_same = True
    for word in range(len(words)):
        is_same &= words[word] == others[word]
    return is_same


@partial(inner, is_inlined=True)
@no_type_check
def write_moved(words, box, end, into):
    """Writes the boxes once the one on ``box`` has come to ``end``."""
    copy(words, into)
    into[box >> 6] ^= bit_of(box)
    into[end >> 6] ^= bit_of(end)


@inner
@no_type_check
def bit_of(square):
    """The bit of a square in its word."""
    return ONE << np.uint64(square & 63)


@inner
@no_type_check
def key_of(keys, boxes):
    """The Zobrist key of boxes."""
    key = np.uint64(0)
    for box in boxes:
        key ^= keys[0, box]
    return key


@inner
@no_type_check
def list_boxes(words, boxes):
    """Writes the squares of ``words``, ascending, into ``boxes``."""
    count = 0
    for word in range(len(words)):
        rest = words[word]
        while rest != EMPTY:
            boxes[count] = 64 * word + index(rest)
            count += 1
            rest ^= lowest(rest)


def packed_bits(is_in: Bool[np.ndarray, " F"]) -> UInt64[np.ndarray, " W"]:
    """The squares as bits of words."""
    padded = np.zeros(-(-len(is_in) // 64) * 64, np.bool_)
    padded[: len(is_in)] = is_in
    return np.packbits(padded, bitorder="little").view("<u8")


def unpacked_bits(words: UInt64[np.ndarray, "*B W"], num_floor: int) -> Bool[np.ndarray, "*B F"]:
    """The squares whose bits are set."""
    in_bytes = words.astype("<u8").view(np.uint8)
    return np.unpackbits(in_bytes, axis=-1, bitorder="little")[..., :num_floor] == 1


def num_bytes(arrays: Any) -> int:
    """The bytes of an array, or of all arrays in nested tuples."""
    if isinstance(arrays, tuple):
        return sum(map(num_bytes, arrays))
    return getattr(arrays, "nbytes", 0)
