"""``tokoban explain``: what is told of games, what --check verifies, and what is refused."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tokoban
from tokoban import cli
from tokoban.cli.explanation import drawn
from tokoban.sokoban import explanation
from tokoban.sokoban.explanation import sentences
from tokoban.sokoban.formats import parse_board
from tokoban.sokoban.proofs.explainer import Deadlocked, explain
from tokoban.sokoban.render import SQUARE_PX
from tokoban.sokoban.search.answer import Answer
from tokoban.sokoban.search.limits import Limits

ROOM = "#######\n#     #\n#@$.  #\n#     #\n#######\n"
PAIR = "#######\n#. $$.#\n#@    #\n#######\n"


@pytest.fixture(autouse=True)
def levels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file ``levels.sok`` in the current folder, whose first level has a saved game."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "levels.sok"
    path.write_text(f"{ROOM}Title: room\n\nSaveGame\nRRR*l\n\n{PAIR}Title: pair\n")
    return path


def explained(*words: str) -> tuple[int, list[dict[str, Any]]]:
    """The status and the objects of ``--json``."""
    status = cli.main(["explain", "levels.sok", "--json", "out.json", *words])
    return status, json.loads(Path("out.json").read_text())


def test_every_start_and_every_saved_game_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    status, found = explained()
    assert status == 0
    assert [(one["index"], one["saved_game"], one["status"]) for one in found] == [
        (1, None, "solvable"),
        (1, 1, "deadlocked"),
        (2, None, "deadlocked"),
    ]
    keys = ["index", "title", "saved_game", "status", "played", "num_moves_solvable", "lurd"]
    assert list(found[0]) == ["schema_version", *keys, "elapsed_s", "certificate"]
    assert [found[0][key] for key in keys] == [1, "room", None, "solvable", "", 0, "R"]
    assert [found[1][key] for key in keys] == [1, "room", 1, "deadlocked", "RRR", 2, None]
    assert found[1]["certificate"]["kind"] == "dead"
    assert found[2]["certificate"]["boxes"] == [[1, 3], [1, 4]]
    printed = capsys.readouterr().out.splitlines()
    assert printed[0].startswith("   1  solvable: ")
    assert printed[0].endswith(" s  room")
    assert printed[1] == "      1 move left: R"
    assert printed[2].startswith("   1  deadlocked by push 3 (move 3, R): ")
    assert printed[2].endswith(" s  saved game 1  room")
    assert printed[3] == "      No pushes bring the box at row 3, column 6 to a goal."
    assert printed[6] == "      #  .@X#"
    assert printed[-6:-4] == [
        "      The 2 boxes at row 2, column 4 and row 2, column 5 are not all on goals, and any "
        "push of one deadlocks it.",
        "      Without any one of them, the others could be brought to goals.",
    ]
    assert printed[-3] == "      #. XX.#"


def test_moves_are_played_and_the_push_that_deadlocked_is_named(
    capsys: pytest.CaptureFixture[str],
) -> None:
    status, found = explained("--level", "1", "--moves", "RlrRRlll")
    assert (status, found[0]["played"], found[0]["num_moves_solvable"]) == (0, "RlrRR", 4)
    assert "deadlocked by push 3 (move 5, R)" in capsys.readouterr().out
    assert explained("--level", "1", "--moves", "RLRRRLLL")[1][0]["played"] == "RlrRR"
    status, found = explained("--level", "1", "--moves", "Rl")
    assert (status, found[0]["played"], found[0]["lurd"]) == (0, "Rl", "")
    assert "solvable after 2 moves" in capsys.readouterr().out
    assert explained("--level", "2", "--moves", "r")[1][0]["played"] == ""
    assert "deadlocked from the start" in capsys.readouterr().out


def test_what_is_written_can_be_verified_and_is_refused_when_changed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    _, found = explained()
    capsys.readouterr()
    assert cli.main(["explain", "--check", "out.json"]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert [line for line in printed if not line.startswith("      ")] == [
        "   2  holds",
        "   3  holds",
    ]
    assert "      #. XX.#" in printed
    assert cli.main(["explain", "levels.sok", "--check", "out.json"]) == 0

    found[1]["played"] = "RR"
    Path("out.json").write_text(json.dumps(found))
    assert cli.main(["explain", "--check", "out.json"]) == 0
    capsys.readouterr()
    assert cli.main(["explain", "levels.sok", "--check", "out.json"]) == 1
    told = "   2  does not hold: on this level of FILE the moves lead to another position"
    assert told in capsys.readouterr().out
    found[1]["played"] = "RX"
    Path("out.json").write_text(json.dumps(found))
    assert cli.main(["explain", "levels.sok", "--check", "out.json"]) == 2
    printed_now = capsys.readouterr()
    assert printed_now.err.startswith("tokoban: out.json: object 2: move 2: 'X' is not one of")
    assert "   3  holds" in printed_now.out

    certificate = found[2]["certificate"]
    certificate["frozen"] = []
    Path("one.json").write_text(json.dumps(certificate))
    assert cli.main(["explain", "--check", "one.json"]) == 1
    told = "   1  does not hold: it proves nothing about its boxes where they stand\n"
    assert capsys.readouterr().out == told


def test_beside_malformed_objects_the_other_certificates_are_checked(
    capsys: pytest.CaptureFixture[str],
) -> None:
    _, found = explained()
    found[1]["certificate"]["board"] = ["#####", "#.$ #", "#####"]
    found[2]["certificate"]["frozen"] = []
    Path("mixed.json").write_text(json.dumps([*found, 3, explained()[1][2]]))
    capsys.readouterr()
    assert cli.main(["explain", "--check", "mixed.json"]) == 2
    told = capsys.readouterr()
    assert [line for line in told.out.splitlines() if not line.startswith("      ")] == [
        "   3  does not hold: it proves nothing about its boxes where they stand",
        "   5  holds",
    ]
    assert told.err.splitlines() == [
        "tokoban: mixed.json: object 2: the board: no player",
        "tokoban: mixed.json: object 4: expected one with a certificate",
    ]


def test_the_picture_frames_the_boxes_in_deadlock() -> None:
    picture = tokoban.explain(parse_board(PAIR)).picture()
    assert picture.shape == (4 * SQUARE_PX, 7 * SQUARE_PX, 3)
    corners = picture[::SQUARE_PX, ::SQUARE_PX]
    framed = [
        tuple(where) for where in np.argwhere((corners == (220, 30, 30)).all(axis=2)).tolist()
    ]
    assert framed == [(1, 3), (1, 4)]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ([], "expected a FILE of levels, or --check and a file of certificates"),
        (["levels.sok", "--moves", "R"], "--moves: there are 2 levels; choose one by --level"),
        (
            ["levels.sok", "--level", "2", "--moves", "ruu"],
            "--moves: move 3 (u): wall at row 1, column 3",
        ),
        (["--check", "out.json", "--moves", "r"], "--moves has no effect with --check"),
        (["--check", "levels.sok"], "levels.sok: no JSON: "),
        (["--check", "none.json"], "none.json: there is no certificate in it"),
        (["--check", "odd.json"], "odd.json: object 1: expected one with a certificate"),
        (["--check", "deep.json"], "deep.json: no JSON: "),
        (["--check", "bad.json"], "bad.json: object 1: a certificate: expected an object with"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(
    words: list[str], complaint: str, refusal: Callable[[int], str]
) -> None:
    Path("none.json").write_text('[{"certificate": null}]')
    Path("odd.json").write_text("[3]")
    Path("deep.json").write_text("[" * 100_000)
    Path("bad.json").write_text("3")
    assert refusal(cli.main(["explain", *words])).startswith(complaint)


def test_invalid_levels_are_reported_and_the_others_explained_and_verified_by_their_numbers(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("levels.sok").write_text(f"####\n#@ #\n####\n\n{PAIR}\n")
    assert cli.main(["explain", "levels.sok", "--json", "out.json"]) == 2
    told = capsys.readouterr()
    assert told.err.startswith("levels.sok:1: level 1")
    assert told.err.endswith("tokoban: 1 of 2 levels is invalid and left out\n")
    found = json.loads(Path("out.json").read_text())
    assert [(one["index"], one["status"]) for one in found] == [(2, "deadlocked")]
    assert cli.main(["explain", "levels.sok", "--check", "out.json"]) == 2
    assert "   1  holds" in capsys.readouterr().out
    assert cli.main(["explain", "levels.sok", "--level", "2", "--json", "out.json"]) == 0


def test_what_is_given_up_is_status_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    given = []

    def give_up(board: object, *, limits: Limits) -> Answer:
        given.append(limits)
        return Answer(status="gave up", solver="astar", reason="7 s", elapsed_s=7.0)

    monkeypatch.setattr(explanation, "explain_position", give_up)
    status, found = explained("--level", "2", "--time-limit", "7")
    assert (status, found[0]["status"], found[0]["certificate"]) == (1, "unknown", None)
    assert given == [Limits(time_limit_s=7.0)]
    assert "neither solved nor proved deadlocked within 7 s" in capsys.readouterr().out


def test_after_ctrl_c_what_is_known_is_written(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[object] = []

    def interrupted(board: Any, **limits: Any) -> Any:
        asked.append(board)
        if len(asked) == 2:
            raise KeyboardInterrupt
        return explain(board, **limits)

    monkeypatch.setattr(explanation, "explain_position", interrupted)
    status, found = explained()
    assert (status, [one["status"] for one in found]) == (130, ["solvable"])
    assert "interrupted after 1 of 3 positions" in capsys.readouterr().err


SENTENCES = {
    "@$..": "There are fewer boxes than goals.",
    "-$.$-|--@--|.----": "The 2 boxes at row 1, column 2 and row 1, column 4 can reach no more "
    "than 1 goal.",
    "-@$-$..|###-###": "The 2 boxes at row 1, column 3 and row 1, column 5 cannot all reach "
    "goals, as a search of 1 position shows.",
}


@pytest.mark.parametrize("drawing", SENTENCES)
def test_every_kind_has_its_sentence(drawing: str) -> None:
    answer = explain(parse_board(drawing))
    assert isinstance(answer, Deadlocked)
    assert sentences(answer.certificate)[0] == SENTENCES[drawing]


def test_boxes_in_deadlock_are_marked_on_goals_too() -> None:
    answer = explain(parse_board("#######|#.-$*-#|#@----#|#######"))
    assert isinstance(answer, Deadlocked)
    assert [row.plain for row in drawn(answer.certificate)][1] == "#. Xx #"
