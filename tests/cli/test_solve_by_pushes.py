"""``tokoban solve --by policy``: the push policy alone, on any board that fits it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tokoban
from tests.viewing.attention_pages import read_attention_page
from tokoban import cli
from tokoban.sokoban.formats import parse_board

LEVELS = {
    "solvable": "#######|#.  $ #|#@ $ .#|#     #|#######",
    "unsolvable": "#######|#. $. #|#@##$ #|#  #  #|#######",
    "hopeless": "#######|#. $$.#|#@    #|#######",
}
TOO_LARGE = "\n".join(["#" * 35, "#@$.".ljust(34) + "#", *["#" + " " * 33 + "#"] * 32, "#" * 35])


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, random_push_weights: Path) -> None:
    """The levels and the weights, in a folder of their own."""
    monkeypatch.chdir(tmp_path)
    rows = (f"; {name}\n\n{drawn.replace('|', chr(10))}\n" for name, drawn in LEVELS.items())
    Path("levels.xsb").write_text("\n".join(rows))
    Path("push.safetensors").symlink_to(random_push_weights)


def solve(*words: str) -> tuple[int, list[dict[str, Any]]]:
    given = ["solve", "levels.xsb", "--by", "policy", "--weights", "push.safetensors", *words]
    status = cli.main([*given, "--json", "out.json"])
    return status, json.loads(Path("out.json").read_text())


def test_it_solves_proves_and_says_how_many_positions_it_evaluated() -> None:
    status, found = solve()
    assert (status, [answer["status"] for answer in found]) == (
        0,
        ["solved", "unsolvable", "unsolvable"],
    )
    assert tokoban.verify(parse_board(LEVELS["solvable"]), found[0]["lurd"])
    assert [answer["solver"] for answer in found] == ["phs", "phs", "rules"]
    assert 0 < found[0]["evaluated"] <= found[0]["expansions"]
    for answer in found[:2]:
        assert 0 <= answer["predicted_unsolvable"] <= 1
        assert answer["predicted_pushes_left"] >= 0


def test_a_limit_ends_it() -> None:
    status, found = solve("--max-expansions", "1")
    assert (status, found[0]["status"], found[0]["expansions"]) == (1, "gave up", 1)


def test_a_level_that_is_too_large_is_given_up_in_a_sentence(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("levels.xsb").write_text(TOO_LARGE + "\n")
    status, [answer] = solve()
    assert (status, answer["status"], answer["predicted_unsolvable"]) == (1, "gave up", None)
    told = capsys.readouterr().out
    assert (
        "does not fit the policy: the level has 1,089 squares that the player could reach; the "
        "network reads at most 1,024" in " ".join(told.split())
    )


def test_attention_is_shown_before_the_first_push_and_after_each() -> None:
    assert solve("--level", "1", "--attention", "a.html")[0] == 0
    pushes = json.loads(Path("out.json").read_text())[0]["pushes"]
    page = read_attention_page("a.html")
    later = (f"after {number} pushes" for number in range(2, pushes + 1))
    assert list(page) == ["start", "after 1 push", *later]
    for weights in page.values():
        assert weights.shape[2:] == (35, 35)
        sums = weights.sum(-1)
        is_floor = sums[0, 0] > 0
        assert int(is_floor.sum()) == 15
        assert (sums[:, :, is_floor] - 1).abs().max() < 0.02


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--beam", "3"], "--beam has no effect with a push policy"),
        (["--attention", "a.html"], "--attention shows one level, got 3"),
        (["--weights", "life-16"], "of the system 'life'; expected 'sokoban' or 'push'"),
    ],
)
def test_options_and_weights_of_others_are_refused(
    words: list[str], complaint: str, refusal: Callable[[int], str]
) -> None:
    given = ["solve", "levels.xsb", "--by", "policy", "--weights", "push.safetensors"]
    assert complaint in refusal(cli.main([*given, *words]))


def test_with_a_policy_of_moves_it_is_its_beam_search(random_weights: Path) -> None:
    Path("levels.xsb").write_text("######\n#@$ .#\n######\n")
    _, [answer] = solve("--weights", str(random_weights), "--beam", "3")
    assert (answer["status"], answer["solver"], answer["lurd"]) == ("solved", "beam", "RR")


def test_a_hint_and_a_prediction_come_from_it(random_push_weights: Path) -> None:
    policy = tokoban.load(str(random_push_weights))
    board = parse_board(LEVELS["solvable"])
    hint = tokoban.hint(board, policy=policy)
    assert (hint.status, hint.solver) == ("solved", "phs")
    assert tokoban.predict(board, policy=policy).status == "predicted"
    solved = parse_board("#####|#@ *#|#####")
    assert str(tokoban.predict(solved, policy=policy)) == "The position is solved."
    immovable = parse_board("#####|#@.$#|#####")
    assert tokoban.predict(immovable, policy=policy).deadlock_probability == 1.0
    assert str(tokoban.predict(immovable, policy=policy)) == "No push is legal."
    stuck = tokoban.predict(parse_board("#####|#@$ #|# . #|#####"), policy=policy)
    assert stuck.pushes_left is None
    assert str(stuck) == (
        "Push the box at row 2, column 3 to row 2, column 4; deadlocked with a probability of 100% "
        "(a prediction)."
    )
