"""Figures by hand: a network that is told what to say."""

import math
from pathlib import Path
from typing import Any

import pytest
import torch

from tokoban.systems.vit import evaluate as module
from tokoban.systems.vit.config import tiny
from tokoban.systems.vit.evaluate import VitEvaluation, confusion, evaluate, validate
from tokoban.systems.vit.model import VisionTransformer
from tokoban.systems.vit.pictures import Pictures
from tokoban.systems.vit.train import build_model
from tokoban.training.spec import Trained

LABELS = torch.tensor([0, 0, 0, 0, 1, 1, 1, 2, 2, 2])
SAID = torch.tensor([0, 0, 0, 1, 1, 2, 2, 2, 2, 2])


@pytest.fixture
def pictures(monkeypatch: pytest.MonkeyPatch) -> Pictures:
    """Ten pictures, of which the network says ``SAID``, very sure."""
    pixels = torch.zeros(10, 3, 32, 32, dtype=torch.uint8)
    shown = Pictures(pixels, LABELS, ("solved", "open", "lost"))
    logits = 20.0 * torch.nn.functional.one_hot(SAID, 3)
    monkeypatch.setattr(module, "logits_of", lambda model, asked: logits)
    monkeypatch.setattr(module, "load", lambda config, part: shown)
    return shown


@pytest.fixture
def model(pictures: Pictures) -> VisionTransformer:
    model = build_model(tiny())
    model.class_names = pictures.class_names
    return model


def _measured(model: VisionTransformer, **options: Any) -> dict[str, int | float | str]:
    return evaluate(Trained(model, tiny(), Path("x")), VitEvaluation(**options))


def test_a_confusion_matrix_counts_what_is_taken_for_what() -> None:
    assert confusion(LABELS, SAID, num_classes=3).tolist() == [[3, 1, 0], [0, 1, 2], [0, 0, 3]]


def test_figures_are_the_counts_by_hand(model: VisionTransformer) -> None:
    metrics = _measured(model)
    assert metrics.pop("loss") == pytest.approx(3 * 20 / 10, abs=1e-3)
    low, high = metrics.pop("accuracy_low"), metrics.pop("accuracy_high")
    # Wilson, 7 of 10 at 1.96: (0.7 + 0.19208 +- 1.96 sqrt(0.021 + 0.009604)) / 1.38416.
    assert (low, high) == (pytest.approx(0.39678, abs=1e-4), pytest.approx(0.89221, abs=1e-4))
    assert metrics == {
        "pictures": 10,
        "accuracy": 0.7,
        "accuracy/solved": 0.75,
        "accuracy/open": pytest.approx(1 / 3),
        "accuracy/lost": 1.0,
        "worst_class": "open",
        "worst_confusions": "open as lost: 2; solved as open: 1",
    }


def test_a_class_without_pictures_is_not_the_worst(
    model: VisionTransformer, pictures: Pictures, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_open = torch.where(LABELS == 1, 2, LABELS)
    shown = Pictures(pictures.pixels, without_open, pictures.class_names)
    monkeypatch.setattr(module, "load", lambda config, part: shown)
    metrics = _measured(model)
    assert math.isnan(float(metrics["accuracy/open"]))
    assert metrics["worst_class"] == "solved"  # 3 of 4 right; of the lost ones 5 of 6


def test_classes_are_matched_by_their_names(
    model: VisionTransformer, pictures: Pictures, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder's classes are in alphabetical order, the network's in any."""
    expected = _measured(model)
    folders = Pictures(pictures.pixels, 2 - LABELS, pictures.class_names[::-1])
    monkeypatch.setattr(module, "load", lambda config, part: folders)
    assert _measured(model) == expected
    model.class_names = ("solved", "open", "stuck")
    with pytest.raises(ValueError, match=r"boards: a class 'lost'; expected solved, open, stuck$"):
        _measured(model)


def test_held_out_figures_are_those_of_all_pictures(
    model: VisionTransformer, pictures: Pictures
) -> None:
    assert validate(model, pictures) == {
        "accuracy": 0.7,
        "loss": pytest.approx(6.0, abs=1e-3),
    }


def test_all_pictures_are_judged_in_their_order() -> None:
    torch.manual_seed(3)
    model = build_model(tiny()).eval()
    generator = torch.Generator().manual_seed(1)
    pixels = torch.randint(256, (1201, 3, 32, 32), generator=generator, dtype=torch.uint8)
    shown = Pictures(pixels, torch.zeros(1201, dtype=torch.int64), ("solved", "open", "lost"))
    logits = module.logits_of(model, shown)
    assert logits.shape == (1201, 3)
    torch.testing.assert_close(logits[1200], model(pixels[1200:])[0])


def test_the_matrix_is_drawn(model: VisionTransformer, tmp_path: Path) -> None:
    for name in ("shares.png", "shares.svg"):
        _measured(model, confusion=tmp_path / name)
    assert (tmp_path / "shares.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in (tmp_path / "shares.svg").read_text()


def test_the_test_set_may_lie_elsewhere_and_may_be_spared() -> None:
    model = build_model(tiny())
    with pytest.raises(FileNotFoundError, match="elsewhere: no such folder"):
        _measured(model, data="elsewhere")
    model.class_names = ("solved", "open", "lost")
    metrics = _measured(model.eval(), part="held-out")
    assert metrics["pictures"] == 12
