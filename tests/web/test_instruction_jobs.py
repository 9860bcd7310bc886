"""The job of sentences, run without a server."""

import threading
from typing import Any

import pytest

from tokoban.sokoban.search.limits import Limits
from tokoban.systems.instructions import obey
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


@pytest.mark.parametrize(
    ("text", "code", "values"),
    [
        (
            "Schiebe die linke Kiste auf das linke Ziel.",
            "named-goals",
            {"count": 2, "name": "das linke Ziel"},
        ),
        (
            "Schiebe die linke Kiste auf das Ziel in Zeile 1 Spalte 2.",
            "named-place",
            {"name": "das Ziel in Zeile 1 Spalte 2"},
        ),
        ("Betritt nie die linke Hälfte.", "named-place", {"name": "die linke Hälfte"}),
        (
            "Schiebe die linke Kiste vor der rechten Kiste.",
            "named-twice",
            {"name": "die linke Kiste", "other": "die rechte Kiste"},
        ),
    ],
)
def test_a_refusal_has_a_code_and_its_names_in_the_language_of_the_sentence(
    text: str, code: str, values: dict[str, object]
) -> None:
    shaft = "###\n#.#\n#$#\n#@#\n#.#\n###"
    with pytest.raises(ValueError) as caught:
        run(board=shaft, text=text)
    fault = caught.value.args[0]
    assert (fault.code, fault.values) == (code, values)


def test_the_network_has_the_time_that_the_exact_answer_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given: list[Limits] = []

    def answer(model: object, board: object, text: str, limits: Limits) -> tuple[None, None]:
        given.append(limits)
        return None, None

    monkeypatch.setattr(obey, "answer", answer)
    run(text="push the left box last", time_limit_s=5)
    [limits] = given
    assert limits.time_limit_s is not None
    assert 0 < limits.time_limit_s < 5


def test_of_a_level_too_large_the_network_says_nothing() -> None:
    wide = "###########\n#@$   .   #\n###########"
    *_, exact, done = run(board=wide, text="push the left box last")
    assert (exact["status"], done["network"]) == ("gave up", None)
