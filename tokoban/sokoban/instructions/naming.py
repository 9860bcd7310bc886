"""The box or the squares that a name means on a board; a tie means none."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from typing import Any, TypeVar

from tokoban.sokoban.board import OFFSETS, Board, Square
from tokoban.sokoban.formats.faults import Fault
from tokoban.sokoban.instructions.meaning import ROLES, At, Box, Clause, Meaning, Place

N = TypeVar("N", Box, Place)

_SIDE_OF: Mapping[str, Callable[[Square], int]] = {
    "LEFT": lambda square: square.column,
    "RIGHT": lambda square: -square.column,
    "UPPER": lambda square: square.row,
    "LOWER": lambda square: -square.row,
}


def find_box(board: Board, box: Box | At) -> Square:
    """The square of the box; ``ValueError`` if no box, or more than one, has this name."""
    boxes = board.boxes & _inside(board)
    if isinstance(box, At):
        found = boxes & {box.square}
    elif box.name in _SIDE_OF:
        found = _least(boxes, _SIDE_OF[box.name])
    elif box == Box.NEAREST:
        row, column = board.player
        found = _least(boxes, lambda square: abs(square.row - row) + abs(square.column - column))
    elif box == Box.FEWEST_FREE:
        found = _least(boxes, lambda square: sum(_free_sides(board, square)))
    elif box == Box.ON_GOAL:
        found = boxes & board.goals
    elif box == Box.STUCK:
        found = frozenset(square for square in boxes if _is_stuck(board, square))
    else:
        found = frozenset(square for square in boxes if _is_corner(board, square))
    if len(found) != 1:
        count = f"{len(found)} boxes" if found else "no box"
        sentence = f'"{box.value}" fits {count}; expected exactly one'
        raise ValueError(Fault(sentence, "named-boxes", count=len(found), name=box.value))
    return next(iter(found))


def find_place(board: Board, place: Place | At) -> frozenset[Square]:
    """The squares of a place, inside the walls; ``ValueError`` if there are none, or two goals."""
    inside = _inside(board)
    goals = board.goals & inside
    if isinstance(place, At):
        found = (goals if place.noun == "goal" else inside) & {place.square}
        if not found:
            sentence = f'"{place.value}" is none; expected one inside the walls'
            raise ValueError(Fault(sentence, "named-place", name=place.value))
        return found
    side = place.name.partition("_")[0]
    if place == Place.GOAL:
        found = goals
    elif place == Place.CORNER:
        found = frozenset(square for square in inside if _is_corner(board, square))
    elif place.name.endswith("_GOAL"):
        found = _least(goals, _SIDE_OF[side])
        if len(found) > 1:
            sentence = f'"{place.value}" fits {len(found)} goals; expected exactly one'
            raise ValueError(Fault(sentence, "named-goals", count=len(found), name=place.value))
    else:
        # A middle row or column belongs to neither half.
        of_side = _SIDE_OF[side]
        far, near = max(map(of_side, inside)), min(map(of_side, inside))
        found = frozenset(square for square in inside if 2 * of_side(square) < far + near)
    if not found:
        sentence = f'"{place.value}" fits no square; expected at least one'
        raise ValueError(Fault(sentence, "named-place", name=place.value))
    return found


def named_boxes(board: Board, meaning: Meaning) -> frozenset[Square]:
    """The boxes that the sentence names; ``ValueError`` as ``find_box``, or for one named twice."""
    found = set()
    for clause in meaning:
        pair = {find_box(board, box) for box in (clause.box, clause.other) if box is not None}
        if clause.box is not None and clause.other is not None and len(pair) == 1:
            name, other = clause.box.value, clause.other.value
            sentence = f'"{name}" and "{other}" are one box; expected two'
            raise ValueError(Fault(sentence, "named-twice", name=name, other=other))
        found |= pair
    return frozenset(found)


def meanings(board: Board, names: Iterable[N]) -> dict[N, frozenset[Square]]:
    """The squares of those of the names that mean something on the board."""
    found: dict[N, frozenset[Square]] = {}
    for name in names:
        with suppress(ValueError):
            if isinstance(name, Box):
                found[name] = frozenset({find_box(board, name)})
            else:
                found[name] = find_place(board, name)
    return found


def names_of(board: Board, square: Square, names: Iterable[N]) -> list[N]:
    """Those of the names that mean this square alone."""
    return [name for name, found in meanings(board, names).items() if found == {square}]


def without_squares(board: Board, meaning: Meaning) -> Meaning:
    """The meaning with other names for what is named by its row and column.

    ``ValueError`` for what has no other name.
    """
    return tuple(_without_squares(board, clause) for clause in meaning)


def _without_squares(board: Board, clause: Clause) -> Clause:
    for role in ROLES:
        name = getattr(clause, role)
        if not isinstance(name, At):
            continue
        kinds: Any = {"box": Box, "goal": Place, "square": ()}[name.noun]
        others: list[Any] = names_of(board, name.square, kinds)
        if not others:
            raise ValueError(
                f'"{name.value}" has no other name here, and the network was trained on others only'
            )
        clause = replace(clause, **{role: others[0]})
    return clause


@lru_cache(maxsize=16)
def _inside(board: Board) -> frozenset[Square]:
    """A level is named in many sentences."""
    return board.inside()


def _least(squares: frozenset[Square], measure: Callable[[Square], int]) -> frozenset[Square]:
    least = min(map(measure, squares), default=0)
    return frozenset(square for square in squares if measure(square) == least)


def _free_sides(board: Board, square: Square) -> list[bool]:
    return [board.is_free(square.neighbour(direction)) for direction in range(len(OFFSETS))]


def _is_stuck(board: Board, square: Square) -> bool:
    """Whether no push can move the box now: of no two opposite sides are both free."""
    up, left, down, right = _free_sides(board, square)
    return not (up and down) and not (left and right)


def _is_corner(board: Board, square: Square) -> bool:
    """Whether walls are beside it on two sides that meet."""
    up, left, down, right = (
        not board.contains(beside) or beside in board.walls
        for beside in (square.neighbour(direction) for direction in range(len(OFFSETS)))
    )
    return (up or down) and (left or right)
