"""The system draws what its config says, from any step on; its loss by pencil."""

import math
from dataclasses import replace
from itertools import islice

import pytest
import torch
from torch import nn

from tokoban.systems.life import config, hard_grids
from tokoban.systems.life.dataset import Examples, RandomGames
from tokoban.systems.life.model import LifeNet
from tokoban.systems.life.rules import parse_rule, step
from tokoban.systems.life.train import LifeSystem
from tokoban.training import processes

HIGH_LIFE = parse_rule("B36/S23")


def drawn(system: LifeSystem, number: int) -> Examples:
    torch.manual_seed(3)
    return next(system.train_batches(system.initial_model(), start_step=number))


def test_batches_are_those_of_the_config(monkeypatch: pytest.MonkeyPatch) -> None:
    system = LifeSystem(
        config.LifeConfig(
            side=5, rule="B36/S23", density=0.3, batch_grids=6, has_hard_grids=False, data_seed=7
        )
    )
    games = RandomGames(HIGH_LIFE, side=5, num_grids=6, density=0.3, seed=7)
    for rank in (0, 1):
        monkeypatch.setattr(processes, "rank", lambda rank=rank: rank)
        plain = list(islice(games.batches(torch.device("cpu"), rank=rank), 3))[2]
        ours = drawn(system, 2)
        assert torch.equal(ours.grids, plain.grids)
        assert torch.equal(ours.successors, step(plain.grids, HIGH_LIFE))


def test_half_of_a_batch_is_hard_in_each_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hard_grids, "_LEAST_SHARE", 0.0)
    chosen = replace(config.tiny(), data_seed=7)
    found = []
    for rank in (0, 1):
        monkeypatch.setattr(processes, "rank", lambda rank=rank: rank)
        hard = drawn(LifeSystem(chosen), 2)
        plain = drawn(LifeSystem(replace(chosen, has_hard_grids=False)), 2)
        assert torch.equal(hard.grids[:4], plain.grids[::2])
        found.append(hard.grids[4:])
        later = list(islice(LifeSystem(chosen).train_batches(_model(chosen), start_step=1), 2))[1]
        assert torch.equal(later.grids, hard.grids)
    assert not torch.equal(*found)


def _model(chosen: config.LifeConfig) -> LifeNet:
    torch.manual_seed(3)
    return LifeSystem(chosen).initial_model()


def test_the_loss_of_three_right_cells_and_one_wrong() -> None:
    class Answers(nn.Module):
        def forward(self, grids: torch.Tensor) -> torch.Tensor:
            return torch.tensor([[[2.0, -2.0], [-2.0, -2.0]]])

    successors = torch.tensor([[[True, False], [False, True]]])
    batch = Examples(~successors, successors)
    loss = LifeSystem(config.tiny()).loss(Answers(), batch)
    expected = (3 * math.log(1 + math.exp(-2)) + math.log(1 + math.exp(2))) / 4
    assert loss.total.item() == pytest.approx(expected)
    assert loss.metrics["accuracy"].item() == 0.75
