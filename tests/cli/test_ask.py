"""``tokoban ask`` and ``tokoban.ask``: exact answers, a network's, and what is no question."""

import json
import threading
from pathlib import Path

import pytest

import tokoban
from tokoban import cli

ROOM = "#######|#  .  #|#@$ $.#|#     #|#######"
WIDE = "###########|#@$      .#|###########"


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "levels.xsb"
    path.write_text("\n\n".join(board.replace("|", "\n") for board in (ROOM, WIDE, ROOM)))
    return str(path)


def test_each_level_has_its_answer(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["ask", file, "how many pushes are left"]) == 1
    out, err = capsys.readouterr()
    exact = tokoban.ask(tokoban.Board.from_xsb(ROOM), "how many pushes are left")
    assert out.splitlines() == [f"   1  {exact}", f"   3  {exact}"]
    assert "tokoban: level 2: no answer: too large: a floor of 1x9 squares" in err
    assert cli.main(["ask", file, "how many pushes are left", "--level", "3"]) == 0
    assert capsys.readouterr().out.splitlines() == [f"   3  {exact}"]
    in_german = tokoban.ask(tokoban.Board.from_xsb(ROOM), "Wo steht die linke Kiste?")
    assert in_german == "Zeile 3 Spalte 3"


def test_a_question_in_front_of_its_file_is_said_to_be_no_file(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["ask", "how many pushes are left", file]) == 2
    assert capsys.readouterr().err.startswith("tokoban: how many pushes are left: No such file")


@pytest.mark.parametrize("question", ["how many pushes are left", "is the left box deadlocked"])
def test_limits_end_the_work_for_an_answer(
    question: str, file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["ask", file, question, "--level", "1"]
    for limit, said in (
        (["--time-limit", "1e-9"], "1e-09 s"),
        (["--memory-limit", "0.01MB"], "0.01 MB"),
    ):
        assert cli.main([*command, *limit]) == 1
        out, err = capsys.readouterr()
        assert out == "" and "tokoban: level 1: no answer: " in err and said in err
    stop = threading.Event()
    stop.set()
    with pytest.raises(ValueError, match="no answer: stopped"):
        tokoban.ask(tokoban.Board.from_xsb(ROOM), question, stop=stop)


def test_a_name_that_means_nothing_on_a_level_is_named(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["ask", file, "is the box in the corner deadlocked"]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count('"the box in the corner" fits no box') == 3


def test_a_network_answers_too(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    question = "how many boxes are on goals"
    assert cli.main(["ask", file, question, "--level", "1", "--by", "policy"]) == 0
    reader = tokoban.load("sokoban-instructions")
    answer = tokoban.ask(tokoban.Board.from_xsb(ROOM), question, policy=reader)
    assert capsys.readouterr().out == f"   1  {answer}\n" == "   1  0\n"
    with pytest.raises(ValueError, match="of the system 'push'; expected 'instructions'"):
        tokoban.ask(tokoban.Board.from_xsb(ROOM), question, policy=tokoban.load("sokoban-push"))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["push the left box last"], "the sentence is an instruction, as `tokoban solve` and"),
        (["how many wolves are left"], 'word 3, "wolves", is not understood'),
        (
            ["how many pushes are left", "--weights", "x"],
            "--weights has no effect with --by search",
        ),
        (
            ["how many pushes are left", "--by", "policy", "--time-limit", "3"],
            "--time-limit has no effect with --by policy",
        ),
    ],
)
def test_what_is_no_question_is_refused_once(
    words: list[str], said: str, file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["ask", file, *words]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("tokoban:")) == ("", 1) and said in err


def test_answers_are_written_as_json(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["ask", file, "how many boxes are on goals", "--json", "-"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [(each["index"], each["answer"]) for each in found] == [(1, "0"), (2, "0"), (3, "0")]
    assert cli.main(["ask", file, "how many pushes are left", "--jsonl", "-"]) == 1
    out, err = capsys.readouterr()
    assert [json.loads(line)["answer"] for line in out.splitlines()] == ["3", None, "3"]
    assert "level 2: no answer: too large" in err
