"""Compiled: labelled positions of 8x8 interiors by pushes, and their squares as tokens.

Axes: N levels, Q states of a shard, P positions, W words of a position, B positions of a batch, T
tokens (floor squares), K = 9 squares of a neighbourhood.
"""

from pathlib import Path
from typing import no_type_check

import numpy as np
from jaxtyping import Int8, Int16, Int32, Int64, UInt8, UInt64

from tokoban.compiling import entry, inner
from tokoban.sokoban.encoding.features import (
    BOUND_FALLS,
    CAN_PUSH,
    CELLS,
    DIRECTIONS,
    HAS_BOX,
    HAS_PLAYER,
    IS_FLOOR,
    IS_GOAL,
    IS_REACHED,
    IS_UNBOUNDED,
    NEIGHBOURHOOD,
    NUM_FEATURES,
)
from tokoban.sokoban.hashing import GOLDEN
from tokoban.sokoban.labels.samples import Origin
from tokoban.sokoban.labels.shards import Shard, read_shard
from tokoban.sokoban.search.bitboard.labels import DEADLOCKED
from tokoban.sokoban.search.bitboard.terrain import UNREACHABLE, empty_terrain, place_of, survey
from tokoban.sokoban.search.level.words import EMPTY, cell, flood, index, lowest, moved
from tokoban.sokoban.search.measures.bounds import match_all, matched_pushes, matched_pushes_after
from tokoban.systems.push_policy.results import (
    DEADLOCK_CLASS,
    ILLEGAL,
    MOST_EXCESS,
    TOO_FEW_PUSHES,
    Result,
)

# The words of a position: sets of cells, from LEGAL on by the direction of a push. After the pushes
# of FALLS the lower bound of the pushes left is smaller, after those of UNBOUNDED it is infinite.
FLOOR, GOALS, BOXES, ZONE, PLAYER = range(5)
LEGAL, FALLS, UNBOUNDED, OPTIMAL, TWO_MORE, DEADLOCKING = 5, 9, 13, 17, 21, 25
NUM_WORDS = 29

_MOST_DEADLOCKED = 16  # positions of one level
_NEIGHBOUR = int(Origin.NEIGHBOUR)
_OPTIMAL, _TWO_MORE, _WORSE, _DEADLOCK = map(int, Result)
_DEADLOCK_CLASS, _MOST_EXCESS = DEADLOCK_CLASS, MOST_EXCESS
_PUSH_FEATURES = ((LEGAL, CAN_PUSH), (FALLS, BOUND_FALLS), (UNBOUNDED, IS_UNBOUNDED))
_DEADLOCKED = int(DEADLOCKED)
_UNREACHABLE = int(UNREACHABLE)


def positions_in(path: Path) -> tuple[UInt64[np.ndarray, "P W"], Int16[np.ndarray, " P"]]:
    """``positions_of`` a file; ``ValueError`` as of ``read_shard``, or for arrays that do not fit
    each other, or labels below the lower bound."""
    shard = read_shard(path)
    if not shard.is_consistent:
        raise ValueError(f"{path}: labels whose arrays do not fit each other")
    words, classes = positions_of(shard)
    if not ((classes >= 0) & (classes <= DEADLOCK_CLASS)).all():  # far below they overflow
        raise ValueError(f"{path}: {TOO_FEW_PUSHES}")
    return words, classes


def positions_of(shard: Shard) -> tuple[UInt64[np.ndarray, "P W"], Int16[np.ndarray, " P"]]:
    """The positions of a shard, each once up to walks, with what every push of it leads to.

    Returns their words and the classes of the pushes left. Left out are solved positions, those
    whose pushes lead to unlabelled ones (the neighbours of other states), and deadlocked ones above
    ``_MOST_DEADLOCKED`` of a level.
    """
    is_kept = shard.origin != _NEIGHBOUR
    words = np.zeros((int(is_kept.sum()), NUM_WORDS), np.uint64)
    classes = np.zeros(len(words), np.int16)
    most_boxes = int(np.bitwise_count(shard.level_boxes).max(initial=1))
    most = int(np.diff(shard.level_ends, prepend=0).max(initial=0))
    size = 1 << (2 * most + 1).bit_length()
    # Arrays mapped from a file are read-only, which would be compiled anew.
    labels = (
        *(shard.level_walls, shard.level_goals, shard.level_player, shard.level_ends),
        *(shard.boxes, shard.player, shard.pushes_left),
    )
    number = _fill_positions(
        *(np.require(np.asarray(array), requirements="W") for array in labels),
        is_kept,
        np.full(size, -1, np.int64),
        np.zeros(len(shard), np.uint64),
        empty_terrain(most_boxes),
        np.zeros((5, most_boxes + 1), np.int64),
        np.zeros((2, 64), np.int64),
        words,
        classes,
    )
    return words[:number], classes[:number]


