"""A sentence as a reward machine over push events, for one board.

Toro Icarte et al., "Using reward machines for high-level task specification and decomposition in
reinforcement learning" (ICML 2018). Axes: Q states, K labels of boxes (the named ones in the order
of ``Cells.named``, then all others), 64 cells of 8x8 squares from the upper left of the floor.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import reduce
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Int8

from tokoban.sokoban import rules
from tokoban.sokoban.board import OFFSETS, Board, Square
from tokoban.sokoban.instructions.meaning import Clause, Kind, Meaning
from tokoban.sokoban.instructions.naming import find_box, find_place
from tokoban.sokoban.search.level.ground import NONE
from tokoban.sokoban.search.limits import Reason
from tokoban.sokoban.sizes import SIDE

MAX_STATES = 8
REJECTED = -1

# By the cell that a box is pushed to and the direction, the cell where it was and the player is.
FROM = np.array([[cell - SIDE * down - right for down, right in OFFSETS] for cell in range(64)])
FROM %= 64  # from beyond the edge no box is pushed


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
            sentence = f"too large: {size}; expected at most {SIDE}x{SIDE}"
            raise TooLargeError(Reason(sentence, "floor", height=height, width=width, most=SIDE))
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

    def squares(self, mask: Bool[np.ndarray, "64"]) -> frozenset[Square]:
        """The inverse of ``mask``."""
        return frozenset(map(self.square, mask.nonzero()[0].tolist()))

    def word(self, squares: Iterable[Square]) -> int:
        """As ``mask``, as bits."""
        return sum(1 << self.cell(square) for square in squares)


def build_machine(cells: Cells, meaning: Meaning) -> Machine:
    """The machine of a sentence on a board.

    ``ValueError`` where a name means nothing there, or for more than ``MAX_STATES`` states.
    """
    anything = Machine(np.zeros((1, len(cells.named) + 1, 64, 4), np.int8), 0,
                       np.ones(1, np.bool_), np.zeros((1, 64), np.bool_))  # fmt: skip
    machine = reduce(_product, [_of_clause(cells, clause) for clause in meaning], anything)
    if len(machine.accepts) > MAX_STATES:
        states = f"the clauses together need a machine of {len(machine.accepts)} states"
        raise ValueError(f"{states}; expected at most {MAX_STATES}: leave out a clause")
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
    """What the machine of a clause is made of: its names on the board, and tables to be filled."""

    def __init__(self, cells: Cells, clause: Clause, num_states: int) -> None:
        self.cells, self.clause = cells, clause
        # Unless filled otherwise, a push leaves the machine in its state.
        self.after = np.empty((num_states, len(cells.named) + 1, 64, len(OFFSETS)), np.int8)
        self.after[:] = np.arange(num_states)[:, None, None, None]
        self.walls = np.zeros((num_states, 64), np.bool_)
        self.box, self.other = (
            NONE if box is None else cells.named.index(find_box(cells.board, box))
            for box in (clause.box, clause.other)
        )
        self.place, self.other_place = (
            cells.mask(() if place is None else find_place(cells.board, place))
            for place in (clause.place, clause.other_place)
        )

    def stands(self, label: int, place: Bool[np.ndarray, "64"]) -> bool:
        """Whether a box stands on a place at the start."""
        return bool(place[self.cells.cell(self.cells.named[label])])


def _of_clause(cells: Cells, clause: Clause) -> Machine:
    fill, accepts = _CLAUSES[clause.kind]
    parts = _Parts(cells, clause, len(accepts))
    start = int(fill(parts))
    return Machine(parts.after, start, np.array([*accepts]) == "+", parts.walls)


# Each of the following fills in the tables of a clause, and returns the state at the start.


def _bring(parts: _Parts) -> int:
    """State 1: the box is on the place."""
    parts.after[:, parts.box] = parts.place[:, None]
    return parts.stands(parts.box, parts.place)


def _first(parts: _Parts) -> int:
    """State 1: the box was pushed first."""
    parts.after[0] = REJECTED
    parts.after[0, parts.box] = 1
    return 0


def _pushed(parts: _Parts) -> int:
    """State 1: the box was pushed."""
    parts.after[0, parts.box] = 1
    return 0


def _last(parts: _Parts) -> int:
    """State 1: the last push moved the box, to the place if one is named."""
    parts.after[:] = 0
    parts.after[:, parts.box] = 1 if parts.clause.place is None else parts.place[:, None]
    return 0


def _bring_first(parts: _Parts) -> int:
    """State 0: not on the place yet; 1: on it; 2: away again."""
    parts.after[0] = REJECTED
    parts.after[0, parts.box] = parts.place[:, None]
    parts.after[1:, parts.box] = np.where(parts.place, 1, 2)[:, None]
    return parts.stands(parts.box, parts.place)


def _before(parts: _Parts) -> int:
    """State 1: the box was pushed, or came to its place; before that, the other may not."""
    clause = parts.clause
    parts.after[0, parts.box] = 1 if clause.place is None else parts.place[:, None]
    parts.after[0, parts.other, parts.other_place | (clause.other_place is None)] = REJECTED
    is_done = clause.place is not None and parts.stands(parts.box, parts.place)
    if not is_done and parts.stands(parts.other, parts.other_place):
        parts.after[0] = REJECTED  # the other was there first
    return is_done


def _after(parts: _Parts) -> int:
    """State 1: the other was pushed; 2: the box too."""
    parts.after[0, parts.other] = 1
    parts.after[0, parts.box] = REJECTED
    parts.after[1, parts.box] = 2
    return 0


def _never(parts: _Parts) -> int:
    """State 0: the pushes are forbidden, or squares to the player; 1: no longer."""
    kind = parts.clause.kind
    if parts.clause.other is not None:
        parts.after[0, parts.other, parts.other_place] = 1
    if kind in (Kind.LEAVE, Kind.LEAVE_UNTIL):
        parts.after[0, parts.box] = REJECTED
    if kind in (Kind.KEEP_FREE, Kind.KEEP_FREE_UNTIL, Kind.AVOID):
        parts.after[0, :, parts.place] = REJECTED
    if kind in (Kind.STAY_OUT, Kind.STAY_OUT_UNTIL, Kind.AVOID):
        parts.walls[0] = parts.place
    return parts.clause.other is not None and parts.stands(parts.other, parts.other_place)


def _player_ends(parts: _Parts) -> int:
    """State 1: the last push left the player on the place."""
    parts.after[:] = parts.place[FROM]
    return bool(parts.place[parts.cells.cell(parts.cells.board.player)])


# By kind, what fills in the tables, and its states: + for those in which a play may end.
_CLAUSES: dict[Kind, tuple[Callable[[_Parts], int], str]] = {
    Kind.BRING: (_bring, "-+"),
    Kind.FIRST: (_first, "-+"),
    Kind.LAST: (_last, "-+"),
    Kind.PUSHED: (_pushed, "-+"),
    Kind.BRING_FIRST: (_bring_first, "-+-"),
    Kind.BRING_LAST: (_last, "-+"),
    Kind.AFTER: (_after, "--+"),
    **dict.fromkeys((Kind.BEFORE, Kind.BRING_BEFORE, Kind.ARRIVE_BEFORE), (_before, "-+")),
    **dict.fromkeys((Kind.LEAVE, Kind.KEEP_FREE, Kind.STAY_OUT, Kind.AVOID), (_never, "+")),
    **dict.fromkeys((Kind.LEAVE_UNTIL, Kind.KEEP_FREE_UNTIL, Kind.STAY_OUT_UNTIL), (_never, "++")),
    Kind.PLAYER_ENDS: (_player_ends, "-+"),
}
