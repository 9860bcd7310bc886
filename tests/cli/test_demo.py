"""``tokoban demo``: its levels are what their file says, and its exit status tells the truth."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

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


def gives_up(found: Any) -> Any:
    return found._replace(answer=replace(found.answer, status="gave up", solution=None))


def hopes(found: Any) -> Any:
    prediction = found.prediction and replace(found.prediction, predicted_unsolvable=0.5)
    return found._replace(prediction=prediction)


[UNSOLVABLE] = (level for level in LEVELS if not level.solutions)


@pytest.mark.parametrize(("level", "failing"), [(LEVELS[2], gives_up), (UNSOLVABLE, hopes)])
def test_a_policy_that_fails_is_not_hidden(
    level: Level,
    failing: Callable[[Any], Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    tokoban.write_levels(tmp_path / "one.sok", [level])
    monkeypatch.setattr(demo, "levels_path", lambda: tmp_path / "one.sok")
    ask = Policy.solve
    monkeypatch.setattr(Policy, "solve", lambda *of, **asked: [*map(failing, ask(*of, **asked))])
    assert cli.main(["demo"]) == 1
    assert "1 NOT AS PROMISED" in capsys.readouterr().out
