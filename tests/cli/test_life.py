"""``tokoban life``: patterns in, grids and counts out, and each complaint in one line."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.viewing.attention_pages import read_attention_page
from tokoban import cli
from tokoban.cli.exit_codes import ExitCode
from tokoban.systems.life import simulate
from tokoban.systems.life.config import LifeConfig
from tokoban.systems.life.rules import parse_rule, step
from tokoban.systems.life.train import build_model
from tokoban.training.checkpoint import save_weights
from tokoban.training.config import to_dict

GLIDER = "x = 3, y = 3, rule = B3/S23\nbo$2bo$3o!\n"
LIFE = parse_rule("B3/S23")


@pytest.fixture
def weights(tmp_path: Path) -> str:
    """Of a network of 16 x 16 that knows nothing."""
    return _saved(LifeConfig(width=5), tmp_path)


def _saved(config: LifeConfig, folder: Path) -> str:
    torch.manual_seed(3)
    path = folder / f"random-{config.side}.safetensors"
    metadata = {"system": "life", "config": json.dumps(to_dict(config))}
    save_weights(path, build_model(config).state_dict(), metadata)
    return str(path)


@pytest.fixture
def is_right(monkeypatch: pytest.MonkeyPatch) -> None:
    """The network's game is the true one."""

    def play(model: Any, start: torch.Tensor, rule: Any) -> Any:
        grids = start
        while True:
            grids = step(grids, rule)
            yield simulate.Generation(grids, grids)

    monkeypatch.setattr(simulate, "play", play)


def _life(weights: str, *words: str) -> int:
    return cli.main(["life", "--weights", weights, "--device", "cpu", *words])


def _glider(tmp_path: Path, text: str = GLIDER) -> str:
    (tmp_path / "glider.rle").write_text(text)
    return str(tmp_path / "glider.rle")


def test_a_glider_comes_home_in_64_steps(
    weights: str, is_right: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pattern = _glider(tmp_path)
    assert _life(weights, "--pattern", pattern, "--steps", "64", "--json", "-") == 0
    home = json.loads(capsys.readouterr().out)
    assert _life(weights, "--pattern", pattern, "--steps", "0", "--json", "-") == 0
    start = json.loads(capsys.readouterr().out)
    assert home == start | {"steps": 64}
    assert home["last_grid"] == ("x = 16, y = 16, rule = B3/S23\n6$7bo$8bo$6b3o!\n")
    assert (home["wrong_cells"], home["first_wrong_step"], home["side"]) == (0, None, 16)


def test_the_last_grid_is_reported_and_a_seed_is_a_grid(
    weights: str, is_right: None, capsys: pytest.CaptureFixture[str]
) -> None:
    def last(*words: str) -> str:
        assert _life(weights, *words, "--json", "-") == 0
        return json.loads(capsys.readouterr().out)["last_grid"]

    start, others = last("--steps", "0"), last("--steps", "0", "--seed", "1")
    assert start == last("--steps", "0", "--seed", "0") != others
    assert start != last("--steps", "1")


def test_a_wrong_game_is_status_1(
    weights: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "game.json"
    assert _life(weights, "--steps", "3", "--seed", "4", "--json", str(out)) == 1
    told = json.loads(out.read_text())
    assert told["wrong_cells"] > 0
    assert told["first_wrong_step"] == 1
    drawn, _, line = capsys.readouterr().out.rstrip("\n").rpartition("\n")
    assert [len(row) for row in drawn.splitlines()] == [16] * 16
    count = told["wrong_cells"]
    assert line == f"3 steps of B3/S23, {count} wrong cells, the first at step 1"


def test_an_interrupted_game_is_reported_as_far_as_it_came(
    weights: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def play(model: Any, start: torch.Tensor, rule: Any) -> Any:
        yield simulate.Generation(start, start)
        raise KeyboardInterrupt

    monkeypatch.setattr(simulate, "play", play)
    out = tmp_path / "game.json"
    assert _life(weights, "--steps", "9", "--json", str(out)) == ExitCode.INTERRUPTED
    assert json.loads(out.read_text())["steps"] == 1


def test_a_page_of_attention_goes_through_the_game(weights: str, tmp_path: Path) -> None:
    assert _life(weights, "--steps", "20", "--attention", str(tmp_path / "x.html")) == 1
    shown = read_attention_page(tmp_path / "x.html")
    steps = [int(name.removeprefix("step ")) for name in shown]
    assert (steps[0], steps[-1], len(steps)) == (0, 20, 12)
    assert {tuple(panel.shape) for panel in shown.values()} == {(1, 1, 256, 256)}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--pattern", "no.rle"], "no.rle: No such file or directory"),
        (["--pattern", "high.rle"], "high.rle is a pattern of B36/S23; "),
        (["--pattern", "bytes.rle"], "bytes.rle: not a text in UTF-8"),
        (
            ["--pattern", "large.rle"],
            "large.rle: expected a pattern of at most 1,048,576 bytes, got more",
        ),
        (["--seed", "0", "--pattern", "x.rle"], "--seed has no effect with --pattern"),
    ],
    ids=str,
)
def test_what_cannot_be_done_is_one_line(
    words: list[str],
    message: str,
    weights: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    refusal: Callable[[int], str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("high.rle").write_text("x = 1, y = 1, rule = B36/S23\no!")
    Path("bytes.rle").write_bytes(b"\xff\xfe")
    Path("large.rle").write_text("x = 1, y = 1\no!" + "\n" * 2**20)
    assert message in refusal(_life(weights, *words))
