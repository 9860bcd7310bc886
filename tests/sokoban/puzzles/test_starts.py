"""Reverse play: starts are as far as is said, and can be solved."""

import random
import threading
from dataclasses import replace
from typing import Any

import pytest

from tests.sokoban.search.bitboard.swept import distances
from tokoban.sokoban.board import Board, Square
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.puzzles import reverse_search
from tokoban.sokoban.puzzles.rooms import carve, place_goals
from tokoban.sokoban.puzzles.starts import Start, far_starts
from tokoban.sokoban.search.bitboard.levels import from_board
from tokoban.sokoban.search.combine.solver import solve


def solved_room(side: int, num_boxes: int, seed: int) -> Board:
    rng = random.Random(seed)
    floor = carve("tiles", rows=side, columns=side, rng=rng)
    goals = place_goals(floor, num_boxes, rng)
    assert goals is not None
    walls = frozenset(Square(row, column) for row in range(side) for column in range(side)) - floor
    return Board(side, side, walls, goals, goals, min(floor - goals))


def starts_of(solved: Board, least: int = 1, most: int | None = None) -> list[Start]:
    return far_starts(solved, min_pushes=least, max_pushes=most, rng=random.Random(1))


def fewest_pushes(solved: Board, start: Start) -> int:
    board = replace(solved, boxes=start.boxes, player=start.player)
    answer = solve(board, minimise="pushes")
    assert answer.solution is not None
    return answer.solution.num_pushes


@pytest.mark.parametrize("length", [7, 13], ids=["one word", "several"])
def test_in_a_corridor_the_box_is_pulled_to_the_square_before_the_last(length: int) -> None:
    wall = "#" * (length + 2)
    corridor = parse_board(f"{wall}|#*@{' ' * (length - 2)}#|{wall}")
    first = starts_of(corridor)[0]
    assert first == Start(frozenset({Square(1, length - 1)}), Square(1, length), length - 2)
    assert {start.pushes for start in starts_of(corridor, most=3)} <= {1, 2, 3}
    assert starts_of(corridor, least=length - 1) == []


def test_what_cannot_be_pulled_has_no_start() -> None:
    assert starts_of(parse_board("####|#*@#|####")) == []


def test_a_swept_start_needs_as_many_pushes_as_it_says() -> None:
    for seed in range(7):
        solved = solved_room(8, 3, seed)
        level = from_board(solved)
        assert level is not None
        farthest = max(row.max() for row in distances(level, "pushes").values())
        starts = starts_of(solved)
        assert len(starts) == len(set(starts))
        assert bool(starts) == (farthest > 0)
        for start in starts:
            assert start.pushes == fewest_pushes(solved, start)
            assert 0.85 * farthest <= start.pushes <= farthest


def test_of_many_boxes_few_matchings_are_made_between_looks_at_the_stop_flag(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    row = "#-----" + "*" * 10 + "-----#"
    solved = parse_board("|".join(["#" * 22, "#@" + "-" * 19 + "#", *[row] * 10, "#" * 22]))
    stop, lengths = threading.Event(), []

    def find_bounds(*arguments: Any) -> None:
        lengths.append(len(arguments[-1]))
        arguments[-1][:] = 0
        if len(lengths) == 2:
            stop.set()

    monkeypatch.setattr(reverse_search, "find_bounds", find_bounds)
    assert far_starts(solved, min_pushes=1, max_pushes=None, rng=random.Random(1), stop=stop) == []
    assert lengths == [1, 16]  # some 16 million steps of work; there are more positions


def test_bounds_on_the_pushes_hold() -> None:
    solved = solved_room(8, 3, 2)
    assert {start.pushes for start in starts_of(solved, least=5, most=7)} <= {5, 6, 7}
    assert starts_of(solved, least=5, most=7)


def test_a_start_of_a_large_room_needs_no_more_pushes_than_it_says() -> None:
    for seed in range(2):
        solved = solved_room(13, 3, seed)
        starts = starts_of(solved)
        needed = [fewest_pushes(solved, start) for start in starts]
        assert all(n <= start.pushes for n, start in zip(needed, starts, strict=True))
        assert len(starts) > 3
        # The hardest come first; no lone box of this room could need so many.
        assert needed[0] == max(needed) > 3 * min(needed) / 2


def test_in_an_open_hall_the_boxes_go_far_although_few_positions_are_followed() -> None:
    rows = ["#" * 20, *["#" + " " * 18 + "#"] * 18, "#" * 20]
    rows[2] = "# ***" + " " * 14 + "#"
    rows[5] = "#@" + " " * 17 + "#"
    hall = parse_board("|".join(rows))
    # A box on each of the far sides would need 15 pushes along one of them.
    far = sum(
        min(abs(box.row - goal.row) + abs(box.column - goal.column) for goal in hall.goals)
        for box in starts_of(hall)[0].boxes
    )
    assert far > 3 * 15
