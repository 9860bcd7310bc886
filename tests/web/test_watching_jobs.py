"""Jobs of the policy: what they show is a game by the rules, and what they say is true."""

import threading
from typing import Any

import numpy as np
import pytest
import torch

import tokoban
from tokoban.decoding.beam import beam_search
from tokoban.sokoban.board import Board
from tokoban.sokoban.formats import lurd
from tokoban.sokoban.search.limits import Limits
from tokoban.systems.push_policy.stepper import PushStepper
from tokoban.web import watched, watching_jobs
from tokoban.web.job import Context
from tokoban.web.opinions import policy, push_on_wire

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


class InTorch:
    """Rows of pushes as ``decoding`` asks for them."""

    device = torch.device("cpu")

    def __init__(self, plays: PushStepper) -> None:
        self.plays = plays

    def log_probs(self) -> torch.Tensor:
        return torch.from_numpy(self.plays.log_probs)

    def keys(self) -> torch.Tensor:
        return torch.from_numpy(self.plays.keys.view(np.int64))

    def successor_keys(self) -> torch.Tensor:
        return torch.from_numpy(self.plays.successor_keys().view(np.int64))

    def advance(self, parents: torch.Tensor | None, actions: torch.Tensor) -> torch.Tensor:
        assert parents is not None
        self.plays.advance(parents.tolist(), actions.tolist())
        return torch.from_numpy(self.plays.is_solved)


@pytest.mark.parametrize("width", [1, 3, 8])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_beam_that_is_shown_is_that_of_decoding(seed: int, width: int) -> None:
    board = tokoban.generate(seed=seed, style="mixed", num_boxes=3)[0].board
    *steps, done = watched.beam(board, Limits(), width=width)
    guide, squares = policy().guide(board)
    beams = beam_search(
        InTorch(PushStepper(guide, squares, board, width=width)),
        num_searches=1, width=width, max_steps=400, merge_equal=True, skip_visited=True,
        stop_at_first=True,
    )  # fmt: skip
    assert bool(beams.is_finished[0, 0]) == (done["status"] == "solved")
    taken = beams.actions[0, 0, : int(beams.lengths[0, 0])].tolist()
    if done["status"] == "solved":
        shown = [step["rows"][row] for step, row in zip(steps, done["followed"], strict=True)]
        expected = [push_on_wire(squares, action) for action in taken]
        assert [{key: row[key] for key in expected[0]} for row in shown] == expected
        assert shown[-1]["score"] == pytest.approx(float(beams.scores_nats[0, 0]), abs=1e-3)


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
