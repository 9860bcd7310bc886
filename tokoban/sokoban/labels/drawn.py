"""Compiled: the states drawn of level after level, each of them once, and chance by a seed.

Axes: Q room for states, S slots of the hash table, N levels.
"""

from enum import IntEnum
from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Int64, UInt8, UInt64

from tokoban.compiling import inner

# Entries of ``Drawn.progress``: where the level's states start, and where the next one belongs.
FIRST, END = range(2)

_FREE = -1
_ODD = np.uint64(0x9E3779B97F4A7C15)


class Origin(IntEnum):
    """Whose play a state was first met in; 16 of them can be written."""

    BEST = 0  # a move of a shortest solution, always; the level's start is such a state
    RARELY_WRONG = 1  # one move in ten is any that changes the board
    OFTEN_WRONG = 2  # three in ten
    RANDOM_PUSHES = 3
    BORDER = 4  # from which a push loses, or that such a push has just lost
    NEIGHBOUR = 5  # one move, or a walk and a push, from a state of another origin


class Drawn(NamedTuple):
    """States of levels, as ``labels.States`` has them, and whose play they are from."""

    boxes: UInt64[np.ndarray, " Q"]
    player: UInt64[np.ndarray, " Q"]
    origin: UInt8[np.ndarray, " Q"]
    ends: Int64[np.ndarray, " N"]
    slots: Int64[np.ndarray, " S"]  # hash table of the level's states; S is a power of two
    progress: Int64[np.ndarray, "2"]
    chance: UInt64[np.ndarray, "1"]  # the state of the generator


def empty_drawn(num_levels: int, *, num_states: int, most_of_a_level: int) -> Drawn:
    """Room for so many states, of levels with at most so many."""
    return Drawn(
        np.empty(num_states, np.uint64),
        np.empty(num_states, np.uint64),
        np.empty(num_states, np.uint8),
        np.zeros(num_levels, np.int64),
        np.empty(1 << (2 * most_of_a_level).bit_length(), np.int64),
        np.zeros(2, np.int64),
        np.zeros(1, np.uint64),
    )


@inner
@no_type_check
def start_level(drawn, seed, number):
    """Forgets the states of other levels; chance is of the seed and the level's number alone."""
    drawn.progress[FIRST] = drawn.progress[END]
    drawn.slots[:] = _FREE
    drawn.chance[0] = _mixed(_mixed(seed + _ODD) ^ np.uint64(number))


@inner
@no_type_check
def add(drawn, boxes, player, origin):
    """Adds a state of the level, unless it is there already."""
    mask = len(drawn.slots) - 1
    slot = np.int64(_mixed(boxes ^ (player * _ODD)) >> np.uint64(32)) & mask
    while drawn.slots[slot] != _FREE:
        other = drawn.slots[slot]
        if drawn.boxes[other] == boxes and drawn.player[other] == player:
            return
        slot = (slot + 1) & mask
    state = drawn.progress[END]
    drawn.slots[slot] = state
    drawn.boxes[state], drawn.player[state] = boxes, player
    drawn.origin[state] = origin
    drawn.progress[END] += 1


@inner
@no_type_check
def below(drawn, number):
    """One of the numbers from 0 on below this one, all as likely."""
    drawn.chance[0] += _ODD
    half = _mixed(drawn.chance[0]) >> np.uint64(32)
    return np.int64(half * np.uint64(number) >> np.uint64(32))


@inner
@no_type_check
def _mixed(word):
    """As splitmix64 scrambles its counter."""
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))
