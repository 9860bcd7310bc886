"""``tokoban solve``: who answers, what is promised to scripts, and what is refused."""

import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent import futures
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from tests.processes import SOON_S, cpu_s, wait_until
from tests.viewing.attention_pages import read_attention_page
from tokoban import cli
from tokoban.cli import found, policies
from tokoban.sokoban import work
from tokoban.sokoban.formats import Solution, parse_board, parse_levels, read_levels
from tokoban.sokoban.search.answer import Answer
from tokoban.sokoban.search.combine import anytime
from tokoban.sokoban.search.limits import Limits
from tokoban.systems.sokoban_policy import solve as policy_solve

PUSH = "#####\n#@$.#\n#####\n"
LOST = "######\n#@   #\n#  .$#\n######\n"
TWO_BOXES = "########\n#.$@ $.#\n########\n"
TWO_LOST = "########\n#@$.$ .#\n########\n"
DONE = "####\n#@*#\n####\n"
# Nobody finds the fewest pushes within a second.
HARD = """
##########
#      ..#
# $.$ $  #
# $.     #
##$  # $ #
#+       #
#.##.    #
# . $ $$ #
#.   #   #
##########
"""
REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def levels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, random_weights: Path) -> Path:
    """A file ``levels.xsb`` in the current folder, with the policy's weights beside it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "weights").symlink_to(random_weights)
    return write(one=PUSH, lost=LOST, two=TWO_BOXES, done=DONE)


def write(**boards: str) -> Path:
    path = Path("levels.xsb")
    path.write_text("\n".join(f"; {title}\n\n{board}" for title, board in boards.items()))
    return path


def solve(*words: str, file: str = "levels.xsb") -> tuple[int, list[dict[str, Any]]]:
    """The status and the objects of ``--json``."""
    uses_policy = {"beam", "rollout", "--attention"} & {*words}
    weights = ["--weights", "weights"] * bool(uses_policy)
    status = cli.main(["solve", file, *weights, "--json", "out.json", *words])
    return status, json.loads(Path("out.json").read_text())


def test_search_answers_unless_a_policy_is_asked_for() -> None:
    status, found = solve()
    assert status == 0
    assert [answer["status"] for answer in found] == ["solved", "unsolvable", "solved", "solved"]
    by = ["bidirectional-bfs", "rules", "bidirectional-bfs", "rules"]
    assert [answer["solver"] for answer in found] == by
    assert [answer["lurd"] for answer in found] == ["R", None, "LrrR", ""]


def test_the_objects_have_the_promised_keys_and_figures() -> None:
    _, found = solve()
    _, played = solve("--by", "beam")
    keys = ["schema_version", "index", "title", "status", "lurd", "moves", "pushes", "seconds"]
    keys += ["elapsed_s"]
    keys += ["solver", "optimum", "expansions", "moves_at_least", "pushes_at_least", "reason"]
    predicted = ["predicted_steps_left", "predicted_unsolvable"]
    assert list(played[0]) == keys + predicted
    assert list(found[2]) == keys
    assert [found[2][key] for key in keys[1:7]] == [3, "two", "solved", "LrrR", 4, 2]
    assert (found[1]["moves"], found[1]["pushes"]) == (None, None)
    assert all(answer["seconds"] >= 0 for answer in found)
    assert 0 <= played[0]["predicted_unsolvable"] <= 1
    assert played[0]["predicted_steps_left"] >= 0


@pytest.mark.parametrize("way", ["beam", "rollout"])
def test_a_network_alone_proves_nothing_and_says_why_it_gives_up(
    way: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status, found = solve("--by", way)
    assert status == 1
    assert [answer["status"] for answer in found] == ["solved", "gave up", "gave up", "solved"]
    assert {answer["solver"] for answer in found} == {way}
    assert found[1]["predicted_unsolvable"] is not None
    assert found[2]["predicted_unsolvable"] is found[2]["predicted_steps_left"] is None
    printed = capsys.readouterr().out
    assert "no solution within 30 moves; policy: " in printed
    assert "does not fit the policy: 2 boxes and 2 goals" in printed


def test_search_alone_needs_no_policy_and_says_what_it_proved(
    capsys: pytest.CaptureFixture[str],
) -> None:
    write(corridor=PUSH, lost=TWO_LOST)
    status, found = solve("--by", "search")
    assert (status, [answer["status"] for answer in found]) == (0, ["solved", "unsolvable"])
    assert [answer["solver"] for answer in found] == ["bidirectional-bfs", "weighted-astar"]
    printed = capsys.readouterr().out
    assert "fewest moves" in printed
    assert "2 levels in" in printed
    assert "1 solved (1 by bidirectional BFS), 1 proved unsolvable, 0 given up" in printed


def test_one_level_can_be_chosen() -> None:
    status, found = solve("--level", "3", "--output", "one.xsb")
    assert (status, [answer["index"] for answer in found]) == (0, [3])
    assert [level.title for level in read_levels("one.xsb").levels] == ["two"]


def test_standard_input_is_read_and_json_on_standard_output_comes_alone(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(PUSH.encode())))
    assert cli.main(["solve", "-", "--by", "astar", "--json", "-"]) == 0
    printed = capsys.readouterr()
    assert [answer["lurd"] for answer in json.loads(printed.out)] == ["R"]
    assert "solved by bidirectional BFS: 1 move, 1 push" in printed.err


def test_the_levels_are_written_with_what_they_had_and_what_was_found() -> None:
    text = f"Author: N. N.\n\n; one\n\n{PUSH}\nmine\nR\n\n; lost\n\n{LOST}\n; two\n\n{TWO_BOXES}"
    text += "\ndetour\nrlLrrR\n"
    Path("levels.xsb").write_text(text)
    assert solve("--output", "solved.xsb")[0] == 0
    file = read_levels("solved.xsb", strict=True)
    assert [level.board for level in file.levels] == [
        level.board for level in parse_levels(text).levels
    ]
    assert [[kept.title for kept in level.solutions] for level in file.levels] == [
        ["mine"],
        [],
        ["detour", "Solution/Moves"],
    ]
    assert file.levels[1].notes == ("This level has no solution.",)
    assert solve("--output", "again.xsb", file="solved.xsb")[0] == 0
    assert Path("again.xsb").read_text() == Path("solved.xsb").read_text()


CROWDED = "#####\n#@@ #\n#$. #\n#####\n"
HOLLOW = "####\n#@ #\n####\n"


def test_invalid_levels_are_reported_and_the_others_are_solved_under_their_numbers(
    capsys: pytest.CaptureFixture[str],
) -> None:
    write(crowded=CROWDED, good=PUSH, hollow=HOLLOW, done=DONE)
    status, found = solve("--by", "search", "--output", "solved.xsb")
    assert (status, [answer["index"] for answer in found]) == (2, [2, 4])
    assert [answer["lurd"] for answer in found] == ["R", ""]
    told = capsys.readouterr()
    assert [line.split(": ")[0] for line in told.err.splitlines()] == [
        "levels.xsb:3",
        "levels.xsb:16",
        "tokoban",
    ]
    assert told.err.endswith("tokoban: 2 of 4 levels are invalid and left out\n")
    assert [level.title for level in read_levels("solved.xsb").levels] == ["good", "done"]
    # In their place the only copy of the others would be lost.
    before = Path("levels.xsb").read_text()
    assert cli.main(["solve", "levels.xsb", "--by", "search", "--output", "levels.xsb"]) == 2
    assert capsys.readouterr().err.endswith("levels.xsb: what could not be read would be lost\n")
    assert Path("levels.xsb").read_text() == before


def test_a_valid_level_beside_invalid_ones_can_be_chosen(
    capsys: pytest.CaptureFixture[str],
) -> None:
    write(crowded=CROWDED, good=PUSH, hollow=HOLLOW)
    status, found = solve("--by", "search", "--level", "2")
    assert (status, [answer["index"] for answer in found]) == (0, [2])
    assert capsys.readouterr().err == ""
    for number, complaint in {
        "3": '--level 3: levels.xsb:16: level 3 "hollow": no box',
        "4": "--level 4: expected 1 to 3",
        "0": "--level 0: expected 1 to 3",
    }.items():
        assert cli.main(["solve", "levels.xsb", "--level", number]) == 2
        assert capsys.readouterr().err == f"tokoban: {complaint}\n"


def test_a_level_with_a_wrong_solution_is_solved_all_the_same(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("levels.xsb").write_text(f"{PUSH}\nSolution\nru\n")
    status, found = solve("--by", "search")
    assert (status, [answer["lurd"] for answer in found]) == (2, ["R"])
    problem, summary = capsys.readouterr().err.splitlines()
    assert problem.startswith("levels.xsb:6: level 1")
    assert summary == "tokoban: 1 problem"


def test_bad_input_beats_what_was_given_up(capsys: pytest.CaptureFixture[str]) -> None:
    write(crowded=CROWDED, two=TWO_BOXES)
    assert cli.main(["solve", "levels.xsb", "--weights", "weights", "--by", "beam"]) == 2
    assert "1 given up" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (
            ["--by", "beam", "--memory-limit", "65MB"],
            "a memory limit of 65 MB; one level at a time needs 67 MB",
        ),
        (["--minimise", "any", "--beam=2"], "--beam has no effect without --by"),
        (["--weights", "sokoban-push"], "--weights has no effect without --by"),
        (
            ["--level", "1", "--output", "../{folder}/levels.xsb"],
            "--level would leave one level in levels.xsb",
        ),
        (["--attention", "a.html"], "--attention shows one level, got 4; --level chooses one"),
        (
            ["--attention", "a.html", "--level", "3"],
            "2 boxes and 2 goals; the policy knows 1 of each; see --weights sokoban-push",
        ),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(
    words: list[str], complaint: str, levels: Path, refusal: Callable[[int], str]
) -> None:
    before = levels.read_text()
    words = [word.format(folder=Path.cwd().name) for word in words]
    assert refusal(cli.main(["solve", "levels.xsb", *words])).startswith(complaint)
    assert levels.read_text() == before


# An option with a value, and the methods that read it.
READ_BY = {
    "--beam=2": ("beam",),
    **dict.fromkeys(["--weights=x", "--device=cpu"], ("beam", "rollout")),
    **dict.fromkeys(["--time-limit=3", "--max-expansions=3", "--threads=2"], ("search",)),
    "--minimise=any": ("search",),
}


@pytest.mark.parametrize("by", ["beam", "rollout", "search"])
def test_options_that_a_method_does_not_read_are_refused(
    by: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for option, readers in READ_BY.items():
        if by not in readers:
            assert cli.main(["solve", "levels.xsb", "--by", by, option]) == 2
            told = f"tokoban: {option.split('=')[0]} has no effect with --by {by}\n"
            assert capsys.readouterr().err == told


@pytest.mark.parametrize("by", ["beam", "search"])
def test_attention_is_shown_along_the_solution_whoever_found_it(by: str) -> None:
    write(corridor="#######\n#@$  .#\n#######\n")
    assert solve("--by", by, "--attention", "a.html")[0] == 0
    ((name, weights),) = read_attention_page("a.html").items()
    assert name == "boards"
    assert weights.shape[2:] == (5, 5)  # the goal, the start and a board for each of three moves
    assert torch.equal(weights, weights.tril())


def test_of_a_level_that_is_not_solved_there_is_nothing_to_show(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert solve("--level", "2", "--attention", "a.html")[0] == 1
    assert "the level is not solved, so there is no attention to show" in capsys.readouterr().err
    assert not Path("a.html").exists()


def test_the_policy_plays_by_its_options(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[policy_solve.Play] = []
    by_beam = policy_solve.by_beam

    def listen(model: Any, boards: Any, play: policy_solve.Play) -> list[Any]:
        asked.append(play)
        return by_beam(model, boards, play)

    monkeypatch.setattr(policy_solve, "by_beam", listen)
    solve("--by", "beam", "--beam", "3", "--memory-limit", "0.5 gb")
    assert asked == [policy_solve.Play(width=3, memory_limit=500_000_000)]


def solved(lurd: str) -> Answer:
    return Answer(status="solved", solver="astar", solution=Solution(lurd))


def test_after_ctrl_c_the_answers_behind_a_long_search_are_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One thread looks for ever, the other answers the rest; then comes Ctrl-C."""

    def search(board: object, *, limits: Limits, **asked: Any) -> Answer:
        if board == parse_board(LOST):
            assert limits.stop is not None
            limits.stop.wait()
            return Answer(status="gave up", solver="astar")
        return solved({PUSH: "R", far: "RR"}.get(f"{board}\n", ""))

    def wait_and_press(waiting: Any, **until: Any) -> Any:
        if until and len(waiting) == 1:  # at the end they are waited for without a limit
            signal.raise_signal(signal.SIGINT)
        return futures.wait(waiting, **until)

    monkeypatch.setattr(anytime, "best_answer", search)
    monkeypatch.setattr(work, "wait", wait_and_press)
    far = "######\n#@$ .#\n######\n"
    write(one=PUSH, lost=LOST, far=far)
    status, found = solve("--by", "search", "--threads", "2", "--output", "solved.xsb")
    assert (status, [answer["index"] for answer in found]) == (130, [1, 2, 3])
    are_solved = [bool(level.solutions) for level in read_levels("solved.xsb").levels]
    assert are_solved == [True, False, True]
    assert [answer["status"] for answer in found] == ["solved", "gave up", "solved"]


