"""From a finished search to the player's moves, and the rules on one word to replay them.

A solution is written into an array of moves, from a place on; axes: M moves.
"""

from typing import no_type_check

from tokoban.compiling import inner
from tokoban.sokoban.search.bitboard.layers import BOXES as SET_BOXES
from tokoban.sokoban.search.bitboard.layers import (
    LAYER,
    MET_CELL,
    MET_SET,
    NONE,
    distance_of,
    number_of,
)
from tokoban.sokoban.search.bitboard.push_search import REACHED
from tokoban.sokoban.search.bitboard.terrain import FLOOR
from tokoban.sokoban.search.level.words import EMPTY, cell, moved, spread


@inner
@no_type_check
def write_pushes(terrain, store, player, rings, moves, at):
    """Writes the solution of the push search from a start with the player there; returns its end.

    Each push is reached by a shortest walk. ``rings`` [64] is room to work in.
    """
    position = store.progress[REACHED]
    # Positions know their parents alone; the links of the open list are no longer needed.
    store.next_open[position] = NONE
    while store.parent[position] != NONE:
        store.next_open[store.parent[position]] = position
        position = store.parent[position]
    while store.next_open[position] != NONE:
        boxes, after = store.boxes[position], store.boxes[store.next_open[position]]
        box, target = boxes & ~after, after & ~boxes
        direction = 0
        while moved(box, direction) != target:
            direction += 1
        free = terrain.words[FLOOR] & ~boxes
        at = _write_walk(player, moved(box, direction ^ 2), free, rings, moves, at)
        moves[at] = direction
        at += 1
        player = box
        position = store.next_open[position]
    return at


@inner
@no_type_check
def _write_walk(start, end, free, rings, moves, at):
    """Writes a shortest walk over ``free``, on which there must be one; returns its end."""
    # Rings of cells around the end, until one holds the start.
    length = 0
    reached = end
    rings[0] = end
    while reached & start == EMPTY:
        length += 1
        reached = spread(reached) & free
        rings[length] = reached
    while length > 0:
        length -= 1
        direction = 0
        while moved(start, direction) & rings[length] == EMPTY:
            direction += 1
        start = moved(start, direction)
        moves[at] = direction
        at += 1
    return at


@inner
@no_type_check
def write_layers(layers, moves, at):
    """Writes the solution through the state in which the two sides have met; returns its end."""
    number = layers.progress[MET_SET]
    player = cell(layers.progress[MET_CELL])
    boxes = layers.backwards.sets[number, SET_BOXES]
    # One side found the state for its next layer, where its distance is not stored yet.
    from_start = distance_of(layers.forwards, number, player)
    if from_start == NONE:
        from_start = layers.forwards.progress[LAYER] + 1
    to_end = distance_of(layers.backwards, number, player)
    if to_end == NONE:
        to_end = layers.backwards.progress[LAYER] + 1
    middle_boxes, middle_player = boxes, player
    for distance in range(from_start - 1, -1, -1):
        moves[at + distance], boxes, player = _step_back(layers, boxes, player, distance)
    boxes, player = middle_boxes, middle_player
    at += from_start
    for distance in range(to_end - 1, -1, -1):
        moves[at], boxes, player = _step_on(layers, boxes, player, distance)
        at += 1
    return at


@inner
@no_type_check
def _step_back(layers, boxes, player, distance):
    """A last move to a state, and the state before it, of this distance from the start."""
    number = number_of(layers, boxes)
    for direction in range(4):
        behind, ahead = moved(player, direction ^ 2), moved(player, direction)
        if distance_of(layers.forwards, number, behind) == distance:
            return direction, boxes, behind
        if ahead & boxes != EMPTY:
            before = boxes ^ ahead ^ player
            if distance_of(layers.forwards, number_of(layers, before), behind) == distance:
                return direction, before, behind
    return NONE, boxes, player


@inner
@no_type_check
def _step_on(layers, boxes, player, distance):
    """A first move from a state, and the state after it, of this distance from the end."""
    for direction in range(4):
        ahead = moved(player, direction)
        after = boxes
        if ahead & boxes != EMPTY:
            after = boxes ^ ahead ^ moved(ahead, direction)
        if distance_of(layers.backwards, number_of(layers, after), ahead) == distance:
            return direction, after, ahead
    return NONE, boxes, player


@inner
@no_type_check
def replay(floor, goals, boxes, player, moves):
    """The pushes of a solution, or NONE if it bumps or does not end solved."""
    pushes = 0
    for direction in moves:
        player = moved(player, direction)
        if player & boxes != EMPTY:
            beyond = moved(player, direction)
            if beyond & floor & ~boxes == EMPTY:
                return NONE
            boxes ^= player ^ beyond
            pushes += 1
        if player & floor == EMPTY:
            return NONE
    return pushes if boxes == goals else NONE
