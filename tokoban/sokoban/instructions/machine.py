"""A sentence as a reward machine over push events, for one board.

Toro Icarte et al., "Using reward machines for high-level task specification and decomposition in
reinforcement learning" (ICML 2018). Axes: Q states, K labels of boxes (the named ones in the order
of ``Cells.named``, then all others), 64 cells of 8x8 squares from the upper left of the floor.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Int8

from tokoban.sokoban import rules
from tokoban.sokoban.board import OFFSETS, Board, Square
from tokoban.sokoban.instructions.meaning import Box, Clause, Kind, Meaning, Place
from tokoban.sokoban.instructions.naming import find_box, find_place
from tokoban.sokoban.sizes import SIDE

MAX_STATES = 8
REJECTED = -1

# By the cell that a box is pushed to and the direction, the cell where it was and the player is.
_FROM = np.array([[cell - SIDE * down - right for down, right in OFFSETS] for cell in range(64)])
_FROM %= 64  # from beyond the edge no box is pushed


class TooLargeError(ValueError):
    """A level beyond the limits."""


class Machine(NamedTuple):
    """What a sentence demands of a play, push by push."""

    after: Int8[np.ndarray, "Q K 64 4"]  # by label, cell pushed to, direction; or REJECTED
    start: int
    accepts: Bool[np.ndarray, " Q"]  # a play may end here
    walls: Bool[np.ndarray, "Q 64"]  # cells that the player may not enter


@dataclass(frozen=True)
class Cells:
    """A board whose floor lies within 8x8 squares, and which boxes are told apart."""

    board: Board
    corner: Square  # cell 0
    named: tuple[Square, ...]

    @classmethod
    def of(cls, board: Board, named: Iterable[Square]) -> "Cells":
        """Raises ``TooLargeError`` for a larger floor."""
        rows, columns = zip(*board.inside(), strict=True)
        height, width = (max(line) - min(line) + 1 for line in (rows, columns))
        if max(height, width) > SIDE:
            size = f"a floor of {height}x{width} squares"
            raise TooLargeError(f"too large: {size}; expected at most {SIDE}x{SIDE}")
        return cls(board, Square(min(rows), min(columns)), tuple(sorted(named)))

    def cell(self, square: Square) -> int:
        """The number of the square."""
        return (square.row - self.corner.row) * SIDE + square.column - self.corner.column

    def square(self, cell: int) -> Square:
        """The square of the number."""
        return Square(cell // SIDE + self.corner.row, cell % SIDE + self.corner.column)

    def mask(self, squares: Iterable[Square]) -> Bool[np.ndarray, "64"]:
        """Which cells are among the squares."""
        mask = np.zeros(64, np.bool_)
        mask[[self.cell(square) for square in squares]] = True
        return mask

    def word(self, squares: Iterable[Square]) -> int:
        """The same as bits."""
        return sum(1 << self.cell(square) for square in squares)


def build_machine(cells: Cells, meaning: Meaning) -> Machine:
    """The machine of a sentence on a board.

    ``ValueError`` where a name means nothing there, or for more than ``MAX_STATES`` states.
    """
    anything = Machine(np.zeros((1, len(cells.named) + 1, 64, 4), np.int8), 0,
                       np.ones(1, np.bool_), np.zeros((1, 64), np.bool_))  # fmt: skip
    machine = reduce(_product, [_of_clause(cells, clause) for clause in meaning], anything)
    if len(machine.accepts) > MAX_STATES:
        states = f"the sentence has {len(machine.accepts)} states"
        raise ValueError(f"{states}; expected at most {MAX_STATES}")
    return machine


def obeys(cells: Cells, machine: Machine, moves: Iterable[int]) -> bool:
    """Whether the moves, by the reference rules, solve the board as the machine demands."""
    board, state = cells.board, machine.start
    labels = {square: label for label, square in enumerate(cells.named)}
    for direction in moves:
        later = rules.step(board, direction)
        if later == board or machine.walls[state, cells.cell(later.player)]:
            return False
        if later.boxes != board.boxes:
            beyond = later.player.neighbour(direction)
            label = labels.pop(later.player, len(cells.named))
            if label < len(cells.named):
                labels[beyond] = label
            state = int(machine.after[state, label, cells.cell(beyond), direction])
            if state == REJECTED:
                return False
        board = later
    return board.is_solved and bool(machine.accepts[state])


def _product(first: Machine, second: Machine) -> Machine:
    """Both demands at once: pairs of states, as far as pushes lead to them."""
    is_rejected = (first.after[:, None] < 0) | (second.after[None] < 0)
    count = len(second.accepts)
    after = np.where(is_rejected, REJECTED, first.after[:, None] * count + second.after[None])
    after = after.reshape(-1, *after.shape[2:])
    met = [first.start * count + second.start]
    for pair in met:  # grows while it is read
        met += [state for state in np.unique(after[pair]).tolist() if state not in (-1, *met)]
    number = np.full(len(after) + 1, REJECTED, np.int8)  # the last is that of REJECTED
    number[met] = range(len(met))
    accepts = (first.accepts[:, None] & second.accepts[None]).ravel()
    walls = (first.walls[:, None] | second.walls[None]).reshape(-1, 64)
    return Machine(number[after[met]], 0, accepts[met], walls[met])


class _Parts:
    """What the machine of a clause is made of; it is filled in by ``_of_clause``."""

    def __init__(self, cells: Cells, clause: Clause, num_states: int) -> None:
        self._cells = cells
        shape = (num_states, len(cells.named) + 1, 64, len(OFFSETS))
        self.after = np.empty(shape, np.int8)
        self.after[:] = np.arange(num_states)[:, None, None, None]
        self.walls = np.zeros((num_states, 64), np.bool_)
        self.box, self.other = self._label(clause.box), self._label(clause.other)
        self.place, self.other_place = self._mask(clause.place), self._mask(clause.other_place)

    def _label(self, box: Box | None) -> int:
        named = self._cells.named
        return -1 if box is None else named.index(find_box(self._cells.board, box))

    def _mask(self, place: Place | None) -> Bool[np.ndarray, "64"]:
        squares = frozenset() if place is None else find_place(self._cells.board, place)
        return self._cells.mask(squares)

    def stands(self, label: int, place: Bool[np.ndarray, "64"]) -> bool:
        """Whether a box stands on a place at the start."""
        return bool(place[self._cells.cell(self._cells.named[label])])

    def machine(self, start: int | bool, accepts: Sequence[bool]) -> Machine:
        return Machine(self.after, int(start), np.array(accepts, np.bool_), self.walls)


def _of_clause(cells: Cells, clause: Clause) -> Machine:
    return _BUILDERS[clause.kind](cells, clause)


def _bring(cells: Cells, clause: Clause) -> Machine:
    """State 1: the box is on the place."""
    parts = _Parts(cells, clause, 2)
    parts.after[:, parts.box] = parts.place[:, None]
    return parts.machine(parts.stands(parts.box, parts.place), [False, True])


def _first(cells: Cells, clause: Clause) -> Machine:
    """State 1: the box was pushed first."""
    parts = _Parts(cells, clause, 2)
    parts.after[0] = REJECTED
    parts.after[0, parts.box] = 1
    return parts.machine(0, [False, True])


def _last(cells: Cells, clause: Clause) -> Machine:
    """State 1: the last push moved the box, to the place if one is named."""
    parts = _Parts(cells, clause, 2)
    parts.after[:] = 0
    parts.after[:, parts.box] = 1 if clause.place is None else parts.place[:, None]
    return parts.machine(0, [False, True])


def _bring_first(cells: Cells, clause: Clause) -> Machine:
    """State 0: not on the place yet; 1: on it; 2: away again."""
    parts = _Parts(cells, clause, 3)
    parts.after[0] = REJECTED
    parts.after[0, parts.box] = parts.place[:, None]
    parts.after[1:, parts.box] = np.where(parts.place, 1, 2)[:, None]
    return parts.machine(parts.stands(parts.box, parts.place), [False, True, False])


def _before(cells: Cells, clause: Clause) -> Machine:
    """State 1: the box was pushed, or came to its place; before that, the other may not."""
    parts = _Parts(cells, clause, 2)
    parts.after[0, parts.box] = 1 if clause.place is None else parts.place[:, None]
    if clause.other_place is None:
        parts.after[0, parts.other] = REJECTED
    else:
        parts.after[0, parts.other, parts.other_place] = REJECTED
    is_done = clause.place is not None and parts.stands(parts.box, parts.place)
    if not is_done and parts.stands(parts.other, parts.other_place):
        parts.after[0] = REJECTED  # the other was there first
    return parts.machine(is_done, [False, True])


def _after(cells: Cells, clause: Clause) -> Machine:
    """State 1: the other was pushed; 2: the box too."""
    parts = _Parts(cells, clause, 3)
    parts.after[0, parts.other] = 1
    parts.after[0, parts.box] = REJECTED
    parts.after[1, parts.box] = 2
    return parts.machine(0, [False, False, True])


def _never(cells: Cells, clause: Clause) -> Machine:
    """State 0: the pushes are forbidden, or squares to the player; 1: no longer."""
    parts = _Parts(cells, clause, 1 if clause.other_place is None else 2)
    if clause.other_place is not None:
        parts.after[0, parts.other, parts.other_place] = 1
    if clause.kind in (Kind.LEAVE, Kind.LEAVE_UNTIL):
        parts.after[0, parts.box] = REJECTED
    if clause.kind in (Kind.KEEP_FREE, Kind.KEEP_FREE_UNTIL, Kind.AVOID):
        parts.after[0, :, parts.place] = REJECTED
    if clause.kind in (Kind.STAY_OUT, Kind.STAY_OUT_UNTIL, Kind.AVOID):
        parts.walls[0] = parts.place
    if clause.other_place is None:
        return parts.machine(0, [True])
    return parts.machine(parts.stands(parts.other, parts.other_place), [True, True])


def _player_ends(cells: Cells, clause: Clause) -> Machine:
    """State 1: the last push left the player on the place."""
    parts = _Parts(cells, clause, 2)
    parts.after[:] = parts.place[_FROM]
    is_there = bool(parts.place[cells.cell(cells.board.player)])
    return parts.machine(is_there, [False, True])


_BUILDERS: dict[Kind, Callable[[Cells, Clause], Machine]] = {
    Kind.BRING: _bring,
    Kind.FIRST: _first,
    Kind.LAST: _last,
    Kind.BRING_FIRST: _bring_first,
    Kind.BRING_LAST: _last,
    **dict.fromkeys((Kind.BEFORE, Kind.BRING_BEFORE, Kind.ARRIVE_BEFORE), _before),
    Kind.AFTER: _after,
    **dict.fromkeys((Kind.LEAVE, Kind.LEAVE_UNTIL, Kind.KEEP_FREE, Kind.KEEP_FREE_UNTIL), _never),
    **dict.fromkeys((Kind.STAY_OUT, Kind.STAY_OUT_UNTIL, Kind.AVOID), _never),
    Kind.PLAYER_ENDS: _player_ends,
}
