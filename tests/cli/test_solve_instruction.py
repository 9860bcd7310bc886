"""``tokoban solve --instruction`` and ``tokoban.solve(instruction=...)``: three exits."""

import json
from pathlib import Path

import pytest

import tokoban
from tokoban import cli

ROOM = "#######|#  .  #|#@$ $.#|#     #|#######"
CORRIDOR = "#####|#@$.#|#####"
WIDE = "###########|#@$      .#|###########"


@pytest.mark.parametrize(
    ("boards", "sentence", "status", "said"),
    [
        ([ROOM], "push the left box last", 0, "solved by exact search: 10 moves, 3 pushes"),
        ([ROOM], "Schiebe die linke Kiste zuletzt.", 0, "fewest pushes"),
        ([ROOM], "do not touch the left box", 1, "the level has solutions, but none obeys: 36"),
        ([ROOM], "do not touch the left box", 1, "0 solved, 1 proved impossible, 0 given up"),
        (["#####|#@ $#|#. ##|#####"], "push the left box first", 1, "the level has no solution"),
        ([WIDE], "push the left box first", 1, "too large: a floor of 1x9 squares"),
        ([ROOM], "push the blue box", 2, 'word 3, "blue", is not understood; expected left'),
        ([ROOM], "how many pushes are left", 2, "expected an instruction"),
        (
            [CORRIDOR, ROOM],
            "push the right box after the left box",
            2,
            'level 1: "the right box" and',
        ),
        ([CORRIDOR, ROOM], "push the right box after the left box", 2, "5 moves, 3 pushes"),
    ],
)
def test_an_instruction_is_obeyed_or_refuted_or_not_understood(
    boards: list[str],
    sentence: str,
    status: int,
    said: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = tmp_path / "levels.xsb"
    file.write_text("\n\n".join(board.replace("|", "\n") for board in boards) + "\n")
    assert cli.main(["solve", str(file), "--instruction", sentence]) == status
    assert said in "".join(capsys.readouterr())


def test_what_an_instruction_does_not_read_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for option in ("--minimise moves", "--beam 4", "--folder out", "--threads 2"):
        words = ["solve", "x.xsb", "--instruction", "push the left box last", *option.split()]
        assert cli.main(words) == 2
        refused = f"tokoban: {option.split()[0]} has no effect with --instruction\n"
        assert capsys.readouterr().err == refused


def test_a_level_that_the_sentence_does_not_fit_is_named_and_the_others_are_answered(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, found = tmp_path / "levels.xsb", tmp_path / "found.json"
    file.write_text("#######\n#.$@$.#\n#######\n\n######\n#@$ .#\n######\n")
    words = ["solve", str(file), "--json", str(found), "--output", str(tmp_path / "found.sok")]
    assert cli.main([*words, "--instruction", "push the nearest box last"]) == 2
    said = capsys.readouterr()
    assert said.err == 'tokoban: level 1: "the nearest box" fits 2 boxes; expected exactly one\n'
    assert said.out.startswith("understood: push the nearest box last\n")
    assert "1 level in" in said.out and "1 solved" in said.out
    assert said.out.endswith("0 given up; the sentence does not fit 1 other level\n")
    assert [level["index"] for level in json.loads(found.read_text())] == [2]
    none, one = tokoban.read_levels(tmp_path / "found.sok").levels
    assert not none.solutions and [each.num_pushes for each in one.solutions] == [2]
    assert [each.title for each in one.solutions] == ["Solution"]  # not the level's best


def test_that_nothing_obeys_is_not_written_of_the_level(tmp_path: Path) -> None:
    file, out = tmp_path / "room.xsb", tmp_path / "found.sok"
    file.write_text(ROOM.replace("|", "\n"))
    words = ["solve", str(file), "--instruction", "do not touch the left box"]
    assert cli.main([*words, "--output", str(out)]) == 1
    [level] = tokoban.read_levels(out).levels
    assert not level.notes and not level.solutions


def test_the_answer_to_an_instruction_is_as_any_other() -> None:
    board = tokoban.Board.from_xsb(ROOM)
    answer = tokoban.solve(board, instruction="push the left box last")
    assert (answer.status, answer.optimum, answer.at_least_pushes) == ("solved", "pushes", 3)
    assert answer.solution is not None and tokoban.verify(board, answer.solution)
    with pytest.raises(ValueError, match='word 2, "a", does not fit here; expected the'):
        tokoban.solve(board, instruction="push a box")


def test_boxes_that_nobody_reaches_decide_as_in_every_search(tmp_path: Path) -> None:
    for drawing, status in (
        ("*#####|##@$.#|-#####", "solved"),
        ("$#####|.#@$.#|-#####", "unsolvable"),
    ):
        board = tokoban.Board.from_xsb(drawing)
        assert tokoban.solve(board, instruction="push the left box last").status == status


@pytest.mark.usefixtures("small_drawings")
def test_a_network_that_reads_plays_and_its_plays_are_checked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, found = tmp_path / "levels.xsb", tmp_path / "found.json"
    file.write_text(ROOM.replace("|", "\n") + "\n")
    run = str(tmp_path / "run")
    assert cli.main(f"train instructions --preset tiny --steps 1 --output {run}".split()) == 0
    words = ["solve", str(file), "--by", "policy", "--json", str(found), "--instruction"]
    obedient = [*words, "push the left box first", "--weights", run, "--max-expansions"]
    assert cli.main([*obedient, "5000"]) == 0
    [answer] = json.loads(found.read_text())
    assert (answer["status"], answer["solver"], answer["optimum"]) == ("solved", "network", None)
    assert 0 < answer["evaluated"] <= 5000 and 0 <= answer["predicted_unsolvable"] <= 1
    assert tokoban.verify(tokoban.Board.from_xsb(ROOM), answer["lurd"])
    capsys.readouterr()
    assert cli.main([*obedient, "1"]) == 1  # it gives up, and proves nothing
    assert "not within 1 position" in capsys.readouterr().out
    assert cli.main([*words, "push the left box last"]) == 0  # by the weights that ship
    [answer] = json.loads(found.read_text())
    assert answer["status"] == "solved"
    board, policy = tokoban.Board.from_xsb(ROOM), tokoban.load("sokoban-instructions")
    same = tokoban.solve(board, instruction="push the left box last", policy=policy)
    assert (same.solver, str(same.solution)) == ("network", answer["lurd"])
    with pytest.raises(ValueError, match="time_limit_s is -1; expected 0 or more"):
        tokoban.solve(board, instruction="push the left box last", time_limit_s=-1)
    tried = tokoban.solve(
        board, instruction="push the left box last", policy=policy, max_expansions=1
    )
    assert (tried.status, tried.num_evaluated) == ("gave up", 1)
    wide = tokoban.Board.from_xsb(WIDE)
    large = tokoban.solve(wide, instruction="push the left box last", policy=policy)
    assert (large.status, large.reason) == (
        "gave up",
        "too large: a floor of 1x9 squares; expected at most 8x8",
    )


def test_without_a_judged_position_there_is_no_attention_and_that_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, page = tmp_path / "levels.xsb", tmp_path / "page.html"
    file.write_text(WIDE.replace("|", "\n") + "\n")
    words = ["solve", str(file), "--by", "policy", "--attention", str(page)]
    assert cli.main([*words, "--instruction", "push the left box last"]) == 1
    told = "the network judged no position, so there is no attention to show"
    assert capsys.readouterr().err == f"tokoban: level 1: {told}\n"
    assert not page.exists()


def test_a_solution_is_verified_as_a_sentence_says() -> None:
    board, left_first = tokoban.Board.from_xsb(ROOM), "RdrUR"
    for instruction, obeys in (
        ("push the left box first", True),
        ("schiebe die linke Kiste zuletzt", False),
        ("first the right box, then the left box", False),
    ):
        assert tokoban.verify(board, left_first, instruction=instruction) == obeys
        answer = tokoban.solve(board, instruction=instruction)
        assert answer.solution is not None
        assert tokoban.verify(board, answer.solution, instruction=instruction)
        assert not tokoban.verify(board, left_first[:-1], instruction=instruction)
        assert not tokoban.verify(board, "hello", instruction=instruction)
    with pytest.raises(ValueError, match='word 3, "blue", is not understood'):
        tokoban.verify(board, left_first, instruction="push the blue box")
