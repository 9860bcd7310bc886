"""Jobs of the policy: what they show is a game by the rules, and what they say is true."""

import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import tokoban
from tokoban.sokoban.board import Board, Direction, Square
from tokoban.sokoban.formats import lurd
from tokoban.sokoban.search.limits import Limits
from tokoban.sokoban.search.searches.guided.guide import MOST_DEADLOCKED, boxes_and_zones
from tokoban.web import watched, watching_jobs
from tokoban.web.job import Context
from tokoban.web.opinions import policy

LEVEL = "########\n#  .  ##\n#@$ $  #\n#  #.  #\n###    #\n########"
LOST = "#######\n#. $$.#\n#@    #\n#######"


def events(kind: str, **arguments: Any) -> list[dict[str, Any]]:
    """All events of a job that nobody stops."""
    return list(getattr(watching_jobs, kind)(arguments, Context(threading.Event(), lambda _: None)))


def test_the_search_solves_the_level() -> None:
    *_, done = events("watch", board=LEVEL)
    assert done["event"] == "done"
    assert done["status"] == "solved"
    replayed = lurd.replay(Board.from_xsb(LEVEL), done["moves"])
    assert replayed.is_solved
    assert (replayed.moves, replayed.pushes) == (done["num_moves"], done["num_pushes"])


def test_rows_follow_from_their_parents_by_the_push_that_is_shown() -> None:
    *steps, done = events("watch", board=LEVEL, width=5)
    before = {row: LEVEL for row in range(5)}
    evaluated = 0
    for step in steps:
        rows = {row["row"]: row for row in step["rows"]}
        for row in rows.values():
            box, parent = tuple(row["box"]), Board.from_xsb(before[row["parent"]])
            boxes = Board.from_xsb(row["board"]).boxes
            direction = "uldr".index(row["direction"])
            moved = next(b for b in parent.boxes if b == box).neighbour(direction)
            assert boxes == parent.boxes - {box} | {moved}
        before = {number: row["board"] for number, row in rows.items()}
        assert step["num_evaluated"] > evaluated
        evaluated = step["num_evaluated"]
    assert done["num_evaluated"] == evaluated
    assert len(done["followed"]) == len(steps)
    assert next(row for row in steps[-1]["rows"] if row["row"] == done["followed"][-1])["is_solved"]


@pytest.mark.parametrize("width", [1, 3, 8])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_each_step_shows_the_likeliest_positions_that_were_not_shown(seed: int, width: int) -> None:
    board = tokoban.generate(seed=seed, style="mixed", num_boxes=3)[0].board
    guide, squares = policy().guide(board)
    seen, rows = {(board.boxes, board.area())}, [(0.0, board)]
    for step in list(watched.beam(board, Limits(), width=width))[:-1]:
        scores: dict[Any, float] = {}  # of each new position
        for score, before in rows:
            judged = guide.evaluate(*boxes_and_zones(squares, [before]))
            deadlocks = judged.push_deadlocks[0].clip(max=MOST_DEADLOCKED)
            likely = np.exp(judged.log_policy[0]) * (1 - deadlocks)
            legal = list(legal_pushes(before))
            total = sum(likely[squares.number[box], direction] for box, direction in legal)
            for box, direction in legal:
                boxes = before.boxes - {box} | {box.neighbour(direction)}
                position = boxes, replace(before, boxes=boxes, player=box).area()
                reached = score + float(np.log(likely[squares.number[box], direction] / total))
                if position not in seen:
                    scores[position] = max(reached, scores.get(position, -np.inf))
        rows = [(row["score"], Board.from_xsb(row["board"])) for row in step["rows"]]
        positions = [(after.boxes, after.area()) for _, after in rows]
        assert len(set(positions)) == len(positions)
        shown = [score for score, _ in rows]
        assert shown == pytest.approx([scores[position] for position in positions], abs=1e-3)
        assert shown == pytest.approx(sorted(scores.values(), reverse=True)[:width], abs=1e-3)
        seen.update(positions)


def legal_pushes(board: Board) -> Iterator[tuple[Square, Direction]]:
    """Of boxes with the player's area behind them and a free square ahead."""
    area = board.area()
    for box in board.boxes:
        for direction in Direction:
            is_behind = box.neighbour(direction.opposite) in area
            if is_behind and board.is_free(box.neighbour(direction)):
                yield box, direction


@pytest.mark.parametrize(
    ("drawing", "status"),
    [("####|#@*#|####", "solved"), ("######|#@$ .#|#$   #|######", "unsolvable")],
)
def test_a_board_that_needs_no_search_is_answered_without_the_policy(
    drawing: str, status: str
) -> None:
    (done,) = watched.beam(Board.from_xsb(drawing), Limits(), width=2)
    assert (done["status"], done["num_evaluated"], done["followed"]) == (status, 0, [])
    assert done["moves"] == ("" if status == "solved" else None)


def test_best_of_equal_pushes_is_asked_first_and_probabilities_sum_to_one() -> None:
    (done,) = events("predict", board=LEVEL)
    probabilities = [push["probability"] for push in done["pushes"]]
    assert probabilities == sorted(probabilities, reverse=True)
    assert sum(probabilities) == pytest.approx(1, abs=0.01)
    assert 0 < done["pushes_left"] < 10
    assert events("predict", board=LOST)[0]["deadlocked"] > 0.5


def test_line_has_a_point_for_the_start_and_each_push() -> None:
    moves = str(tokoban.solve(Board.from_xsb(LEVEL), minimise="pushes").solution)
    *answers, _ = events("predict_line", board=LEVEL, moves=moves)
    pushes = [number for number, letter in enumerate(moves, 1) if letter.isupper()]
    points = [point for answer in answers for point in answer["points"]]
    assert [point["at"] for point in points] == [0, *pushes]
    assert points[-1] == {"at": len(moves), "pushes_left": 0.0, "deadlocked": 0.0}


def test_attention_of_a_square_is_a_distribution_over_the_floor() -> None:
    (done,) = events("attention", board=LEVEL, square=[2, 1])
    for layer in done["weights"]:
        for head in layer:
            assert len(head) == len(done["squares"])
            assert sum(head) == pytest.approx(1, abs=0.01)
    with pytest.raises(ValueError, match="inside the walls"):
        events("attention", board=LEVEL, square=[0, 0])


def test_a_stopped_search_ends_soon_and_says_so_by_a_code() -> None:
    stop = threading.Event()
    stop.set()
    *_, done = watching_jobs.watch({"board": LEVEL}, Context(stop, lambda _: None))
    assert (done["status"], done["reason"]["code"]) == ("gave up", "stopped")


@pytest.mark.parametrize(
    ("kind", "arguments", "message"),
    [
        ("watch", {"board": LEVEL, "width": 99}, "width: expected a number from 1 to 16"),
        ("predict_line", {"board": LEVEL, "moves": "ll"}, "move 1 .l.: wall"),
        ("predict", {"board": "#####\n#@$ #\n#####"}, "cannot come together"),
    ],
)
def test_what_the_client_gets_wrong_is_said(kind: str, arguments: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        events(kind, **arguments)
