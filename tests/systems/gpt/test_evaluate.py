"""The metrics: every token predicted once, and both losses by hand."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.nn import functional

from tests.systems.gpt.models import random_gpt
from tokoban.systems.gpt import evaluate as measuring
from tokoban.systems.gpt.config import GptConfig
from tokoban.systems.gpt.dataset import all_windows
from tokoban.systems.gpt.evaluate import GptEvaluation, evaluate, evaluate_text
from tokoban.systems.gpt.model import Gpt
from tokoban.systems.gpt.train import make_system
from tokoban.training.config import to_dict
from tokoban.training.loop import fit
from tokoban.training.run_config import RunConfig
from tokoban.training.run_directory import RunDirectory
from tokoban.training.spec import Trained

TEXT = torch.arange(103) * 7 % 12


@pytest.mark.parametrize("length", [2, 23, 24, 25, 47, 103])
def test_windows_side_by_side_predict_every_token_but_the_first_once(length: int) -> None:
    places = torch.arange(length)
    batches = list(all_windows(places, 23, batch_size=2))
    targets = torch.cat([batch.targets.flatten() for batch in batches])
    assert targets.tolist() == places[1:].tolist()
    for batch in batches:
        assert torch.equal(batch.targets, batch.tokens + 1)


def test_the_loss_of_a_text_is_the_mean_over_its_windows_targets() -> None:
    model = random_gpt()
    nats = 0.0
    for start in range(0, 102, 23):
        window = TEXT[start : start + 24]
        logits = model(window[None, :-1])[0]
        nats += functional.cross_entropy(logits, window[1:], reduction="sum").item()
    metrics = evaluate_text(model, TEXT)
    assert metrics["predictions"] == 102
    assert metrics["validation_nats"] == pytest.approx(nats / 102)


def test_the_estimate_is_the_mean_over_random_batches_of_windows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(measuring, "NUM_ESTIMATE_BATCHES", 31)
    model = random_gpt(context_length=5)
    windows = TEXT.unfold(0, 6, 1)
    logits = model(windows[:, :-1]).transpose(1, 2)
    losses = functional.cross_entropy(logits, windows[:, 1:], reduction="none").mean(1)
    found = evaluate_text(model, TEXT)["estimate_nats"]
    standard_error = losses.std().item() / math.sqrt(31 * 12)
    assert found == pytest.approx(losses.mean().item(), abs=4 * standard_error)
    assert standard_error < 0.1


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, GptConfig]:
    """The folder of a run of three steps on a text, and its config."""
    tmp_path = tmp_path_factory.mktemp("gpt")
    (tmp_path / "text.txt").write_text("abba cadabra " * 17)
    config = GptConfig(
        num_layers=1,
        width=16,
        context_length=7,
        vocabulary_size=13,
        batch_size=5,
        text=(str(tmp_path / "text.txt"),),
    )
    directory = RunDirectory(tmp_path / "run", system="gpt", config=to_dict(config))
    fit(make_system(config), RunConfig(steps=3, accumulate=2, device="cpu"), directory)
    return directory.path, config


def _measured(
    model: Gpt, config: GptConfig, weights: Path, **options: Any
) -> dict[str, int | float | str]:
    return evaluate(Trained(model, config, weights), GptEvaluation(**options))


def test_figures_say_what_they_must_be_compared_by(run: tuple[Path, GptConfig]) -> None:
    path, config = run
    system = make_system(config)
    model = system.initial_model().eval()
    metrics = _measured(model, config, path / "weights.safetensors")
    assert metrics["parameters"] == sum(p.numel() for p in model.parameters())
    assert metrics["context_length"] == 7
    assert metrics["predictions"] == len(system.corpus.validation) - 1  # type: ignore[union-attr]
    bits = float(metrics["validation_nats"]) / math.log(2)
    assert metrics["validation_bits_per_character"] == pytest.approx(bits)


def test_another_text_and_another_share_of_it_can_be_measured(
    run: tuple[Path, GptConfig], tmp_path: Path
) -> None:
    path, config = run
    model = make_system(config).initial_model().eval()
    other = tmp_path / "other.txt"
    other.write_text("dab bad cab")
    metrics = _measured(model, config, path, text=(str(other),), validation_share=1.0)
    assert metrics["predictions"] == 10


def test_weights_of_a_task_measure_no_text() -> None:
    config = replace(GptConfig(), source="sort", num_digits=2)
    with pytest.raises(ValueError, match="these weights learned the task sort, and no text"):
        _measured(random_gpt(), config, Path("x"), text=("a.txt",))


def test_weights_whose_text_is_not_here_say_so(run: tuple[Path, GptConfig]) -> None:
    path, config = run
    away = replace(config, text=("of-the-training.txt",))
    with pytest.raises(ValueError, match=r"of-the-training\.txt: the text of the training is not"):
        _measured(random_gpt(), away, path)
