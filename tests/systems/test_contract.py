"""What every system of the registry owes: a finite loss, learning, resuming, reloading."""

import dataclasses
import inspect
import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from tests.crossings import Crossings
from tokoban import pretrained, systems
from tokoban.inference.cached import CachedEngine
from tokoban.inference.cpu import CpuEngine
from tokoban.inference.engine import Network
from tokoban.inference.plain import PlainEngine
from tokoban.systems.gpt.engine import network_of as network_of_gpt
from tokoban.systems.sokoban_policy.engine import network_of as network_of_policy
from tokoban.systems.sokoban_policy.episodes import TrainingBatch, training_batches
from tokoban.systems.translation.engine import network_of as network_of_translator
from tokoban.training.checkpoint import load_weights
from tokoban.training.config import from_dict, to_dict
from tokoban.training.gradients import set_gradients
from tokoban.training.loop import fit
from tokoban.training.run_config import RunConfig
from tokoban.training.run_directory import RunDirectory, read_metrics
from tokoban.training.spec import AnySpec
from tokoban.training.system import AnySystem, System

pytestmark = pytest.mark.usefixtures("small_drawings")  # runs end in the second

# Of the systems whose models decode.
NETWORKS: dict[str, Callable[[Any], Network]] = {
    "sokoban": network_of_policy,
    "translation": network_of_translator,
    "gpt": network_of_gpt,
}


@pytest.fixture(params=systems.SYSTEMS)
def name(request: pytest.FixtureRequest) -> str:
    return request.param


def _spec(name: str) -> AnySpec:
    return systems.load(name)


def _config(name: str) -> Any:
    spec = _spec(name)
    return spec.presets[spec.smallest].config()


def _run(name: str, **changes: Any) -> RunConfig:
    spec = _spec(name)
    return replace(spec.presets[spec.smallest].run, device="cpu", **changes)


def _made(name: str) -> AnySystem:
    return _spec(name).make_system(_config(name), None)


@cache
def _drawn(name: str) -> tuple[AnySystem, Any]:
    """A system and its first batch, which some draw for a second."""
    system = _made(name)
    return system, next(system.train_batches(system.initial_model(), start_step=0))


def _directory(name: str, path: Path) -> RunDirectory:
    return RunDirectory(path, system=name, config=to_dict(_config(name)))


def test_it_has_its_own_name_and_every_preset_survives_json(name: str) -> None:
    spec = _spec(name)
    assert spec.name == name
    assert spec.shipped is None or pretrained.system_of(spec.shipped) == name
    for preset in spec.presets.values():
        config = preset.config()
        assert from_dict(spec.config_type, json.loads(json.dumps(to_dict(config)))) == config
        assert inspect.getdoc(preset.config)  # its help


def test_invalid_fields_are_refused(name: str) -> None:
    """Of the config, whatever file it comes from: unknown, of another type, or out of range."""
    spec, fields = _spec(name), to_dict(_config(name))
    with pytest.raises(ValueError, match="has no field 'widht'"):
        from_dict(spec.config_type, fields | {"widht": 3})
    with pytest.raises(ValueError, match="width: expected int"):
        from_dict(spec.config_type, fields | {"width": "3"})
    for width in (0, 2**40):
        with pytest.raises(ValueError, match="width"):
            from_dict(spec.config_type, fields | {"width": width})


def test_it_keeps_to_the_protocol_with_a_finite_loss_and_metrics_of_known_names(name: str) -> None:
    system, batch = _drawn(name)
    assert isinstance(system, System)
    model = system.initial_model()
    assert torch.isfinite(system.loss(model, batch).total)
    with torch.no_grad():
        assert tuple(system.validate(model.eval())) == system.metric_names()


def test_a_step_asks_its_device_for_nothing(name: str) -> None:
    system, batch = _drawn(name)
    model = system.initial_model()
    with Crossings() as crossings:
        set_gradients(system, model, iter([batch]), num_batches=1, uses_bf16=False)
    # On a CPU the cross entropy of many tokens is our own, and looks at its gradient once.
    own = ["_local_scalar_dense"] if name in ("gpt", "translation") else []
    assert crossings.names == own


