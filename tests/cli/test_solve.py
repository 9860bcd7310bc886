"""``tokoban solve``: who answers, what is promised to scripts, and what is refused."""

import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tokoban import cli
from tokoban.cli import answers, policy, screen
from tokoban.sokoban import formats, solver
from tokoban.sokoban.formats import lurd, parse_board, parse_levels, read_levels

PUSH = "#####\n#@$.#\n#####\n"
LOST = "######\n#@   #\n#  .$#\n######\n"
TWO_BOXES = "########\n#.$@ $.#\n########\n"
TWO_LOST = "########\n#@$.$ .#\n########\n"
DONE = "####\n#@*#\n####\n"


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
    status = cli.main(["solve", file, "--weights", "weights", "--json", "out.json", *words])
    return status, json.loads(Path("out.json").read_text())


def test_the_policy_solves_what_it_can_and_astar_the_rest() -> None:
    status, found = solve()
    assert status == 0
    assert [answer["status"] for answer in found] == ["solved", "unsolvable", "solved", "solved"]
    assert [answer["solver"] for answer in found] == ["beam", "astar", "astar", "beam"]
    assert [answer["lurd"] for answer in found] == ["R", None, "LrrR", ""]


def test_the_objects_have_the_promised_keys_and_figures() -> None:
    _, found = solve()
    keys = ["index", "title", "status", "lurd", "moves", "pushes", "seconds", "solver"]
    predicted = ["predicted_steps_left", "predicted_unsolvable"]
    assert list(found[0]) == keys + predicted
    assert list(found[2]) == keys
    assert [found[2][key] for key in keys[:6]] == [3, "two", "solved", "LrrR", 4, 2]
    assert (found[1]["moves"], found[1]["pushes"]) == (None, None)
    assert all(answer["seconds"] >= 0 for answer in found)
    assert 0 <= found[0]["predicted_unsolvable"] <= 1
    assert found[0]["predicted_steps_left"] >= 0


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
    assert "no plan within 30 moves; policy: " in printed
    assert "does not fit the policy: 2 boxes and 2 goals" in printed


def test_astar_alone_needs_no_policy_and_says_what_it_proved(
    capsys: pytest.CaptureFixture[str],
) -> None:
    write(corridor=PUSH, lost=TWO_LOST)
    status, found = solve("--by", "astar", "--weights", "not asked for")
    assert (status, [answer["status"] for answer in found]) == (0, ["solved", "unsolvable"])
    assert [answer["solver"] for answer in found] == ["astar", "astar"]
    printed = capsys.readouterr().out
    assert "fewest moves" in printed
    assert "2 levels in" in printed
    assert "1 solved (1 by A*), 1 proved unsolvable, 0 given up" in printed


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
    assert "solved by A*: 1 move, 1 push" in printed.err


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


