"""Rooms for puzzles: floor carved out of solid wall in one of three styles, and goals on it.

The floor of every style is one piece, stays off the border, has no blind ends, and comes near to
all four sides.
"""

import random
from collections.abc import Callable, Iterable

from tokoban.sokoban.board import Direction, Square

MIN_SIDE = 5  # walls included

Floor = frozenset[Square]

# Patches of three squares by three, turned and mirrored at random; more of one makes it likelier.
_TILES = (
    *("...|...|...",) * 2,  # open
    *("#..|...|...",) * 3,  # a corner
    *("##.|...|...",) * 2,
    *("#..|#..|...",) * 2,
    *("###|...|...",) * 3,  # along a wall
    *("###|#..|#..",) * 2,  # in a corner
    *("...|.#.|...",) * 3,  # a pillar
    *("#..|...|..#",) * 2,
    *("#.#|...|...",) * 2,  # a door
    *("#.#|...|#.#",) * 2,  # a crossing
    *("###|...|###",) * 2,  # a corridor
    *("#.#|#..|###",) * 1,  # its bend
    *("###|###|###",) * 1,  # solid
)
# What a step of a walk carves around its square.
_BRUSHES = (
    ((0, 0), (0, 1)),
    ((0, 0), (1, 0)),
    ((0, -1), (0, 0), (0, 1)),
    ((-1, 0), (0, 0), (1, 0)),
    ((0, 0), (0, 1), (1, 0), (1, 1)),
    ((0, 0), (0, 1), (1, 0)),
)
_TURN_CHANCE = 0.35
# The share of the inside that is floor: no plain hall, and no lone corridor.
LEAST_FLOOR_SHARE, MOST_FLOOR_SHARE = 0.35, 0.6
_MOST_SMALL_FLOOR = 12  # squares that a room may have however small it is
_MAX_TRIES = 50
_MAX_TRIES_OF_A_HALL = 8
_GOALS_TOGETHER_SHARE = 0.5


def carve(style: str, *, rows: int, columns: int, rng: random.Random) -> Floor:
    """The floor of a room of ``rows`` by ``columns``, walls included, in one of ``STYLES``.

    Both are at least ``MIN_SIDE``. A room that is too full, too empty or too small is carved anew;
    after many of them the last has to do, which may be empty.
    """
    inside = [Square(row, column) for row in range(1, rows - 1) for column in range(1, columns - 1)]
    least = LEAST_FLOOR_SHARE * len(inside)
    most = max(MOST_FLOOR_SHARE * len(inside), _MOST_SMALL_FLOOR)
    for _ in range(_MAX_TRIES):
        carved = STYLES[style](rows, columns, rng)
        floor = _without_blind_ends(_largest_part(carved.intersection(inside)))
        if least <= len(floor) <= most and _fills(floor, rows, columns):
            break
    return floor


def place_goals(floor: Floor, num_goals: int, rng: random.Random) -> Floor | None:
    """Squares of ``floor`` for so many goals, or None where there is no room for them.

    Each could be the last square of a push, were there no other box. About half of the time they
    grow from one square as one group.
    """
    # Boxes need as many squares again to be pulled to, and the player one.
    fit = sorted(square for square in floor if _can_be_pushed_to(square, floor))
    if len(fit) < num_goals or len(floor) < 2 * num_goals + 1:
        return None
    if rng.random() >= _GOALS_TOGETHER_SHARE:
        return frozenset(rng.sample(fit, num_goals))
    goals = {rng.choice(fit)}
    while len(goals) < num_goals:
        beside = {near for goal in goals for near in map(goal.neighbour, Direction)}
        # Where a group cannot grow another one begins.
        goals.add(rng.choice(sorted(beside.intersection(fit) - goals) or sorted({*fit} - goals)))
    return frozenset(goals)


def _can_be_pushed_to(square: Square, floor: Floor) -> bool:
    return any(
        (before := square.neighbour(side)) in floor and before.neighbour(side) in floor
        for side in Direction
    )


def _tiles(rows: int, columns: int, rng: random.Random) -> set[Square]:
    """Patches side by side, as in Taylor and Parberry, "Procedural generation of Sokoban levels"
    (GAME-ON NA, 2011)."""
    # The first patches may begin outside, so that the seams are not always at the same places.
    top, left = 1 - rng.randrange(3), 1 - rng.randrange(3)
    floor = set()
    for row in range(top, rows - 1, 3):
        for column in range(left, columns - 1, 3):
            for i, letters in enumerate(_turned(rng.choice(_TILES).split("|"), rng)):
                for j, letter in enumerate(letters):
                    if letter == ".":
                        floor.add(Square(row + i, column + j))
    return floor


