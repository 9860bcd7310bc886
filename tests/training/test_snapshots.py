"""Which weights are kept, and what their mean is."""

from pathlib import Path

import pytest
import torch

from tokoban.training.checkpoint import save_weights
from tokoban.training.snapshots import Snapshots, mean_weights


def save(path: Path, **tensors: torch.Tensor) -> Path:
    save_weights(path, tensors, {})
    return path


def names(snapshots: Snapshots) -> list[str]:
    return [path.name for path in snapshots.paths()]


def test_the_newest_are_kept(tmp_path: Path) -> None:
    snapshots = Snapshots(tmp_path / "snapshots", num_kept=2)
    assert snapshots.paths() == []
    for step in (5, 10, 15):
        snapshots.take({"w": torch.tensor([float(step)])}, step=step, metadata={})
    assert names(snapshots) == ["step-0000000015.safetensors", "step-0000000010.safetensors"]
    (snapshots.folder / "notes.txt").touch()
    assert len(snapshots.paths()) == 2
    assert mean_weights(snapshots.paths())["w"].tolist() == [12.5]


def test_a_resumed_run_drops_those_that_it_has_not_reached(tmp_path: Path) -> None:
    snapshots = Snapshots(tmp_path, num_kept=3)
    for step in (5, 10, 15, 10):
        snapshots.take({"w": torch.tensor([float(step)])}, step=step, metadata={})
    assert names(snapshots) == ["step-0000000010.safetensors", "step-0000000005.safetensors"]


def test_the_mean_of_equals_is_what_they_are(tmp_path: Path) -> None:
    w = torch.randn(7, 3, generator=torch.manual_seed(1))
    paths = [save(tmp_path / f"{number}.safetensors", w=w) for number in range(3)]
    assert torch.equal(mean_weights(paths)["w"], w)


def test_opposites_cancel_out_and_whole_numbers_are_left_alone(tmp_path: Path) -> None:
    w, text = torch.tensor([0.1, -3.0]), torch.tensor([200, 7], dtype=torch.uint8)
    one = save(tmp_path / "one.safetensors", w=w, text=text)
    other = save(tmp_path / "other.safetensors", w=-w, text=text)
    mean = mean_weights([one, other])
    assert mean["w"].tolist() == [0.0, 0.0] and torch.equal(mean["text"], text)


def test_weights_of_another_model_are_refused(tmp_path: Path) -> None:
    one = save(tmp_path / "one.safetensors", w=torch.zeros(2))
    other = save(tmp_path / "other.safetensors", w=torch.zeros(3))
    with pytest.raises(ValueError, match=r"other\.safetensors holds another model than .*one"):
        mean_weights([one, other])
    with pytest.raises(ValueError, match="a mean of weights needs at least one file"):
        mean_weights([])
