"""``tokoban evaluate life``: all its figures, the film of a run, and each complaint."""

import json
from pathlib import Path

import pytest
from PIL import Image

from tokoban import cli
from tokoban.training.attention_page import read_attention_page


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A training run of a few steps, with weights kept on the way."""
    path = str(tmp_path_factory.mktemp("runs") / "tiny")
    words = ["--preset", "tiny", "--steps", "6", "--keep-every", "2", "--side", "4"]
    assert cli.main(["train", "life", *words, "--device", "cpu", "--output", path]) == 0
    return path


def _evaluate(run: str, *words: str) -> int:
    return cli.main(["evaluate", "life", "--weights", run, "--device", "cpu", *words])


def test_the_certificate_is_among_the_figures(run: str, tmp_path: Path) -> None:
    out, film = tmp_path / "figures.json", tmp_path / "film.gif"
    words = ["--batches", "3", "--games", "2", "--steps", "5", "--film", str(film)]
    assert _evaluate(run, *words, "--json", str(out)) == 0
    figures = json.loads(out.read_text())
    assert [figures[name] for name in ("cases", "batches", "games", "steps")] == [8192, 3, 2, 5]
    assert figures["perfect_batches"] < 3
    assert figures["wrong_cells"] > 0
    assert 0 < figures["cases_wrong"] <= figures["cases"] - figures["cases_proved"]
    masses = sum(figures[name] for name in ("neighbour_mass", "own_mass", "far_mass"))
    assert masses == pytest.approx(1, abs=1e-5)
    with Image.open(film) as opened:
        assert getattr(opened, "n_frames", 1) == 3


def test_a_film_may_be_a_page_with_a_panel_for_each_of_the_kept_weights(
    run: str, tmp_path: Path
) -> None:
    page = tmp_path / "film.html"
    words = ["--batches", "1", "--games", "1", "--steps", "1", "--film", str(page)]
    assert _evaluate(run, *words) == 0
    assert list(read_attention_page(page)) == ["step 2", "step 4", "step 6"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--games", "-1"], "--games is -1; expected at least 0"),
        (["--seed", "-1"], "--seed is -1; expected at least 0"),
        (["--film", "no/x.gif"], "no/x.gif: no folder to write it into"),
    ],
    ids=str,
)
def test_what_cannot_be_done_is_one_line(
    run: str, words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _evaluate(run, *words) == 2
    assert f"tokoban: {message}" in capsys.readouterr().err


def test_a_run_that_kept_nothing_has_no_film(
    run: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    weights = Path(run) / "weights.safetensors"
    assert _evaluate(str(weights), "--film", str(tmp_path / "x.gif")) == 2
    assert "no kept weights to make a film of" in capsys.readouterr().err
