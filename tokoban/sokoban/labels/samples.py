"""Compiled: samples states of each level without repetition, by a seeded generator.

Axes: Q capacity for states, S slots of the hash table, N levels.
"""

from enum import IntEnum
from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Int64, UInt8, UInt64

from tokoban.compiling import inner
from tokoban.sokoban.hashing import GOLDEN

# Entries of ``Samples.progress``: where the level's states start, and where the next one belongs.
FIRST, END = range(2)

_FREE = -1


class Origin(IntEnum):
    """The kind of play that a state comes from; a shard has four bits for it."""

    BEST = 0  # a move of a shortest solution, always; the level's start is such a state
    RARELY_WRONG = 1  # one move in ten is a random one that changes the board
    OFTEN_WRONG = 2  # three in ten
    RANDOM_PUSHES = 3
    BORDER = 4  # just before or just after a push that deadlocks
    NEIGHBOUR = 5  # one move, or a walk and a push, from a state of another origin
    POLICY = 6  # greedy play of a push policy; replaces all others but NEIGHBOUR


class Samples(NamedTuple):
    """States of levels, and the origin of each; those of level n end at ``ends[n]``."""

    boxes: UInt64[np.ndarray, " Q"]
    player: UInt64[np.ndarray, " Q"]
    origin: UInt8[np.ndarray, " Q"]
    ends: Int64[np.ndarray, " N"]
    slots: Int64[np.ndarray, " S"]  # hash table of the level's states; S is a power of two
    progress: Int64[np.ndarray, "2"]
    rng_state: UInt64[np.ndarray, "1"]  # the state of the generator


class PlayedStates(NamedTuple):
    """The states of games that were played elsewhere, to be labelled instead of sampled ones."""

    boxes: UInt64[np.ndarray, " Q"]
    player: UInt64[np.ndarray, " Q"]
    ends: Int64[np.ndarray, " N"]  # those of level n end here, where the next level's start

    @property
    def most_per_level(self) -> int:
        return int(np.diff(self.ends, prepend=0).max(initial=0))


@inner
@no_type_check
def start_level(samples, seed, number):
    """Forgets the states of other levels; samples depend on the seed and the level's number."""
    samples.progress[FIRST] = samples.progress[END]
    samples.slots[:] = _FREE
    samples.rng_state[0] = _splitmix64(_splitmix64(seed + GOLDEN) ^ np.uint64(number))


@inner
@no_type_check
def add(samples, boxes, player, origin):
    """Adds a state of the level, unless it is there already."""
    mask = len(samples.slots) - 1
    slot = np.int64(_splitmix64(boxes ^ (player * GOLDEN)) >> np.uint64(32)) & mask
    while samples.slots[slot] != _FREE:
        other = samples.slots[slot]
        if samples.boxes[other] == boxes and samples.player[other] == player:
            return
        slot = (slot + 1) & mask
    state = samples.progress[END]
    samples.slots[slot] = state
    samples.boxes[state], samples.player[state] = boxes, player
    samples.origin[state] = origin
    samples.progress[END] += 1


@inner
@no_type_check
def random_below(samples, number):
    """A random integer from 0 on, below ``number``."""
    samples.rng_state[0] += GOLDEN
    half = _splitmix64(samples.rng_state[0]) >> np.uint64(32)
    return np.int64(half * np.uint64(number) >> np.uint64(32))


@inner
@no_type_check
def _splitmix64(word):
    """The output function of splitmix64.

    Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (OOPSLA 2014).
    """
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))
