"""Every position that play can reach from the start of a level, named boxes told apart.

It is built once; each sentence is solved backwards over it. Pushes onto squares from which a lone
box reaches no goal are left out, except where a question is about them. Where sentences forbid the
player to enter squares, each of these is a zone of its own. Axes: P positions, E pushes, V sets of
forbidden squares, of which the first is empty; cells and labels as in ``machine``.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import compress
from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Bool, Int16, Int32, Int64, UInt8

from tokoban.compiling import entry, inner
from tokoban.sokoban.hashing import GOLDEN
from tokoban.sokoban.instructions.machine import Cells, TooLargeError
from tokoban.sokoban.interior import enclosed
from tokoban.sokoban.search.level.ground import NONE, Squares, build_ground, zobrist_keys
from tokoban.sokoban.search.level.words import EMPTY, cell, count, flood, index, lowest, moved
from tokoban.sokoban.search.limits import (
    UNLIMITED,
    UNWATCHED,
    Watch,
    out_of_expansions,
    out_of_memory,
)
from tokoban.sokoban.search.state.columns import enlarge, enlarge_columns, zeroed
from tokoban.sokoban.search.state.positions import (
    Positions,
    add,
    empty_positions,
    grown,
    num_bytes,
    slot_of,
)

MAX_POSITIONS = 1 << 21  # some 2 million

_MOST_NAMED = 10  # cells of six bits in a word
_FIRST_POSITIONS = 1 << 12
_POSITIONS_AT_ONCE = 1 << 12  # that are expanded before limits and Ctrl-C are looked at
_PUSHES_EACH = 4  # that a position has, at first


class Pushes(NamedTuple):
    """The pushes of each position, in the order of the positions."""

    source: Int32[np.ndarray, " E"]
    target: Int32[np.ndarray, " E"]
    event: Int16[np.ndarray, " E"]  # (label * 64 + cell pushed to) * 4 + direction
    is_allowed: UInt8[np.ndarray, " E"]  # a bit for each set of forbidden squares


@dataclass(frozen=True, eq=False)
class Graph:
    """The positions, the start first, and the pushes between them."""

    cells: Cells
    walls: tuple[int, ...]  # V; bits of cells
    positions: Positions  # boxes [P, 2]: those without a name as bits, the named six bits each
    is_solved: Bool[np.ndarray, " P"]
    pushes: Pushes
    ends: Int64[np.ndarray, " P+1"]  # pushes before each position's own, and of all
    by_target: Int32[np.ndarray, " E"]  # the pushes in the order of their targets
    ends_by_target: Int64[np.ndarray, " P+1"]

    @property
    def num_positions(self) -> int:
        """P."""
        return len(self.is_solved)

    def pushes_from(self, position: int) -> range:
        """The numbers of the pushes of a position."""
        return range(int(self.ends[position]), int(self.ends[position + 1]))


def build_graph(
    cells: Cells,
    walls: Sequence[int] = (),
    *,
    is_whole: bool = False,
    watch: Watch = UNWATCHED,
) -> Graph:
    """The graph of a level; ``TooLargeError`` or ``OutOfTimeError`` beyond the limits.

    ``walls`` are at most seven sets of cells, as bits, that the player may not enter. The graph
    ``is_whole`` if it also has the pushes onto dead squares.
    """
    inside = cells.board.inside()
    boxes = cells.board.boxes & inside
    if len(cells.named) > _MOST_NAMED:
        most = f"expected at most {_MOST_NAMED}"
        raise TooLargeError(f"too large: {len(cells.named)} boxes have names; {most}")
    floor, goals = cells.word(inside), cells.word(cells.board.goals & inside)
    live = floor if is_whole else _live_cells(cells)
    named = sum(cells.cell(square) << 6 * label for label, square in enumerate(cells.named))
    start = np.array([cells.word(boxes - {*cells.named}), named], np.uint64)
    keys = zobrist_keys(64)
    level, player = np.array([floor, live, goals, 0, *walls], np.uint64), cells.board.player
    capacity, room = _FIRST_POSITIONS, 4 * len(boxes) + 1
    positions = empty_positions(capacity, 128)
    is_solved, ends = np.zeros(capacity, np.bool_), np.zeros(capacity + 1, np.int64)
    pushes = zeroed(Pushes, E=_PUSHES_EACH * capacity)
    progress = np.zeros(2, np.int64)  # positions expanded, pushes
    of_level = level, keys, start, cells.cell(player), len(cells.named)
    limits, until = watch.limits, 0
    most_in_all = UNLIMITED if limits.max_expansions is None else limits.max_expansions
    while not _expand(*of_level, until, positions, is_solved, ends, pushes, progress):
        watch.check()
        if progress[0] == most_in_all:
            raise TooLargeError(out_of_expansions(most_in_all))
        until = min(int(progress[0]) + _POSITIONS_AT_ONCE, most_in_all)
        # What grows is copied, and its order by targets takes as much again.
        if 3 * num_bytes((positions, pushes)) > limits.memory_limit_mb * 1e6:
            raise TooLargeError(out_of_memory(limits.memory_limit_mb))
        if progress[1] + room > len(pushes.source):
            enlarge_columns(pushes, "E", 2 * len(pushes.source))
        if positions.num_known[0] + room > capacity:
            if capacity >= MAX_POSITIONS:
                most = f"expected at most {MAX_POSITIONS:,}"
                raise TooLargeError(f"too large: more than {capacity:,} positions; {most}")
            capacity *= 2
            positions = grown(positions, keys)
            enlarge(is_solved, capacity)
            enlarge(ends, capacity + 1)
    if enclosed(cells.board) or len(boxes) != len(cells.board.goals & inside):
        is_solved[:] = False
    num_positions, num_pushes = int(positions.num_known[0]), int(progress[1])
    enlarge_columns(pushes, "E", num_pushes)
    ends_by_target = np.zeros(num_positions + 1, np.int64)
    np.cumsum(np.bincount(pushes.target, minlength=num_positions), out=ends_by_target[1:])
    return Graph(
        cells=cells,
        walls=(0, *walls),
        positions=positions,
        is_solved=is_solved[:num_positions],
        pushes=pushes,
        ends=ends[: num_positions + 1],
        by_target=np.argsort(pushes.target, kind="stable").astype(np.int32),
        ends_by_target=ends_by_target,
    )


def _live_cells(cells: Cells) -> int:
    """The squares from which a lone box reaches a goal, as bits."""
    squares = Squares(cells.board)
    is_dead = build_ground(cells.board, squares).is_dead[:-1]
    return cells.word(compress(squares.squares, ~is_dead))


@inner
@no_type_check
def _enter(positions, keys, words, player):
    """The number of the position; it is added if it is new."""
    key = (words[0] * GOLDEN) ^ (words[1] + GOLDEN) * np.uint64(0xBF58476D1CE4E5B9)
    key ^= key >> np.uint64(29)
    slot = slot_of(positions, words, key, player, keys[1, player])
    if positions.slots[slot] != NONE:
        return np.int64(positions.slots[slot])
    return np.int64(add(positions, slot, words, key, player, NONE))


@partial(entry, makes_arrays=True)
@no_type_check
def _expand(
    level, keys, start, start_cell, num_named, until, positions, is_solved, ends, pushes, progress
):
    """Makes the pushes of all positions, the start first.

    False after ``until`` of them, or where there is no more room.

    ``level`` has the floor, where boxes may be pushed to, the goals, and the forbidden squares.
    """
    floor, live, goals, walls = level[0], level[1], level[2], level[3:]
    any_wall = EMPTY
    for wall in walls:
        any_wall |= wall
    areas, words = np.empty(len(walls), np.uint64), np.empty(2, np.uint64)
    if positions.num_known[0] == 0:
        boxes = start[0]
        for label in range(num_named):
            boxes |= cell((start[1] >> np.uint64(6 * label)) & np.uint64(63))
        _enter(positions, keys, start, _zone(cell(start_cell), floor & ~boxes, any_wall))
    while progress[0] < positions.num_known[0]:
        position = progress[0]
        others, named = positions.boxes[position, 0], positions.boxes[position, 1]
        boxes = others
        for label in range(num_named):
            boxes |= cell((named >> np.uint64(6 * label)) & np.uint64(63))
        if positions.num_known[0] + 4 * count(boxes) > len(is_solved):
            return False
        if progress[1] + 4 * count(boxes) > len(pushes.source) or position >= until:
            return False
        is_solved[position] = boxes & ~goals == EMPTY
        free, player = floor & ~boxes, cell(positions.player[position])
        for i in range(len(walls)):
            areas[i] = flood(player, (free & ~walls[i]) | player)
        rest = boxes
        while rest != EMPTY:
            box = lowest(rest)
            rest ^= box
            label = num_named
            for i in range(num_named):
                if cell((named >> np.uint64(6 * i)) & np.uint64(63)) == box:
                    label = i
            for direction in range(4):
                beyond, behind = moved(box, direction), moved(box, direction ^ 2)
                if beyond & free & live == EMPTY or behind & areas[0] == EMPTY:
                    continue
                words[0], words[1] = others, named
                if label == num_named:
                    words[0] ^= box | beyond
                else:
                    words[1] ^= np.uint64(index(box) ^ index(beyond)) << np.uint64(6 * label)
                zone = _zone(box, (free | box) & ~beyond, any_wall)
                allowed = 0
                for i in range(len(walls)):
                    if behind & areas[i] != EMPTY and box & walls[i] == EMPTY:
                        allowed |= 1 << i
                push = progress[1]
                pushes.source[push] = position
                pushes.target[push] = _enter(positions, keys, words, zone)
                pushes.event[push] = (label * 64 + index(beyond)) * 4 + direction
                pushes.is_allowed[push] = allowed
                progress[1] += 1
        progress[0] += 1
        ends[progress[0]] = progress[1]
    return True


@inner
@no_type_check
def _zone(player, free, any_wall):
    """The lowest cell that the player walks to past no forbidden square; on one, its own cell."""
    if player & any_wall != EMPTY:
        return index(player)
    return index(lowest(flood(player, free & ~any_wall)))
