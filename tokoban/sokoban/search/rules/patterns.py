"""The deadlock pattern database: boxes that cannot all reach goals, found by corral searches.

A pattern is boxes and an area: a position with a box on each of its squares and the player in its
area is deadlocked wherever other boxes are, for more boxes never help. Source: ``table``.
"""

from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Int32, Int64, UInt64

from tokoban.compiling import inner
from tokoban.sokoban.search.level.ground import NONE
from tokoban.sokoban.search.state.columns import zeroed
from tokoban.sokoban.search.state.positions import bit_of

# Entries of the database; links and refuted searches are eight for each.
_FEW_PATTERNS, _MAX_PATTERNS = 1 << 7, 1 << 14
_EACH = 8
# Positions of a search of a corral, after which nothing is proved: at first, and at most.
MIN_SEARCHED, MAX_SEARCHED = 50, 4000

# Entries of `Patterns.progress`.
NUM_PATTERNS, NUM_LINKS = range(2)


class Patterns(NamedTuple):
    """Patterns, chained by their squares; when they are full, no more are added.

    Axes: N patterns, K links, R refuted; others as in ``ground``.
    """

    boxes: UInt64[np.ndarray, "N W"]
    area: UInt64[np.ndarray, "N W"]
    first_link: Int32[np.ndarray, " F"]  # of the patterns with a box on each square
    next_link: Int32[np.ndarray, " K"]
    pattern: Int32[np.ndarray, " K"]
    # Keys of boxes and area that were searched and not found deadlocked; one entry for each.
    refuted: UInt64[np.ndarray, " R"]
    num_asked: Int32[np.ndarray, " R"]  # how often; 0 once known to be no deadlock
    progress: Int64[np.ndarray, "2"]


def no_patterns(num_floor: int, *, is_small: bool = False) -> Patterns:
    """An empty database."""
    most = _FEW_PATTERNS if is_small else _MAX_PATTERNS
    first_link = np.full(num_floor, NONE, np.int32)
    return zeroed(
        Patterns, N=most, K=_EACH * most, R=_EACH * most, F=num_floor, first_link=first_link
    )


def grown(patterns: Patterns) -> Patterns:
    """A database of full size with the same patterns."""
    larger = no_patterns(len(patterns.first_link))
    for name in ("boxes", "area", "first_link", "next_link", "pattern", "progress"):
        known = getattr(patterns, name)
        getattr(larger, name)[: len(known)] = known
    return larger


@inner
@no_type_check
def has_pattern(patterns, words, box, player, since):
    """Whether a pattern with a box on the square ``box`` lies in the position.

    Of the patterns, only those from number ``since`` on are tried.
    """
    word, bit = player >> 6, bit_of(player)
    link = patterns.first_link[box]
    while link != NONE:
        pattern = patterns.pattern[link]
        if pattern < since:  # the newest come first
            break
        if patterns.area[pattern, word] & bit:
            is_in = True
            for i in range(len(words)):
                is_in &= patterns.boxes[pattern, i] & ~words[i] == np.uint64(0)
            if is_in:
                return True
        link = patterns.next_link[link]
    return False


@inner
@no_type_check
def add_pattern(patterns, boxes, area):
    """Adds boxes that cannot all reach goals while the player is where ``area`` is 1."""
    pattern = patterns.progress[NUM_PATTERNS]
    links = patterns.progress[NUM_LINKS]
    if pattern == len(patterns.boxes) or links + len(boxes) > len(patterns.pattern):
        return
    patterns.progress[NUM_PATTERNS] += 1
    patterns.progress[NUM_LINKS] += len(boxes)
    for box in boxes:
        patterns.boxes[pattern, box >> 6] |= bit_of(box)
        patterns.pattern[links] = pattern
        patterns.next_link[links] = patterns.first_link[box]
        patterns.first_link[box] = links
        links += 1
    for square in range(len(area) - 1):
        if area[square] == 1:
            patterns.area[pattern, square >> 6] |= bit_of(square)


@inner
@no_type_check
def allowed_positions(patterns, key):
    """The most positions for the search of a corral; 0 if it is not to be searched now.

    An undecided corral is searched again each time that the number of requests for it has doubled.
    """
    entry = np.int64(key >> np.uint64(1)) & (len(patterns.refuted) - 1)
    if patterns.refuted[entry] != key:
        patterns.refuted[entry] = key
        patterns.num_asked[entry] = 1
        return MIN_SEARCHED
    if patterns.num_asked[entry] == 0:
        return 0
    patterns.num_asked[entry] += 1
    asked = np.int64(patterns.num_asked[entry])
    is_due = asked > MIN_SEARCHED and asked & (asked - 1) == 0
    return min(asked, MAX_SEARCHED) if is_due else 0


@inner
@no_type_check
def note_harmless(patterns, key):
    """Notes that the corral of the last ``allowed_positions`` with this key is no deadlock."""
    entry = np.int64(key >> np.uint64(1)) & (len(patterns.refuted) - 1)
    patterns.num_asked[entry] = 0