def test_it_can_learn_one_batch_by_heart(name: str) -> None:
    system, batch = _drawn(name)
    torch.manual_seed(0)
    model = system.initial_model()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    before = loss = system.loss(model, batch).total.item()
    for _ in range(6):
        if loss < before / 2:
            break
        for _ in range(10):
            optimizer.zero_grad()
            system.loss(model.train(), batch).total.backward()
            optimizer.step()
        loss = system.loss(model.eval(), batch).total.item()
    assert loss < before / 2


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


def _gradient(system: AnySystem, model: nn.Module, *batches: Any) -> tuple[torch.Tensor, float]:
    metrics = set_gradients(system, model, iter(batches), num_batches=len(batches), uses_bf16=False)
    found = [p.grad.flatten().double() for p in model.parameters() if p.grad is not None]
    return torch.cat(found), metrics["loss"].item()


def test_the_gradient_of_accumulated_batches_is_that_of_one_large_batch(name: str) -> None:
    system, whole = _drawn(name)
    torch.manual_seed(0)
    model = system.initial_model().eval()  # dropout would differ
    # Of unequal numbers of rows, and of unequal shares of what counts in them.
    cuts = [slice(0, 1), slice(1, 3), slice(3, None)]
    expected, loss = _gradient(system, model, whole)
    found, loss_of_parts = _gradient(system, model, *(_rows(whole, cut) for cut in cuts))
    assert (found - expected).norm() < 1e-4 * expected.norm()
    assert loss_of_parts == pytest.approx(loss, rel=1e-5)


def test_a_resumed_run_is_an_uninterrupted_one_and_its_weights_load(
    name: str, tmp_path: Path
) -> None:
    run = _run(name, steps=4, log_every=1, schedule="constant")
    whole, parts = _directory(name, tmp_path / "whole"), _directory(name, tmp_path / "parts")
    fit(_made(name), run, whole)
    fit(_made(name), replace(run, steps=2), parts)
    fit(_made(name), run, parts, resume=True)
    losses = [
        {
            line["step"]: line["train/loss"]
            for line in read_metrics(d.metrics)
            if "train/loss" in line
        }
        for d in (whole, parts)
    ]
    assert losses[0] == losses[1]
    assert sorted(losses[0]) == [1, 2, 3, 4]
    assert whole.weights.read_bytes() == parts.weights.read_bytes()
    model, config = pretrained.load(str(parts.path), system=name)
    saved, _ = load_weights(parts.weights)
    alone = parts.weights.rename(tmp_path / "alone.safetensors")
    shutil.rmtree(parts.path)
    again, config_again = pretrained.load(str(alone), system=name)
    assert config == config_again == _config(name)
    assert not model.training and not again.training
    for state in (model.state_dict(), again.state_dict()):
        assert state.keys() == saved.keys()
        assert all(torch.equal(state[name], tensor) for name, tensor in saved.items())


@pytest.mark.parametrize("name", NETWORKS)
def test_decoding_with_a_cache_is_decoding_without(name: str) -> None:
    """By every engine that keeps something, for prompts of several lengths and rows that move."""
    network = NETWORKS[name](_drawn(name)[0].initial_model().eval())
    generator = torch.Generator().manual_seed(0)

    def inputs(*shape: int) -> torch.Tensor:
        if network.embedding is None:
            width = next(network.stack.parameters()).shape[-1]
            return torch.randn(*shape, width, generator=generator)
        return torch.randint(len(network.embedding), shape, generator=generator)

    prompts: Any = inputs(2, 3)  # vectors, or tokens of unequal numbers
    if network.embedding is not None:
        prompts = [row[:length].tolist() for row, length in zip(prompts, (1, 3), strict=True)]
    moves = [(inputs(4), None), (inputs(4), torch.tensor([1, 1, 3, 2]))]
    found = []
    for engine in PlainEngine(network), CachedEngine(network), CpuEngine(network):
        rows = engine.read(prompts, width=2)
        found.append([rows.output.clone(), *(rows.advance(*move).clone() for move in moves)])
    for outputs in found[1:]:
        for output, expected in zip(outputs, found[0], strict=True):
            torch.testing.assert_close(output, expected, rtol=0, atol=3e-5)
