"""``tokoban evaluate life``: all its metrics, the film of a run, and each complaint."""

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from PIL import Image

from tokoban import cli
from tokoban.systems.life import config, evaluate
from tokoban.systems.life.certificate import Certificate, Proof
from tokoban.systems.life.rules import parse_rule
from tokoban.systems.life.spec import SPEC
from tokoban.systems.life.train import build_model, make_system
from tokoban.training.config import to_dict
from tokoban.training.loop import fit
from tokoban.training.run_directory import RunDirectory


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
    out, film = tmp_path / "metrics.json", tmp_path / "film.gif"
    words = ["--batches", "3", "--games", "2", "--steps", "5", "--film", str(film)]
    assert _evaluate(run, *words, "--json", str(out)) == 0
    metrics = json.loads(out.read_text())
    assert [metrics[name] for name in ("cases", "batches", "games", "steps")] == [8192, 3, 2, 5]
    assert metrics["batches_before_error"] < 3
    assert metrics["wrong_cells"] > 0
    assert 0 < metrics["cases_wrong"] <= metrics["cases"] - metrics["cases_proved"]
    assert metrics["cases_proved"] <= metrics["cases_proved_exactly"] <= metrics["cases"]
    least, exactly = metrics["least_proved_margin"], metrics["least_margin_proved_exactly"]
    assert least <= exactly <= metrics["least_margin"]
    assert least <= metrics["least_attacked_margin"]
    assert metrics["cases_proved"] + metrics["cases_refuted"] <= metrics["cases"]
    assert exactly - least <= metrics["largest_rounding_error"] + 1e-3 * abs(least)
    masses = sum(metrics[name] for name in ("neighbour_mass", "own_mass", "far_mass"))
    assert masses == pytest.approx(1, abs=1e-5)
    with Image.open(film) as opened:
        assert getattr(opened, "n_frames", 1) == 3


def test_weights_kept_on_the_way_are_evaluated_alone(run: str, tmp_path: Path) -> None:
    out, last = tmp_path / "metrics.json", f"{run}/kept/step-0000000006.safetensors"
    metrics = []
    for weights in (run, last):
        assert _evaluate(weights, "--batches", "1", "--games", "1", "--json", str(out)) == 0
        metrics.append(json.loads(out.read_text()))
        assert metrics[-1].pop("weights") == weights
    assert metrics[0] == metrics[1]


def test_surroundings_are_full_empty_and_all_between(
    run: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Sequence[float | None]] = []

    def certify(*_: Any, densities: Sequence[float | None], **__: Any) -> Certificate:
        asked.append(densities)
        return Certificate(1, 0, 1.0, 0, 1.0, 1, 1.0, 1, 1.0, 0.0)

    monkeypatch.setattr(evaluate, "certify", certify)
    assert _evaluate(run, "--batches", "0", "--games", "0") == 0
    assert {None, 0.0, 0.5, 1.0} <= set(asked[0])


@pytest.mark.parametrize(
    ("bound", "printed"),
    [
        (1.29503, "1.295"),
        (1.29599, "1.295"),
        (123.456, "123.4"),
        (-0.0204651, "-0.02047"),
        (math.nextafter(2, 1), "1.999"),
        (2.0, "2.0"),
        (-math.inf, "-inf"),
    ],
)
def test_bounds_are_rounded_down(bound: float, printed: str) -> None:
    assert str(evaluate.rounded_down(bound)) == printed


@pytest.mark.parametrize(
    ("least", "share"), [((1.0, 3.0), 1.0), ((2.0, 0.999), 0.5), ((0.999, 2.0), 0.0)], ids=str
)
def test_the_proved_share_ends_before_the_first_margin_that_is_not_safe(
    least: tuple[float, float], share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A torus of 3 x 3 has 9 * 512 cases, here in two parts."""
    model = build_model(config.LifeConfig(side=3, width=4))
    rule = parse_rule("B3/S23")
    parts = [torch.full((9 * 256,), 9.0) for _ in least]
    for part, margin in zip(parts, least, strict=True):
        part[7] = margin
    monkeypatch.setattr(
        evaluate, "margins", lambda *_, **__: ((part, Proof(*[part] * 4)) for part in parts)
    )
    assert evaluate.proved_share(model, rule) == share


@pytest.mark.slow
def test_a_run_ends_when_every_case_is_proved(tmp_path: Path) -> None:
    chosen = replace(config.life16(), side=6, batch_grids=64)
    run = replace(SPEC.presets["life16"].run, device="cpu")
    metrics = fit(
        make_system(chosen), run, RunDirectory(tmp_path, system="life", config=to_dict(chosen))
    )
    assert metrics["steps"] < 1000
    assert metrics["proved_share"] == metrics["share_before_error"] == 1
