"""The job of sentences, run without a server."""

import threading
from typing import Any

import pytest

from tokoban.web import instruction_jobs
from tokoban.web.job import Context

ROOM = "#######\n#  .  #\n#@$ $.#\n#     #\n#######"


def run(**arguments: Any) -> list[dict[str, Any]]:
    """All events."""
    context = Context(stop=threading.Event(), report=lambda event: None)
    return [*instruction_jobs.obey({"board": ROOM, **arguments}, context)]


def test_an_instruction_is_understood_and_obeyed() -> None:
    understood, exact, done = run(text="Schiebe die linke Kiste auf das obere Ziel!")
    assert understood["sentence"] == "bringe die linke Kiste auf das obere Ziel"
    assert understood["names"] == {"boxes": [[2, 2]], "places": [[1, 3]]}
    assert (exact["status"], exact["num_pushes"], exact["optimum"]) == ("solved", 3, "pushes")
    assert done["network"]["num_pushes"] >= 3
    assert 0 <= done["network"]["impossible"] <= 1


def test_a_question_is_answered() -> None:
    for text, answer in (
        ("where is the left box", "row 3 column 4"),
        ("Wo ist die linke Kiste?", "Zeile 3 Spalte 4"),
    ):
        understood, exact, done = run(text=text, moves="R")
        assert understood["names"] == {"boxes": [[2, 3]], "places": []}
        assert exact["answer"] == done["network"]["answer"] == answer


def test_a_solved_level_needs_no_push_of_the_network() -> None:
    *_, done = run(board="#####\n#@* #\n#####", text="do not touch the left box")
    assert done["network"] == {"num_pushes": 0, "impossible": 0.0}


def test_what_cannot_be_done_is_proved_and_what_means_nothing_is_refused() -> None:
    _, exact, done = run(text="do not touch the left box")
    assert (exact["status"], done["network"]["num_pushes"]) == ("unsolvable", None)
    with pytest.raises(ValueError, match='word 3, "blue", is not understood'):
        run(text="push the blue box")
    with pytest.raises(ValueError, match='"the box in the corner" fits no box'):
        run(text="push the box in the corner first")
    with pytest.raises(ValueError) as caught:
        run(text="Schiebe die obere Kiste zuerst.")
    assert caught.value.args[0].values == {"count": 2, "name": "die obere Kiste"}
    with pytest.raises(ValueError) as caught:
        run(text="Schiebe die Kiste in Reihe 1, Spalte 12 zuerst.")
    assert caught.value.args[0].values == {"count": 0, "name": "die Kiste in Zeile 1 Spalte 12"}


def test_of_a_level_too_large_the_network_says_nothing() -> None:
    wide = "###########\n#@$   .   #\n###########"
    *_, exact, done = run(board=wide, text="push the left box last")
    assert (exact["status"], done["network"]) == ("gave up", None)
