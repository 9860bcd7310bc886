"""Dead squares and frozen boxes, drawn by hand and against every possible play."""

from dataclasses import replace

import pytest

from tests.sokoban.brute_force import Shape, random_boards, reachable
from tokoban.sokoban import rules
from tokoban.sokoban.board import Board, Direction, Square
from tokoban.sokoban.deadlocks import dead_squares, frozen_boxes
from tokoban.sokoban.formats.xsb import parse_board


def marked(drawing: str, letter: str) -> set[Square]:
    """Where ``letter`` is in the drawing."""
    rows = enumerate(drawing.split("|"))
    return {Square(i, j) for i, row in rows for j, found in enumerate(row) if found == letter}


@pytest.mark.parametrize(
    "drawing",
    [
        # x is dead floor.
        "#######|#xxxxx#|#x---x#|#x@.-x#|#x---x#|#xx-xx#|###x###",  # nothing leaves the sides
        "xxxxx|x---x|x@.-x|x---x|xxxxx",  # an open edge is a wall too
        "x@--.---x",  # nothing leaves the ends
        "+x##|xx##|##xx|##xx",  # a room without a goal
        # Where a corridor turns, the player cannot come round the box, though pulls from the goal
        # would lead into the corridor ...
        "####.|####@|xxxx-|####x",
        # ... unless there is room to step aside.
        "####.|####@|x----|##xxx",
    ],
)
def test_dead_squares_as_drawn(drawing: str) -> None:
    assert dead_squares(parse_board(drawing.replace("x", "-"))) == marked(drawing, "x")


@pytest.mark.parametrize("is_closed", [False, True], ids=["open", "closed"])
def test_squares_are_dead_where_no_play_with_a_lone_box_ends_on_a_goal(is_closed: bool) -> None:
    for board in random_boards(Shape(4, 5, 2, is_closed=is_closed), 7, seed=29):
        assert dead_squares(board) == dead_by_every_play(board)


def dead_by_every_play(board: Board) -> set[Square]:
    everywhere = {Square(i, j) for i in range(board.height) for j in range(board.width)}
    floor = everywhere - board.walls
    before: dict[tuple[Square, Square], list[tuple[Square, Square]]] = {}
    for box in floor:
        for player in floor - {box}:
            start = replace(board, boxes=frozenset({box}), player=player)
            for direction in Direction:
                after = rules.step(start, direction)
                (box_after,) = after.boxes
                before.setdefault((box_after, after.player), []).append((box, player))
    waiting = [place for place in before if place[0] in board.goals]
    reached = set(waiting)
    while waiting:
        earlier = [place for place in before[waiting.pop()] if place not in reached]
        reached.update(earlier)
        waiting += earlier
    return floor - {box for box, _ in reached} - board.goals


FROZEN = {
    # f is a frozen box on floor, F one on a goal.
    "a corner": "#####|#f-.#|#@--#|#####",
    "a corner of the open edge": "f-.|-@-",
    "one box beside a wall may slide": "#####|#-$-#|#@-.#|#####",
    "two boxes beside a wall": "######|#-ff-#|#@..-#|######",
    "two boxes apart": "#######|#-$-$-#|#@..--#|#######",
    "a square of four": "------|-ff---|-ff...|@----.",
    "a square with a wall": "------|-ff---|-f#..-|@----.",
    "three of a square": "------|-$$---|-$-...|@-----",
    "a chain that hangs on a box in a corner": "#####|#FfF#|#@.-#|#####",
    "a chain with a loose end": "------|--$$--|-$$...|@----.",
    "all in a corner, on goals": "####|#FF#|#@-#|####",
    "a lone box in the open": "---|-$-|@-.",
}


@pytest.mark.parametrize("name", FROZEN)
def test_frozen_boxes_as_drawn(name: str) -> None:
    board = parse_board(FROZEN[name].replace("f", "$").replace("F", "*"))
    on_floor, on_goals = marked(FROZEN[name], "f"), marked(FROZEN[name], "F")
    assert frozen_boxes(board) == on_floor | on_goals
    assert (frozen_boxes(board) <= board.goals) == (not on_floor)


def test_frozen_boxes_are_in_their_places_after_every_play() -> None:
    num_frozen = 0
    for board in random_boards(Shape(3, 4, 4, is_closed=True), 20, seed=31):
        frozen = frozen_boxes(board)
        assert all(frozen <= later.boxes for later in reachable(board))
        num_frozen += len(frozen)
    assert num_frozen > 20
