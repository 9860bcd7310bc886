"""The jobs of the searches and of making levels, run without a server."""

import base64
import io
import threading
from typing import Any

import pytest
from PIL import Image

import tokoban
from tokoban.web import making_jobs, solving_jobs
from tokoban.web.job import Context

EASY = "######\n#@ $.#\n######"
LOST = "#######\n#. $$.#\n#@    #\n#######"
# More squares than the searches have numbers for.
HUGE = "\n".join(["#" * 200, "#@$." + " " * 195 + "#", *["#" + " " * 198 + "#"] * 200, "#" * 200])
# Eighteen boxes in a hall: nothing is found in a hundredth of a second.
_FULL_ROWS = ["#" + " " * 19 + "#", "# " + "$ " * 9 + "#"] * 2
LARGE = "\n".join(["#" * 21, *_FULL_ROWS, "#@" + " " * 18 + "#", "#" + "." * 18 + " #", "#" * 21])
JOBS = {**vars(solving_jobs), **vars(making_jobs)}


def run(kind: str, **arguments: Any) -> list[dict[str, Any]]:
    """All events of a job."""
    events: list[dict[str, Any]] = []
    context = Context(stop=threading.Event(), report=events.append)
    for event in JOBS[kind](arguments, context):
        events.append(event)
    assert events[-1]["event"] == "done"
    return events


def test_solve_ends_with_its_best_answer() -> None:
    events = [event for event in run("solve", board=EASY) if event.get("event") == "answer"]
    done = run("solve", board=EASY)[-1]
    assert done == {**events[-1], "event": "done", "elapsed_s": done["elapsed_s"]}
    assert (done["status"], done["moves"], done["optimum"], done["at_least_moves"]) == (
        "solved",
        "rR",
        "moves",
        2,
    )


def test_each_search_reports_its_own_lower_bound_with_its_unit() -> None:
    told = [event for event in run("solve", board=LARGE, time_limit_s=0.5) if "event" not in event]
    assert {event["objective"] for event in told if event["at_least"]} <= {"moves", "pushes"}
    for unit in ("moves", "pushes"):
        alone = run("solve", board=LARGE, minimise=unit, time_limit_s=0.2)
        told = [event for event in alone if "event" not in event]
        assert {event["objective"] for event in told} == {unit}
        assert any(event["at_least"] for event in told)


def test_optimise_answers_with_each_shorter_solution() -> None:
    events = run("optimise", board=EASY, solution="rlrlrR")
    assert events[-1]["moves"] == "rR"
    lengths = [event["num_moves"] for event in events if event.get("event") == "answer"]
    assert lengths == sorted(lengths, reverse=True)
    assert lengths[-1] == 2


def test_a_hint_names_the_box_its_destination_and_the_moves() -> None:
    hint = run("hint", board=EASY)[-1]
    assert (hint["box"], hint["push"], hint["destination"], hint["moves"]) == (
        [1, 3],
        "r",
        [1, 4],
        "rR",
    )


def test_a_deadlock_is_explained_by_its_boxes_and_a_certificate() -> None:
    found = run("explain", board=LOST)[-1]
    assert (found["status"], found["boxes"]) == ("deadlocked", [[1, 3], [1, 4]])
    assert found["certificate"]["kind"] == "frozen"


def test_explain_goes_back_to_the_push_that_lost() -> None:
    board = "#######\n#  .  #\n#     #\n#@$   #\n#######"
    with pytest.raises(ValueError, match="move 1"):
        run("explain", board=board, moves="d")
    # The box stands on the lowest row, from which it never comes up: the level is lost already.
    assert run("explain", board=board, moves="R")[-1]["moves"] == ""
    board = "#######\n#  .  #\n#  $@ #\n#     #\n#     #\n#######"
    found = run("explain", board=board, moves="ulDDru")[-1]
    assert (found["status"], found["moves"]) == ("deadlocked", "ulDD")


def test_a_search_that_ends_at_a_limit_names_it_by_code_and_value() -> None:
    reasons = [
        run("solve", board=HUGE)[-1]["reason"],
        run("solve", board=LARGE, minimise="moves", time_limit_s=0.01)[-1]["reason"],
        run("solve", board=LARGE, time_limit_s=0.01)[-1]["reason"],
    ]
    assert [(reason["code"], reason["values"]) for reason in reasons] == [
        ("size", {"squares": 201 * 198, "most": 4096}),
        ("time", {"seconds": 0.01}),
        ("time", {"seconds": 0.01}),  # not the shares of the searches that follow each other
    ]


def test_a_rating_says_by_its_bounds_what_is_proved() -> None:
    [done] = run("rate", board="######\n#    #\n# $ .#\n#@####\n######")
    assert (done["moves"], done["at_least_moves"]) == (3, 3)
    assert (done["pushes"], done["at_least_pushes"]) == (2, 2)
    [lost] = run("rate", board="#####\n#@$ #\n#  .#\n#####")
    assert (lost["status"], lost["moves"], lost["at_least_moves"]) == ("unsolvable", None, None)


def test_generated_levels_have_the_size_asked_for_and_solutions_that_hold() -> None:
    events = run("generate", num_levels=2, rows=7, columns=8, num_boxes=2, seed=5)
    levels = [event["level"] for event in events[:-1]]
    assert events[-1]["num_levels"] == len(levels) == 2
    assert levels[0]["rows"] != levels[1]["rows"]
    for level in levels:
        assert (len(level["rows"]), len(level["rows"][0])) == (7, 8)
        assert sum(row.count("$") + row.count("*") for row in level["rows"]) == 2
        board = tokoban.Board.from_xsb("\n".join(level["rows"]))
        assert tokoban.verify(board, level["solutions"][0])


def test_a_long_animation_skips_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(making_jobs, "_MAX_FRAMES", 5)
    film = base64.b64decode(run("animation", board=EASY, moves="rl" * 20)[-1]["gif"])
    with Image.open(io.BytesIO(film)) as picture:
        assert picture.n_frames == 5  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("kind", "arguments", "message"),
    [
        ("solve", {}, "board: expected a text"),
        ("solve", {"board": ["#"]}, "board: expected a text"),
        ("solve", {"board": "#" * 1000}, "larger than 512x512"),
        ("solve", {"board": "#" * 600_000}, "board: 600,000 characters; expected at most"),
        ("solve", {"board": "#####"}, "no player"),
        ("solve", {"board": EASY, "moves": "u"}, "moves: move 1"),
        ("solve", {"board": EASY, "minimise": "steps"}, "minimise: expected one of"),
        ("solve", {"board": EASY, "time_limit_s": 1e9}, "time_limit_s: expected a number from"),
        ("solve", {"board": EASY, "time_limit_s": True}, "time_limit_s: expected a number from"),
        ("solve", {"board": EASY, "time_limit_s": float("nan")}, "time_limit_s: expected"),
        ("optimise", {"board": EASY, "solution": "r"}, "not solve"),
        ("optimise", {"board": HUGE, "solution": "R"}, "expected at most 4096 squares of floor"),
        ("generate", {"num_levels": 10**6}, "num_levels: expected a number from 1 to 100"),
        ("generate", {"rows": 1.5}, "rows: expected a whole number"),
        ("generate", {"rows": 5, "columns": 5, "num_boxes": 9}, "9 boxes; expected"),
        ("animation", {"board": EASY, "moves": "xx"}, "'x'"),
    ],
)
def test_wrong_arguments_are_told_in_a_sentence(
    kind: str, arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        run(kind, **arguments)
