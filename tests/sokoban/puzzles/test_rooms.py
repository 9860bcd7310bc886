"""Rooms and their goals: what every style and every seed keeps."""

import random

import pytest

from tokoban.sokoban.board import Board, Direction, Square
from tokoban.sokoban.puzzles.rooms import STYLES, carve, place_goals


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize(("rows", "columns", "seeds"), [(5, 7, 23), (11, 13, 13), (31, 19, 2)])
def test_floor_is_one_closed_piece_without_blind_ends(
    style: str, rows: int, columns: int, seeds: int
) -> None:
    for seed in range(seeds):
        floor = carve(style, rows=rows, columns=columns, rng=random.Random(seed))
        assert all(0 < row < rows - 1 and 0 < column < columns - 1 for row, column in floor)
        for square in floor:
            assert sum(square.neighbour(direction) in floor for direction in Direction) > 1
        walls = {Square(row, column) for row in range(rows) for column in range(columns)} - floor
        bare = frozenset[Square]()
        assert Board(rows, columns, frozenset(walls), bare, bare, min(floor)).inside() == floor


@pytest.mark.parametrize("style", STYLES)
def test_a_room_comes_near_to_all_four_sides(style: str) -> None:
    for seed in range(7):
        floor = carve(style, rows=17, columns=23, rng=random.Random(seed))
        rows, columns = zip(*floor, strict=True)
        assert (min(rows) <= 2, max(rows) >= 14) == (True, True)
        assert (min(columns) <= 2, max(columns) >= 20) == (True, True)


@pytest.mark.parametrize("style", STYLES)
def test_the_seed_says_which_room(style: str) -> None:
    first, again, other = (
        carve(style, rows=13, columns=17, rng=random.Random(seed)) for seed in (3, 3, 5)
    )
    assert first == again != other


def test_each_goal_could_be_the_end_of_a_push() -> None:
    for seed in range(11):
        floor = carve("caves", rows=11, columns=11, rng=random.Random(seed))
        goals = place_goals(floor, 5, random.Random(seed))
        assert goals is not None
        assert len(goals) == 5
        assert goals <= floor
        for goal in goals:
            lines = [(side := goal.neighbour(d), side.neighbour(d)) for d in Direction]
            assert any(floor.issuperset(line) for line in lines)


def test_goals_without_room_are_refused() -> None:
    # A ring of eight squares: each is the end of a push, but four boxes leave no room.
    ring = frozenset(Square(r, c) for r in (1, 2, 3) for c in (1, 2, 3) if (r, c) != (2, 2))
    assert place_goals(ring, 3, random.Random(1)) is not None
    assert place_goals(ring, 4, random.Random(1)) is None
    # In a square of four squares no box can be pushed.
    four = frozenset(Square(r, c) for r in (1, 2) for c in (1, 2))
    assert place_goals(four, 1, random.Random(1)) is None
