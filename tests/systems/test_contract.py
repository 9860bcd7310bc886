"""What every system of the registry owes: a finite loss, learning, resuming, reloading."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import nn

from tokoban import pretrained, systems
from tokoban.training.config import from_dict, to_dict
from tokoban.training.loop import train
from tokoban.training.run_directory import RunDirectory, read_metrics
from tokoban.training.system import System


@pytest.fixture(params=systems.SYSTEMS)
def name(request: pytest.FixtureRequest) -> str:
    return request.param


def _system(name: str) -> System:
    module = systems.load(name, "train")
    return module.make_system(module.PRESETS[module.SMALLEST]())


def _directory(name: str, path: Path) -> RunDirectory:
    module = systems.load(name, "train")
    config = module.PRESETS[module.SMALLEST]()
    return RunDirectory(path, system=name, config=to_dict(config))


def _first_loss(system: System, model: nn.Module) -> torch.Tensor:
    return system.loss(model, next(system.train_batches(model, start_step=0))).total


def test_every_preset_has_a_run_and_survives_json(name: str) -> None:
    module = systems.load(name, "train")
    assert module.PRESETS.keys() == module.RUNS.keys()
    for make in module.PRESETS.values():
        assert from_dict(module.Config, json.loads(json.dumps(to_dict(make())))) == make()


def test_it_keeps_to_the_protocol_and_its_loss_is_finite(name: str) -> None:
    system = _system(name)
    assert isinstance(system, System)
    assert torch.isfinite(_first_loss(system, system.build_model()))


def test_it_can_learn_one_batch_by_heart(name: str) -> None:
    system = _system(name)
    torch.manual_seed(0)
    model = system.build_model()
    batch = next(system.train_batches(model, start_step=0))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    before = system.loss(model, batch).total.item()
    for _ in range(60):
        optimizer.zero_grad()
        system.loss(model, batch).total.backward()
        optimizer.step()
    assert system.loss(model.eval(), batch).total.item() < before / 2


def test_a_resumed_run_logs_what_an_uninterrupted_one_does(name: str, tmp_path: Path) -> None:
    module = systems.load(name, "train")
    run = replace(
        module.RUNS[module.SMALLEST], steps=6, log_every=1, device="cpu", schedule="constant"
    )
    whole, parts = _directory(name, tmp_path / "whole"), _directory(name, tmp_path / "parts")
    train(_system(name), run, whole)
    train(_system(name), replace(run, steps=4), parts)
    train(_system(name), run, parts, resume=True)
    losses = [
        {
            line["step"]: line["train/loss"]
            for line in read_metrics(d.metrics)
            if "train/loss" in line
        }
        for d in (whole, parts)
    ]
    assert losses[0] == losses[1]
    assert sorted(losses[0]) == [1, 2, 3, 4, 5, 6]


def test_trained_weights_load_as_they_were_saved(name: str, tmp_path: Path) -> None:
    module = systems.load(name, "train")
    run = replace(module.RUNS[module.SMALLEST], steps=2, device="cpu")
    directory = _directory(name, tmp_path / "run")
    train(_system(name), run, directory)
    model, config = pretrained.load(str(directory.path), system=name)
    again, _ = pretrained.load(str(directory.weights), system=name)
    assert config == module.PRESETS[module.SMALLEST]()
    assert not model.training
    for tensor, other in zip(model.state_dict().values(), again.state_dict().values(), strict=True):
        assert torch.equal(tensor, other)
