"""The meaning of a sentence: a few clauses, or one question, about named boxes and places."""

from dataclasses import dataclass
from enum import Enum, unique
from typing import Literal

from tokoban.sokoban.board import Square


class Box(Enum):
    """How a box is named; the value is the name in error messages."""

    LEFT = "the left box"
    RIGHT = "the right box"
    UPPER = "the upper box"
    LOWER = "the lower box"
    NEAREST = "the nearest box"
    IN_CORNER = "the box in the corner"
    ON_GOAL = "the box on a goal"
    STUCK = "the box that is stuck"
    FEWEST_FREE = "the box with the fewest free sides"


class Place(Enum):
    """A goal, or an area: half of the floor, the corners, all goals."""

    LEFT_GOAL = "the left goal"
    RIGHT_GOAL = "the right goal"
    UPPER_GOAL = "the upper goal"
    LOWER_GOAL = "the lower goal"
    LEFT_HALF = "the left half"
    RIGHT_HALF = "the right half"
    UPPER_HALF = "the upper half"
    LOWER_HALF = "the lower half"
    CORNER = "a corner"
    GOAL = "a goal"


Noun = Literal["box", "goal", "square"]


@dataclass(frozen=True)
class At:
    """What stands on a square, or the square itself, by its row and column."""

    noun: Noun
    square: Square

    @property
    def numbers(self) -> tuple[int, int]:
        """The row and the column, counted from 1."""
        return self.square.row + 1, self.square.column + 1

    @property
    def value(self) -> str:
        """The name in error messages."""
        row, column = self.numbers
        return f"the {self.noun} in row {row} column {column}"


@unique
class Kind(Enum):
    """What a clause demands of ``box`` and ``place``, ``other`` and ``other_place``."""

    BRING = "the box is on the place at the end"
    FIRST = "the first push moves the box"
    LAST = "the last push moves the box"
    BRING_FIRST = "as BRING, and no other box is pushed until the box stands on the place"
    BRING_LAST = "the last push brings the box to the place"
    BEFORE = "the box is pushed, and the other box never before that"
    AFTER = "the box is pushed, but only after the other box"
    BRING_BEFORE = "the box comes to the place, and the other box is never pushed before that"
    ARRIVE_BEFORE = "the same, but the other box may not stand on its place before that"
    LEAVE = "the box is never pushed"
    LEAVE_UNTIL = "the box is not pushed until the other box stands on its place"
    KEEP_FREE = "no box is pushed onto the place"
    KEEP_FREE_UNTIL = "no box is pushed onto it until the other box stands on its place"
    STAY_OUT = "the player does not enter the place"
    STAY_OUT_UNTIL = "the player does not enter it until the other box stands on its place"
    AVOID = "neither the player nor a pushed box enters the place"
    PLAYER_ENDS = "the last push leaves the player on the place"
    PUSHED = "the box is pushed"
    # Questions.
    HOW_MANY = "how many boxes stand on goals"
    WHERE = "the row and the column of the box"
    IS_ON_GOAL = "whether the box stands on a goal"
    IS_DEADLOCKED = "whether no play brings the box to a goal"
    CAN_REACH = "whether some play brings the box to the place"
    MOVES_FIRST = "the box that the first push of every solution moves"
    PUSHES_LEFT = "the fewest pushes of a solution"
    IS_SOLVABLE = "whether there is a solution"
    IS_LOST = "whether there is none"


KINDS = tuple(Kind)
QUESTIONS = KINDS[KINDS.index(Kind.HOW_MANY) :]
# Those that are drawn.
DEMANDS = KINDS[: KINDS.index(Kind.PUSHED)]
CONDITIONAL = QUESTIONS[QUESTIONS.index(Kind.PUSHES_LEFT) :]  # on demands, if there are any
DRAWN_QUESTIONS = QUESTIONS[: QUESTIONS.index(Kind.IS_SOLVABLE)]


@dataclass(frozen=True)
class Clause:
    """One demand or question; the names it does not need are None."""

    kind: Kind
    box: Box | At | None = None
    place: Place | At | None = None
    other: Box | At | None = None
    other_place: Place | At | None = None


ROLES = ("box", "place", "other", "other_place")  # the fields that name boxes and places
Meaning = tuple[Clause, ...]  # joined by "and"; a question may have demands behind it