@entry
@no_type_check
def _fill_positions(
    walls, goals, starts, ends, boxes, player, left, is_kept, slots, zones, terrain, matchings,
    rows, words, classes
):  # fmt: skip
    """Fills ``words`` and ``classes``, and answers how many there are.

    ``slots`` is a hash table of the states of one level, by boxes and zone; ``terrain``,
    ``matchings`` and ``rows`` are room to work in.
    """
    number, first = 0, 0
    for level in range(len(ends)):
        floor = flood(starts[level], ~walls[level])
        survey(terrain, floor, goals[level])
        slots[:] = -1
        for state in range(first, ends[level]):
            zones[state] = flood(cell(player[state]), floor & ~boxes[state])
            slot = _slot(slots, boxes, zones, boxes[state], zones[state])
            if slots[slot] == -1 or (is_kept[state] and not is_kept[slots[slot]]):
                slots[slot] = state
        num_deadlocked = 0
        for state in range(first, ends[level]):
            own = _slot(slots, boxes, zones, boxes[state], zones[state])
            is_first = slots[own] == state  # with these boxes and this zone, of those to keep
            if not is_kept[state] or not is_first or boxes[state] == goals[level]:
                continue
            if left[state] == _DEADLOCKED:
                if num_deadlocked == _MOST_DEADLOCKED:
                    continue
                num_deadlocked += 1
            position = words[number]
            position[FLOOR], position[GOALS] = floor, goals[level]
            position[BOXES], position[ZONE] = boxes[state], zones[state]
            position[PLAYER] = cell(player[state])
            if _fill_results(position, slots, boxes, zones, left, left[state]):
                bound = fill_bounds(terrain, position, matchings, rows)
                classes[number] = _DEADLOCK_CLASS
                if left[state] != _DEADLOCKED:
                    classes[number] = min((np.int64(left[state]) - bound) // 2, _MOST_EXCESS)
                number += 1
        first = ends[level]
    return number


@inner
@no_type_check
def _fill_results(position, slots, boxes, zones, left, own):
    """Fills the words of the pushes; False if one of them leads to an unlabelled position."""
    floor, goals = position[FLOOR], position[GOALS]
    free = floor & ~position[BOXES]
    for direction in range(4):
        legal = position[BOXES] & moved(position[ZONE], direction) & moved(free, direction ^ 2)
        position[LEGAL + direction] = legal
        position[OPTIMAL + direction] = EMPTY
        position[TWO_MORE + direction] = EMPTY
        position[DEADLOCKING + direction] = EMPTY
        while legal != EMPTY:
            box = lowest(legal)
            legal ^= box
            after = position[BOXES] ^ box ^ moved(box, direction)
            if after == goals:
                result = 0
            else:
                slot = _slot(slots, boxes, zones, after, flood(box, floor & ~after))
                if slots[slot] == -1:
                    return False
                result = np.int64(left[slots[slot]])
            if result == _DEADLOCKED:
                position[DEADLOCKING + direction] |= box
            elif result == np.int64(own) - 1:
                position[OPTIMAL + direction] |= box
            elif result == np.int64(own) + 1:
                position[TWO_MORE + direction] |= box
    return True


@inner
@no_type_check
def fill_bounds(terrain, position, matchings, rows):
    """Fills the words of the lower bounds and returns that of the position.

    The terrain is surveyed. ``matchings`` [5, boxes + 1] and ``rows`` [2, 64] are room.
    """
    places, row_of = rows
    matching, path = matchings[:2], matchings[2:]
    player = lowest(position[ZONE])
    rest, number = position[BOXES], 0
    while rest != EMPTY:
        box = index(rest)
        places[number] = place_of(terrain, box, player)
        row_of[box] = number
        number += 1
        rest ^= lowest(rest)
    places = places[:number]
    match_all(terrain.pushes, True, places, matching, path)
    bound = matched_pushes(terrain.pushes, places, matching)
    for direction in range(4):
        position[FALLS + direction] = EMPTY
        position[UNBOUNDED + direction] = EMPTY
        legal = position[LEGAL + direction]
        while legal != EMPTY:
            box = lowest(legal)
            legal ^= box
            place = place_of(terrain, index(moved(box, direction)), box)
            row = row_of[index(box)]
            pushed = matched_pushes_after(terrain.pushes, places, row, place, matching, path)
            if pushed >= _UNREACHABLE:
                position[UNBOUNDED + direction] |= box
            elif pushed < bound:
                position[FALLS + direction] |= box
    return bound


@inner
@no_type_check
def _slot(slots, boxes, zones, own, zone):
    """The slot of the state with these boxes and this zone, or the empty one where it belongs."""
    mask = len(slots) - 1
    mixed = own * GOLDEN ^ zone * np.uint64(0xC2B2AE3D27D4EB4F)
    slot = np.int64((mixed ^ mixed >> np.uint64(29)) & np.uint64(mask))
    while slots[slot] != -1:
        other = slots[slot]
        if boxes[other] == own and zones[other] == zone:
            break
        slot = (slot + 1) & mask
    return slot


def tokens_of(
    words: UInt64[np.ndarray, "B W"], symmetries: Int64[np.ndarray, " B"], num_tokens: int
) -> tuple[UInt8[np.ndarray, "B T 17"], Int32[np.ndarray, "B T 9"], Int16[np.ndarray, "B T 2"]]:
    """Features, neighbours and coordinates of the floor squares, each board under a symmetry.

    Neighbours are numbers of tokens; T stands for walls. Tokens that no square needs are
    all 0, with walls around them. Symmetry s reflects the columns if it has bit 2, and
    then turns by s % 4 quarters.
    """
    shape = len(words), num_tokens
    features = np.zeros((*shape, NUM_FEATURES), np.uint8)
    neighbours = np.full((*shape, len(NEIGHBOURHOOD)), num_tokens, np.int32)
    coordinates = np.zeros((*shape, 2), np.int16)
    token_of = np.empty(64, np.int64)
    _fill_tokens(words, symmetries, CELLS, DIRECTIONS, token_of, features, neighbours, coordinates)
    return features, neighbours, coordinates


def results_of(
    words: UInt64[np.ndarray, "B W"], symmetries: Int64[np.ndarray, " B"], num_tokens: int
) -> Int8[np.ndarray, "B T 4"]:
    """The ``Result`` of each push, by token and direction; ILLEGAL where there is none.

    Tokens and symmetries as in ``tokens_of``.
    """
    results = np.full((len(words), num_tokens, 4), ILLEGAL, np.int8)
    _fill_result_tokens(words, symmetries, DIRECTIONS, results)
    return results


@entry
@no_type_check
def _fill_tokens(words, symmetries, cells, turned, token_of, features, neighbours, coordinates):
    for position in range(len(words)):
        floor = words[position, FLOOR]
        turn, arrow = cells[symmetries[position]], turned[symmetries[position]]
        token_of[:] = -1
        rest, token = floor, 0
        while rest != EMPTY:
            square = lowest(rest)
            rest ^= square
            number = index(square)
            to = turn[number]
            token_of[to] = token
            coordinates[position, token, 0] = to >> 3
            coordinates[position, token, 1] = to & 7
            own = features[position, token]
            own[IS_FLOOR] = 1
            own[IS_GOAL] = words[position, GOALS] & square != EMPTY
            own[HAS_BOX] = words[position, BOXES] & square != EMPTY
            own[IS_REACHED] = words[position, ZONE] & square != EMPTY
            own[HAS_PLAYER] = words[position, PLAYER] & square != EMPTY
            for direction in range(4):
                to_direction = arrow[direction]
                for word, feature in _PUSH_FEATURES:
                    has = words[position, word + direction] & square != EMPTY
                    own[feature + to_direction] = has
            token += 1
        for own_token in range(token):
            row, column = coordinates[position, own_token]
            for beside in range(9):
                down, right = row + beside // 3 - 1, column + beside % 3 - 1
                if 0 <= down < 8 and 0 <= right < 8:
                    other = token_of[8 * down + right]
                    if other != -1:
                        neighbours[position, own_token, beside] = other


@entry
@no_type_check
def _fill_result_tokens(words, symmetries, turned, results):
    for position in range(len(words)):
        arrow = turned[symmetries[position]]
        rest, token = words[position, FLOOR], 0
        while rest != EMPTY:
            square = lowest(rest)
            rest ^= square
            for direction in range(4):
                if words[position, LEGAL + direction] & square != EMPTY:
                    result = _WORSE
                    if words[position, OPTIMAL + direction] & square != EMPTY:
                        result = _OPTIMAL
                    elif words[position, TWO_MORE + direction] & square != EMPTY:
                        result = _TWO_MORE
                    elif words[position, DEADLOCKING + direction] & square != EMPTY:
                        result = _DEADLOCK
                    results[position, token, arrow[direction]] = result
            token += 1