def _turned(tile: list[str], rng: random.Random) -> list[str]:
    for _ in range(rng.randrange(4)):
        tile = ["".join(column) for column in zip(*tile[::-1], strict=True)]
    return tile[::-1] if rng.random() < 0.5 else tile


def _caves(rows: int, columns: int, rng: random.Random) -> set[Square]:
    """A random walk with turns, as in gym-sokoban and Racanière et al. (2017), arXiv 1707.06203."""
    size = (rows - 2) * (columns - 2) * rng.uniform(LEAST_FLOOR_SHARE, MOST_FLOOR_SHARE)
    floor: set[Square] = set()
    row, column = rows // 2, columns // 2
    direction = rng.choice(list(Direction))
    while len(floor) < size:
        for row_step, column_step in rng.choice(_BRUSHES):
            if 0 < row + row_step < rows - 1 and 0 < column + column_step < columns - 1:
                floor.add(Square(row + row_step, column + column_step))
        if rng.random() < _TURN_CHANCE:
            direction = rng.choice(list(Direction))
        ahead = Square(row, column).neighbour(direction)
        row, column = min(max(ahead.row, 1), rows - 2), min(max(ahead.column, 1), columns - 2)
    return floor


def _halls(rows: int, columns: int, rng: random.Random) -> set[Square]:
    """Rectangles of two to five squares a side, joined one after the other by corridors."""
    size = (rows - 2) * (columns - 2) * rng.uniform(LEAST_FLOOR_SHARE, MOST_FLOOR_SHARE)
    floor: set[Square] = set()
    before: Square | None = None
    while len(floor) < size:
        # Of some places the first that lies apart from the others; the last where none does.
        for _ in range(_MAX_TRIES_OF_A_HALL):
            height, width = (min(rng.randint(2, 5), side - 2) for side in (rows, columns))
            top = rng.randint(1, rows - 1 - height)
            left = rng.randint(1, columns - 1 - width)
            if floor.isdisjoint(_rectangle(top - 1, left - 1, height + 2, width + 2)):
                break
        floor |= _rectangle(top, left, height, width)
        here = Square(rng.randrange(top, top + height), rng.randrange(left, left + width))
        if before is not None:
            floor |= _corridor(before, here, is_upright_first=rng.random() < 0.5)
        before = here
    return floor


def _rectangle(top: int, left: int, height: int, width: int) -> set[Square]:
    return {
        Square(row, column)
        for row in range(top, top + height)
        for column in range(left, left + width)
    }


def _corridor(start: Square, end: Square, *, is_upright_first: bool) -> set[Square]:
    """A corridor with one bend."""
    bend = Square(end.row, start.column) if is_upright_first else Square(start.row, end.column)
    return {square for one in (start, end) for square in _line(one, bend)}


def _line(start: Square, end: Square) -> set[Square]:
    top, left = min(start.row, end.row), min(start.column, end.column)
    return _rectangle(top, left, abs(start.row - end.row) + 1, abs(start.column - end.column) + 1)


STYLES: dict[str, Callable[[int, int, random.Random], set[Square]]] = {
    "tiles": _tiles,
    "caves": _caves,
    "halls": _halls,
}


def _largest_part(floor: Iterable[Square]) -> set[Square]:
    """The part of most squares that a walk can cover; of equals the one that comes first."""
    rest, largest = set(floor), set[Square]()
    for square in sorted(rest):
        if square in rest:
            part = _walked(square, rest)
            rest -= part
            largest = max(largest, part, key=len)
    return largest


def _walked(start: Square, floor: set[Square]) -> set[Square]:
    part, waiting = {start}, [start]
    while waiting:
        for square in map(waiting.pop().neighbour, Direction):
            if square in floor and square not in part:
                part.add(square)
                waiting.append(square)
    return part


def _without_blind_ends(floor: set[Square]) -> Floor:
    """Walls up squares with a single neighbour, and what that leaves as such."""
    floor = set(floor)
    waiting = sorted(floor)
    while waiting:
        square = waiting.pop()
        beside = [near for near in map(square.neighbour, Direction) if near in floor]
        if square in floor and len(beside) <= 1:
            floor.remove(square)
            waiting += beside
    return frozenset(floor)


def _fills(floor: Floor, rows: int, columns: int) -> bool:
    """Whether the floor comes within a square of all four sides of the inside."""
    if not floor:
        return False
    used_rows, used_columns = zip(*floor, strict=True)
    return (
        min(used_rows) <= 2
        and max(used_rows) >= rows - 3
        and min(used_columns) <= 2
        and max(used_columns) >= columns - 3
    )