def test_after_ctrl_c_the_answers_of_a_policy_to_whole_batches_are_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    by_beam = policy_solve.by_beam

    def play_one(model: Any, boards: Any, play: policy_solve.Play) -> list[Any]:
        monkeypatch.setattr(policy_solve, "by_beam", interrupted)
        return by_beam(model, boards, play)

    def interrupted(*_: Any) -> list[Any]:
        raise KeyboardInterrupt

    monkeypatch.setattr(policies, "_BATCH_LEVELS", 1)
    monkeypatch.setattr(policy_solve, "by_beam", play_one)
    status, found = solve("--by", "beam")
    assert (status, [answer["lurd"] for answer in found]) == (130, ["R"])


def test_ctrl_c_ends_a_long_search_and_says_how_far_it_was() -> None:
    Path("levels.xsb").write_text(f"{PUSH}\n{HARD}")
    command = [sys.executable, "-m", "tokoban", "solve", "levels.xsb", "--by", "search"]
    command += ["--minimise", "pushes", "--time-limit", "600", "--json", "out.json"]
    environment = os.environ | {"PYTHONPATH": str(REPOSITORY), "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as running:
        assert running.stdout is not None and running.stderr is not None
        assert "solved by A*" in running.stdout.readline()
        # Of searching: a busy machine may give it none for a while.
        until_s = cpu_s(running.pid) + 1.0
        assert wait_until(lambda: cpu_s(running.pid) > until_s)
        running.send_signal(signal.SIGINT)
        printed = running.stdout.read()
        assert running.wait(SOON_S) == 130
        assert "interrupted after 1 of 2 levels" in running.stderr.read()
    assert "expansions for fewest pushes (at least " in printed
    found = json.loads(Path("out.json").read_text())
    assert [answer["status"] for answer in found] == ["solved", "gave up"]
    assert found[1]["expansions"] > 0
    assert found[1]["pushes_at_least"] > 0
    assert found[0]["reason"] is None
    assert found[1]["reason"].startswith("stopped after ")
    assert found[1]["moves_at_least"] is None


def test_levels_solved_at_once_are_answered_in_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, Limits]] = []

    def search(board: object, *, minimise: str, limits: Limits, report: object) -> Answer:
        asked.append((minimise, replace(limits, stop=None)))
        if board == parse_board(PUSH):
            time.sleep(0.2)
        return solved("")

    monkeypatch.setattr(anytime, "best_answer", search)
    words = "--minimise any --threads 4 --memory-limit 600MB --max-expansions 17 --time-limit 3"
    status, found = solve(*words.split())
    assert (status, [answer["index"] for answer in found]) == (0, [1, 2, 3, 4])
    limits = Limits(time_limit_s=3, memory_limit_mb=150, max_expansions=17)
    assert asked == [("any", limits)] * 4


def test_levels_that_cannot_be_written_back_are_refused_before_the_work(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(levels: object, *, notes: object) -> str:
        raise ValueError("would be read differently")

    monkeypatch.setattr(found, "write_levels", refuse)
    assert cli.main(["solve", "levels.xsb", "--by", "search", "--output", "solved.xsb"]) == 2
    assert capsys.readouterr() == ("", "tokoban: would be read differently\n")
