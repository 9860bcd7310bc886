"""Rooms of a level, and how many of the ways between them boxes shut.

After Shoham and Schaeffer 2020 and their draft. Two squares by two of floor are part of a room, and
so is what overlaps them along a side; two squares by two alone are none. What two rooms share
belongs to neither, and is corridor like all other floor. Two rooms are linked if a walk leads from
one to the other through that room and corridors, but no third room. Rooms only guide the search.
Axes as in ``ground``, and R rooms.
"""

from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Int16, Int64, UInt64

from tokoban.compiling import entry, inner
from tokoban.sokoban.search.level.ground import NONE
from tokoban.sokoban.search.level.words import EMPTY, count
from tokoban.sokoban.search.state.positions import bit_of

_MAX_ROOMS = 64  # the largest; their numbers are bits of one word


class Rooms(NamedTuple):
    """The rooms that are linked to others; the last four arrays are workspace."""

    room: Int16[np.ndarray, "F+1"]  # NONE in corridors, other rooms and walls
    links: UInt64[np.ndarray, " R"]  # the rooms that each is linked to, as bits
    squares: Int16[np.ndarray, " _"]  # of room 0, then of room 1 and so on
    first: Int16[np.ndarray, "R+1"]  # where those of each room begin
    broken: UInt64[np.ndarray, " R"]
    marks: Int64[np.ndarray, "F+1"]
    last_mark: Int64[np.ndarray, "1"]
    waiting: Int16[np.ndarray, "F+1"]


def build_rooms(neighbours: Int16[np.ndarray, "_ 4"]) -> Rooms:
    """The rooms of a level and their links while no box is there."""
    rooms = _rooms_of(neighbours, _room_of_squares(neighbours))
    is_blocked = np.zeros(len(neighbours), np.bool_)
    is_blocked[-1] = True
    rooms.links[:] = (1 << len(rooms.links)) - 1 & 0xFFFFFFFFFFFFFFFF
    find_broken_links(rooms, neighbours, is_blocked)
    rooms.links[:] &= ~rooms.broken
    return rooms


def _room_of_squares(neighbours: Int16[np.ndarray, "_ 4"]) -> Int16[np.ndarray, " _"]:
    """``Rooms.room``."""
    wall = len(neighbours) - 1
    right, below = neighbours[:, 3], neighbours[:, 2]
    is_block = (right != wall) & (below != wall) & (right[below] != wall)
    room_of_block: dict[int, int] = {}  # by its upper left square
    rooms: list[set[int]] = []
    for start in np.flatnonzero(is_block[:wall]).tolist():
        if start in room_of_block:
            continue
        waiting, blocks = [start], {start}
        while waiting:
            for ahead in neighbours[waiting.pop()].tolist():
                if ahead != wall and is_block[ahead] and ahead not in blocks:
                    blocks.add(ahead)
                    waiting.append(ahead)
        room_of_block |= dict.fromkeys(blocks, len(rooms))
        if len(blocks) > 1:
            corners = [[b, right[b], below[b], right[below[b]]] for b in blocks]
            rooms.append({int(square) for square in np.ravel(corners)})
    rooms = sorted(rooms, key=len, reverse=True)[:_MAX_ROOMS]
    room = np.full(wall + 1, NONE, np.int16)
    for number, squares in enumerate(rooms):
        shared = squares & set().union(*rooms[:number], *rooms[number + 1 :])
        room[list(squares - shared)] = number
    return room


def _rooms_of(neighbours: Int16[np.ndarray, "_ 4"], room: Int16[np.ndarray, " _"]) -> Rooms:
    """The rooms, their links not known yet."""
    num_rooms = int(room.max(initial=NONE)) + 1
    squares = np.argsort(room, kind="stable").astype(np.int16)
    squares = squares[room[squares] != NONE]
    return Rooms(
        room=room,
        links=np.zeros(num_rooms, np.uint64),
        squares=squares,
        first=np.searchsorted(room[squares], np.arange(num_rooms + 1)).astype(np.int16),
        broken=np.zeros(num_rooms, np.uint64),
        marks=np.zeros(len(room), np.int64),
        last_mark=np.zeros(1, np.int64),
        waiting=np.zeros(len(room), np.int16),
    )


@entry
@no_type_check
def find_broken_links(rooms, neighbours, is_blocked):
    """Fills ``rooms.broken``: for each room, as bits, which links some free part of it lacks.

    A room without a free square lacks all.
    """
    room, marks, waiting = rooms.room, rooms.marks, rooms.waiting
    for number in range(len(rooms.links)):
        rooms.last_mark[0] += 1
        mark = rooms.last_mark[0]
        lacks = EMPTY
        is_full = True
        for place in range(rooms.first[number], rooms.first[number + 1]):
            if lacks == rooms.links[number]:
                break
            start = rooms.squares[place]
            if is_blocked[start] or marks[start] == mark:
                continue
            is_full = False
            touched = EMPTY
            marks[start] = mark
            waiting[0] = start
            num_waiting = 1
            while num_waiting > 0:
                num_waiting -= 1
                square = waiting[num_waiting]
                for direction in range(4):
                    ahead = neighbours[square, direction]
                    if is_blocked[ahead] or marks[ahead] == mark:
                        continue
                    if room[ahead] == NONE or room[ahead] == number:
                        marks[ahead] = mark
                        waiting[num_waiting] = ahead
                        num_waiting += 1
                    else:
                        touched |= bit_of(room[ahead])
            lacks |= rooms.links[number] & ~touched
        rooms.broken[number] = rooms.links[number] if is_full else lacks


@inner
@no_type_check
def num_broken_links(rooms, neighbours, is_blocked):
    """How many links of the empty board are broken: where some free part of one of the two rooms
    does not see the other, or one is full."""
    if len(rooms.links) < 2:
        return np.int64(0)
    find_broken_links(rooms, neighbours, is_blocked)
    num_broken = np.int64(0)
    for number in range(1, len(rooms.links)):
        # A link is counted where its later room is.
        broken = rooms.broken[number]
        for earlier in range(number):
            if rooms.broken[earlier] & bit_of(number) != EMPTY:
                broken |= bit_of(earlier)
        num_broken += count(broken & (bit_of(number) - bit_of(0)))
    return num_broken
