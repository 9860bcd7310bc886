"""Where the goals of a room go: together in a goal room, or here and there."""

import random

from tokoban.sokoban.board import Direction, Square
from tokoban.sokoban.puzzles.rooms import Floor

_TOGETHER_SHARE = 0.5


def place_goals(floor: Floor, num_goals: int, draws: random.Random) -> Floor | None:
    """Squares of ``floor`` for so many goals, or None where there is no room for them.

    Each could be the last square of a push, were there no other box. About half of the time they
    grow from one square as one group.
    """
    # Boxes need as many squares again to be pulled to, and the player one.
    fit = sorted(square for square in floor if _can_be_pushed_to(square, floor))
    if len(fit) < num_goals or len(floor) < 2 * num_goals + 1:
        return None
    if draws.random() >= _TOGETHER_SHARE:
        return frozenset(draws.sample(fit, num_goals))
    goals = {draws.choice(fit)}
    while len(goals) < num_goals:
        beside = {near for goal in goals for near in map(goal.neighbour, Direction)}
        # Where a group cannot grow another one begins.
        goals.add(draws.choice(sorted(beside.intersection(fit) - goals) or sorted({*fit} - goals)))
    return frozenset(goals)


def _can_be_pushed_to(square: Square, floor: Floor) -> bool:
    return any(
        (before := square.neighbour(side)) in floor and before.neighbour(side) in floor
        for side in Direction
    )
