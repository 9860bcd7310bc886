"""What every system of the registry owes: a finite loss, learning, resuming, reloading."""

import dataclasses
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from tests.crossings import Crossings
from tokoban import pretrained, systems
from tokoban.systems.sokoban_policy.episodes import TrainingBatch, training_batches
from tokoban.training.config import from_dict, to_dict
from tokoban.training.gradients import set_gradients
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


def test_a_step_asks_its_device_for_nothing(name: str) -> None:
    system = _system(name)
    model = system.build_model()
    batch = next(system.train_batches(model, start_step=0))
    with Crossings() as crossings:
        set_gradients(system, model, iter([batch]), num_batches=1, uses_bf16=False)
    # On a CPU the cross entropy of many tokens is our own, and looks at its gradient once.
    own = ["_local_scalar_dense"] if name in ("gpt", "translation") else []
    assert crossings.names == own


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


def _rows(batch: Any, rows: slice) -> Any:
    """Some rows of every tensor of a batch."""
    if isinstance(batch, torch.Tensor):
        return batch[rows]
    if batch is None:
        return None
    if isinstance(batch, TrainingBatch):  # holds places as well, which are those of all rows
        return next(training_batches([_rows(batch.games, rows)]))
    if dataclasses.is_dataclass(batch) and not isinstance(batch, type):
        fields = [field.name for field in dataclasses.fields(batch)]
        return replace(batch, **{name: _rows(getattr(batch, name), rows) for name in fields})
    return type(batch)(*(_rows(part, rows) for part in batch))


def _gradient(system: System, model: nn.Module, *batches: Any) -> tuple[torch.Tensor, float]:
    figures = set_gradients(system, model, iter(batches), num_batches=len(batches), uses_bf16=False)
    found = [p.grad.flatten().double() for p in model.parameters() if p.grad is not None]
    return torch.cat(found), figures["loss"].item()


def test_the_gradient_of_accumulated_batches_is_that_of_one_large_batch(name: str) -> None:
    system = _system(name)
    torch.manual_seed(0)
    model = system.build_model()
    batches = system.train_batches(model, start_step=0)
    model.eval()  # dropout would differ
    whole = next(batches)
    # Of unequal numbers of rows, and of unequal shares of what counts in them.
    cuts = [slice(0, 1), slice(1, 3), slice(3, None)]
    expected, loss = _gradient(system, model, whole)
    found, loss_of_parts = _gradient(system, model, *(_rows(whole, cut) for cut in cuts))
    assert (found - expected).norm() < 1e-4 * expected.norm()
    assert loss_of_parts == pytest.approx(loss, rel=1e-5)


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


def test_the_figures_have_the_names_that_are_known_before(name: str) -> None:
    system = _system(name)
    with torch.no_grad():
        found = system.evaluate(system.build_model().eval())
    assert tuple(found) == system.figure_names()


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


# In a process of its own, since the checks of shapes that tests switch on cannot be compiled; and
# traced alone, since the machine code of all systems would take minutes.
TRAIN_COMPILED = """
import functools, sys, torch
from tokoban import cli
torch.compile = functools.partial(torch.compile, backend="aot_eager")
for is_compiled in ("false", "true"):
    words = ["--steps", "2", "--device", "cpu", "--compile", is_compiled]
    folder = f"{sys.argv[1]}/{is_compiled}"
    assert cli.main(["train", *sys.argv[2:], *words, "--output", folder]) == 0
"""


@pytest.mark.slow
def test_a_compiled_model_is_trained_like_the_plain_one(name: str, tmp_path: Path) -> None:
    preset = systems.load(name, "train").SMALLEST
    command = [sys.executable, "-c", TRAIN_COMPILED, str(tmp_path), name, "--preset", preset]
    done = subprocess.run(
        command, env=os.environ | {"OMP_NUM_THREADS": "1"}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    plain, compiled = (
        json.loads((tmp_path / folder / "result.json").read_text())["train_loss"]
        for folder in ("false", "true")
    )
    assert compiled == pytest.approx(plain, rel=0.1)  # dropout is drawn by other means
