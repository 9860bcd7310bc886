"""``tokoban demo``: its levels are what their file says, and its exit status tells the truth."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

import tokoban
from tokoban import cli
from tokoban.cli import demo
from tokoban.cli.demo import levels_path
from tokoban.sokoban.formats import Level, read_levels
from tokoban.systems.sokoban_policy.policy import Policy

LEVELS = read_levels(levels_path(), strict=True).levels


@pytest.mark.parametrize("level", LEVELS, ids=lambda level: level.title)
def test_each_level_has_a_shortest_solution_or_a_note_that_it_has_none(level) -> None:
    answer = tokoban.solve(level.board, time_limit_s=20.0)
    if not level.solutions:
        assert level.notes == ("This level has no solution.",)
        assert answer.status == "unsolvable"
    else:
        assert answer.optimum == "moves"
        assert answer.solution is not None
        assert [one.num_moves for one in level.solutions] == [answer.solution.num_moves]


def test_all_comes_out_as_promised(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["demo"]) == 0
    shown = capsys.readouterr().out
    assert "\x1b" not in shown
    assert len(re.findall(r"^ +\d+  solved by", shown, re.MULTILINE)) == 9
    assert shown.count("solved by PHS: ") == 3
    assert (
        "10 levels: 9 solved by a policy, 1 unsolvable, as a policy predicted and a search "
        "proved." in shown
    )
    # The picture of the first level comes twice: as it starts, and as it ends.
    start, end = re.findall(r"(?:^[#][# .$@*+]*\n)+", shown.split("2 of 10")[0], re.MULTILINE)
    assert ("$" in start, "*" in end) == (True, True)


def shown_alone(level: Level, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes it the one level of the demonstration."""
    tokoban.write_levels(folder / "one.sok", [level])
    monkeypatch.setattr(demo, "levels_path", lambda: folder / "one.sok")


def test_a_policy_that_fails_is_not_hidden(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ask = Policy.solve
    shown_alone(LEVELS[2], tmp_path, monkeypatch)

    def fail_once(policy, boards, **asked):
        answers = ask(policy, boards, **asked)
        if boards[0] == LEVELS[2].board:
            gave_up = replace(answers[0].answer, status="gave up", solution=None)
            return [answers[0]._replace(answer=gave_up)]
        return answers

    monkeypatch.setattr(Policy, "solve", fail_once)
    assert cli.main(["demo"]) == 1
    assert "1 NOT AS PROMISED" in capsys.readouterr().out


def test_an_unsolvable_level_must_be_called_so_by_the_policy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ask = Policy.solve
    [unsolvable] = (level for level in LEVELS if not level.solutions)
    shown_alone(unsolvable, tmp_path, monkeypatch)

    def hope(policy, boards, **asked):
        [answer] = ask(policy, boards, **asked)
        prediction = answer.prediction and replace(answer.prediction, predicted_unsolvable=0.5)
        return [answer._replace(prediction=prediction)]

    monkeypatch.setattr(Policy, "solve", hope)
    assert cli.main(["demo"]) == 1
    assert "as a policy predicted" not in capsys.readouterr().out
