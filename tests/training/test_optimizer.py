import math
from copy import deepcopy
from typing import get_args

import pytest
import torch
from torch import nn

from tokoban.training.optimizer import make_optimizer, schedule_factor, set_learning_rate
from tokoban.training.run_config import RunConfig, Schedule


class Everything(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(5, 3)
        self.norm = nn.LayerNorm(3)
        self.matrix = nn.Linear(3, 7)
        self.tied = nn.Linear(3, 5, bias=False)
        self.tied.weight = self.embedding.weight
        self.scale = nn.Parameter(torch.ones(7))
        self.frozen = nn.Linear(7, 2)
        self.frozen.requires_grad_(False)


def test_only_matrices_decay_and_frozen_parameters_stay_out() -> None:
    model = Everything()
    decaying, spared = make_optimizer(model, RunConfig(steps=1, weight_decay=0.3)).param_groups
    assert decaying["weight_decay"] == 0.3 and spared["weight_decay"] == 0.0
    assert [id(p) for p in decaying["params"]] == [id(model.matrix.weight)]
    assert {id(p) for p in spared["params"]} == {
        id(model.embedding.weight),
        id(model.norm.weight),
        id(model.norm.bias),
        id(model.matrix.bias),
        id(model.scale),
    }


def test_embeddings_decay_where_the_run_says_so() -> None:
    model = Everything()
    run = RunConfig(steps=1, weight_decay=0.3, decays_embeddings=True)
    decaying, spared = make_optimizer(model, run).param_groups
    assert [id(p) for p in decaying["params"]] == [
        id(model.embedding.weight),
        id(model.matrix.weight),
    ]
    assert {p.ndim for p in spared["params"]} == {1}


def test_optimizer_takes_its_settings_from_the_run() -> None:
    run = RunConfig(steps=1, learning_rate=0.7, betas=(0.1, 0.2), epsilon=1e-9)
    for group in make_optimizer(nn.Linear(3, 5), run).param_groups:
        assert (group["lr"], group["betas"], group["eps"]) == (0.7, (0.1, 0.2), 1e-9)


def test_muon_trains_the_matrices_but_those_of_embeddings_at_its_own_rate() -> None:
    model = Everything()
    run = RunConfig(steps=1, weight_decay=0.3, muon=6.0)
    optimizer = make_optimizer(model, run)
    set_learning_rate(optimizer, 0.5)
    rates = {id(p): group["lr"] for group in optimizer.param_groups for p in group["params"]}
    trained = {id(p) for p in model.parameters() if p.requires_grad}
    assert rates == {p: 3.0 if p == id(model.matrix.weight) else 0.5 for p in trained}


def test_several_optimizers_go_on_bit_by_bit_as_if_they_had_not_stopped() -> None:
    def steps(model: nn.Module, optimizer: torch.optim.Optimizer, seeds: range) -> None:
        for seed in seeds:
            generator = torch.Generator().manual_seed(seed)
            for parameter in model.parameters():
                parameter.grad = torch.randn(parameter.shape, generator=generator)
            set_learning_rate(optimizer, 0.1 / (1 + seed))
            optimizer.step()

    run = RunConfig(steps=1, muon=6.0)
    whole, other = (nn.Sequential(nn.Linear(3, 5), nn.LayerNorm(5)) for _ in range(2))
    first = make_optimizer(whole, run)
    steps(whole, first, range(3))
    other.load_state_dict(whole.state_dict())
    later = make_optimizer(other, run)
    later.load_state_dict(deepcopy(first.state_dict()))
    steps(whole, first, range(3, 6))
    steps(other, later, range(3, 6))
    for one, two in zip(whole.parameters(), other.parameters(), strict=True):
        assert torch.equal(one, two)


@pytest.mark.parametrize(
    ("schedule", "step", "progress", "expected"),
    [
        ("constant", 50, 0.9, 1.0),
        ("linear", 50, 0.25, 0.75),
        ("linear", 50, 1.0, 0.0),
        ("trapezoid", 50, 0.5, 1.0),
        ("trapezoid", 50, 0.75, 0.5),
        ("cosine", 50, 0.0, 1.0),
        ("cosine", 50, 0.5, 0.5),
        ("cosine", 50, 1 / 3, 0.75),
        ("cosine", 50, 1.0, 0.0),
        ("constant", 0, 0.0, 1 / 5),  # the first update is not wasted on a rate of zero
        ("linear", 2, 0.5, 3 / 5 * 0.5),
        ("cosine", 4, 0.0, 1.0),
        ("noam", 0, 0.0, 1 / 5),
        ("noam", 4, 0.0, 1.0),
        ("noam", 19, 0.9, 1 / 2),  # sqrt(5 / 20)
    ],
)
def test_schedule_by_pencil(
    schedule: Schedule, step: int, progress: float, expected: float
) -> None:
    assert math.isclose(
        schedule_factor(schedule, step, progress, warmup_steps=5), expected, abs_tol=1e-12
    )


@pytest.mark.parametrize(
    ("schedule", "progress", "expected"),
    [("linear", 0.25, 0.1 + 0.9 * 0.75), ("cosine", 0.5, 0.55), ("cosine", 1.0, 0.1)],
)
def test_a_schedule_ends_at_its_final_share(
    schedule: Schedule, progress: float, expected: float
) -> None:
    found = schedule_factor(schedule, 50, progress, warmup_steps=5, final_share=0.1)
    assert math.isclose(found, expected, abs_tol=1e-12)


@pytest.mark.parametrize("schedule", get_args(Schedule))
def test_by_the_clock_the_rate_rises_within_a_tenth_of_the_run(schedule: Schedule) -> None:
    def factor(progress: float, *, is_by_clock: bool = True) -> float:
        return schedule_factor(schedule, 3, progress, warmup_steps=1000, is_by_clock=is_by_clock)

    decayed = schedule_factor(schedule, 3, 0.1, warmup_steps=1)
    if schedule == "noam":
        decayed = 1.0  # its fall counts steps, of which there were few
    assert math.isclose(factor(0.1), decayed)
    assert math.isclose(
        factor(0.01), 0.1 * schedule_factor("constant", 9, 0, warmup_steps=1), rel_tol=0.2
    )
    assert factor(0.1, is_by_clock=False) < 0.005
