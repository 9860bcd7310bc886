"""The check of proofs: its plain search, its boards, and that it catches a wrong verdict."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

from benchmarks import unsolvable
from benchmarks.unsolvable import ends_solved, random_boards, spoiled
from tests.sokoban import brute_force
from tests.sokoban.brute_force import Shape, reachable
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.search.answer import Answer

ROOM = parse_board("#######|#     #|# $@. #|# $ . #|#     #|#######".replace("|", "\n"))


def test_the_plain_search_knows_what_every_possible_play_ends_in() -> None:
    verdicts = set()
    for board in brute_force.random_boards(Shape(4, 4, 2, is_closed=True), 8, seed=3):
        verdict, num_positions = ends_solved(board, 10**6)
        after = reachable(board)
        assert verdict == any(later.is_solved for later in after)
        if verdict is False:
            assert num_positions == len({(later.boxes, min(later.area())) for later in after})
        verdicts.add(verdict)
    assert verdicts == {True, False}


def test_a_search_that_is_too_large_is_no_proof() -> None:
    lost = parse_board("########\n#$     #\n#  $   #\n#      #\n#@ . . #\n########")
    assert ends_solved(lost, 10**6)[0] is False
    assert ends_solved(lost, 10)[0] is None


def test_a_spoiled_board_is_one_that_play_leads_to() -> None:
    after = set(reachable(ROOM))
    chance = random.Random(5)
    boards = [spoiled(chance, ROOM, 3) for _ in range(20)]
    assert set(boards) <= after
    assert len({board.boxes for board in boards}) > 10


def test_random_boards_are_the_same_by_seed_and_of_both_kinds() -> None:
    boards = list(random_boards(random.Random(7), unsolvable.SMALL, 20))
    assert boards == list(random_boards(random.Random(7), unsolvable.SMALL, 20))
    verdicts = {ends_solved(board, 1000)[0] for board in boards}
    assert {True, False} <= verdicts


def test_the_rows_add_up(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    levels = tmp_path / "levels.xsb"
    levels.write_text("#######\n#     #\n# $@. #\n# $ . #\n#     #\n#######\n")
    out = tmp_path / "rows.json"
    argv = ["--boards", "3", "--levels", str(levels), "--positions", "1000", "--json", str(out)]
    assert unsolvable.main(argv) == 0
    rows = json.loads(out.read_text())
    assert [row["kind"] for row in rows] == [
        "random, one word",
        "random, larger",
        "levels, spoiled",
    ]
    for row in rows:
        assert row["boards"] == 3 == row["solved"] + row["unsolvable"]
        assert row["unsolvable"] == row["proved_again"] + row["too_large"]
        assert set(row["verdicts"].values()) == {row["unsolvable"]}
    assert len(capsys.readouterr().out.splitlines()) == 3


def test_a_wrong_verdict_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def lie(board: Any, *, time_limit_s: float) -> Answer:
        return Answer(status="unsolvable", solver="lie")

    monkeypatch.setattr(unsolvable, "WAYS", {"lie": lie})
    row = unsolvable.Row("drawn")
    unsolvable.check(row, ROOM, most=10**5)
    assert len(row.wrong) == 1
    assert unsolvable.main(["--boards", "5", "--positions", "1000"]) == 1