def test_every_problem_of_a_file_is_told_and_nothing_is_solved(
    capsys: pytest.CaptureFixture[str],
) -> None:
    write(good=PUSH, crowded="#####\n#@@ #\n#$. #\n#####\n", hollow="####\n#@ #\n####\n")
    assert cli.main(["solve", "levels.xsb", "--json", "out.json"]) == 2
    told = capsys.readouterr()
    assert [line.split(": ")[0] for line in told.err.splitlines()] == [
        "levels.xsb:9",
        "levels.xsb:16",
    ]
    assert told.out == ""
    assert not Path("out.json").exists()


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--level", "5"], "--level 5: expected 1 to 4"),
        (["--level", "0"], "--level 0: expected 1 to 4"),
        (["--width", "0"], "--width 0: expected 1 to 8192 beams"),
        (["--width", "8193"], "--width 8193: expected 1 to 8192 beams"),
        (["--max-moves", "0"], "--max-moves 0: expected at least 1"),
        (["--max-unsolvable", "1.5"], "--max-unsolvable 1.5: expected a probability, 0 to 1"),
        (["--max-unsolvable", "nan"], "--max-unsolvable nan: expected a probability, 0 to 1"),
        (
            ["--memory-limit", "2", "--weights", "nothing"],
            "--memory-limit 2: expected a size such as 500MB or 2GB",
        ),
        (["--memory-limit", "1 TB"], "--memory-limit 1 TB: expected a size such as 500MB or 2GB"),
        (["--memory-limit", "65MB"], "a memory limit of 65 MB; one level at a time needs 67 MB"),
        (["--time-limit", "0"], "--time-limit 0: expected more than 0 seconds"),
        (["--time-limit", "nan"], "--time-limit nan: expected more than 0 seconds"),
        (["--json", "-", "--output", "-"], "--json and --output are both -; expected two places"),
        (["--json", "no/out.json"], "no/out.json: no folder to write it into"),
        (["--json", "."], ".: a folder, where a file is to be written"),
        (
            ["--level", "1", "--output", "../{folder}/levels.xsb"],
            "--level and --output would leave one level in levels.xsb",
        ),
        (["--weights", "nothing"], "no weights 'nothing'"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(
    words: list[str], complaint: str, levels: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = levels.read_text()
    words = [word.format(folder=Path.cwd().name) for word in words]
    assert cli.main(["solve", "levels.xsb", *words]) == 2
    told = capsys.readouterr()
    assert told.err.startswith(f"tokoban: {complaint}")
    assert told.err.count("\n") == 1
    assert levels.read_text() == before


def test_more_moves_than_the_policy_has_room_for_are_cut_with_a_word(
    capsys: pytest.CaptureFixture[str],
) -> None:
    solve("--max-moves", "47", "--by", "beam")
    told = capsys.readouterr()
    assert "--max-moves 47: the policy has room for 30, which are used" in told.err
    assert "no plan within 30 moves" in told.out
    solve("--max-moves", "30")
    assert capsys.readouterr().err == ""


def test_fewer_moves_bind_the_policy() -> None:
    write(far="#######\n#@$  .#\n#######\n")
    assert solve("--by", "beam", "--max-moves", "3")[1][0]["lurd"] == "RRR"
    assert solve("--by", "beam", "--max-moves", "2")[1][0]["status"] == "gave up"


def test_the_policy_plays_as_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[dict[str, Any]] = []
    by_beam = policy.policy_solve.by_beam

    def listen(model: Any, boards: Any, **options: Any) -> list[Any]:
        asked.append(options)
        return by_beam(model, boards, **options)

    monkeypatch.setattr(policy.policy_solve, "by_beam", listen)
    words = "--width 3 --score both --max-unsolvable 0.75 --max-moves 5 --memory-limit"
    solve("--by", "beam", *words.split(), "0.5 gb", "--precision", "bf16")
    assert asked == [
        {
            "width": 3,
            "score": "both",
            "max_unsolvable": 0.75,
            "max_moves": 5,
            "memory_limit": 500_000_000,
            "precision": "bf16",
        }
    ]


def test_levels_that_a_search_drops_as_unsolvable_are_left_to_astar() -> None:
    # The weights are random; at 0 every board but a solved one is dropped.
    write(near=PUSH, far="#######\n#@$  .#\n#######\n")
    found = solve("--max-unsolvable", "0")[1]
    assert [answer["solver"] for answer in found] == ["beam", "astar"]


def test_the_seconds_of_a_batch_are_shared_out_among_those_that_were_played(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write(one=PUSH, two=TWO_BOXES, three=PUSH)
    ticks = iter([5.0, 12.0])
    monkeypatch.setattr(policy, "time", SimpleNamespace(perf_counter=lambda: next(ticks)))
    assert [answer["seconds"] for answer in solve("--by", "beam")[1]] == [3.5, 0.0, 3.5]


def test_after_ctrl_c_what_is_known_is_written(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[object] = []

    def by_astar(board: object, *, time_limit_s: float) -> answers.Answer:
        if asked:
            raise KeyboardInterrupt
        asked.append(board)
        return answers.Answer("solved", "astar", 0.5, "", "R", optimum="moves")

    monkeypatch.setattr(answers, "by_astar", by_astar)
    status, found = solve("--by", "astar", "--output", "solved.xsb")
    assert (status, [answer["index"] for answer in found]) == (130, [1])
    solved = [bool(level.solutions) for level in read_levels("solved.xsb").levels]
    assert solved == [True, False, False, False]
    assert "interrupted after 1 of 4 levels" in capsys.readouterr().err


def test_levels_that_cannot_be_written_back_are_refused_before_the_work(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(levels: object, *, notes: object) -> str:
        raise ValueError("would be read differently")

    monkeypatch.setattr(formats, "write_levels", refuse)
    assert cli.main(["solve", "levels.xsb", "--by", "astar", "--output", "solved.xsb"]) == 2
    assert capsys.readouterr() == ("", "tokoban: would be read differently\n")


def test_text_for_a_file_is_plain_and_titles_cannot_steer_a_terminal(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("levels.xsb").write_text(f"Title: x\n\n{PUSH}\nTitle: \x1b[31mred\n")
    assert solve()[0] == 0
    printed = capsys.readouterr().out
    assert "\x1b" not in printed
    assert "?[31mred" in printed


def gave_up(limit: str) -> solver.GaveUp:
    return solver.GaveUp(limit, expansions=5, elapsed_s=3.75)


def test_astar_turns_to_the_fewest_pushes_when_half_its_time_is_gone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    limits = {}

    def fake_solve(board: object, *, minimise: str, time_limit_s: float) -> solver.Answer:
        limits[minimise] = time_limit_s
        plan = lurd.parse("R")
        return gave_up("3.5 s") if minimise == "moves" else solver.Solved(plan, 5, 0.125)

    monkeypatch.setattr(solver, "solve", fake_solve)
    answer = answers.by_astar(parse_board(PUSH), time_limit_s=7.0)
    assert (answer.status, answer.lurd, answer.optimum) == ("solved", "R", "pushes")
    assert answer.remark == "fewest pushes; fewest moves not found within 3.5 s"
    assert limits == {"moves": 3.5, "pushes": 3.25}  # what is left of 7 s
    assert answer.elapsed_s == 3.875


def test_astar_says_which_limits_it_hit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solver, "solve", lambda board, **limits: gave_up("2000 MB"))
    answer = answers.by_astar(parse_board(PUSH), time_limit_s=7.0)
    told = "A*: fewest moves not found within 2000 MB, fewest pushes not found within 2000 MB"
    assert (answer.status, answer.remark, answer.lurd) == ("gave up", told, None)


def test_a_level_too_large_for_astar_is_given_up() -> None:
    room = "\n".join(["#" * 67, "#@$." + " " * 62 + "#", *["#" + " " * 65 + "#"] * 63, "#" * 67])
    answer = answers.by_astar(parse_board(room), time_limit_s=7.0)
    assert answer.status == "gave up"
    assert "expected at most 4096 squares of floor" in answer.remark


def test_a_plan_that_solves_nothing_is_never_reported() -> None:
    board = parse_board("######\n#@$ .#\n######\n")
    with pytest.raises(RuntimeError, match="the plan 'R' does not solve"):
        answers.replayed(board, lurd.parse("R"))


def test_a_reader_that_leaves_is_left_to_main(monkeypatch: pytest.MonkeyPatch) -> None:
    def write(text: str) -> int:
        raise BrokenPipeError

    gone = SimpleNamespace(write=write, flush=lambda: None, encoding="utf-8", isatty=lambda: False)
    monkeypatch.setattr(sys, "stdout", gone)
    with pytest.raises(BrokenPipeError):
        screen.Screen().print("text")


@pytest.mark.slow
def test_microban_is_solved_within_ten_seconds_a_level(shared_data: Path) -> None:
    _, found = solve("--by", "astar", file=str(shared_data / "levels" / "Microban.txt"))
    assert len(found) == 155
    solved = [answer for answer in found if answer["status"] == "solved"]
    assert sum(answer["seconds"] <= 10 for answer in solved) >= 150
