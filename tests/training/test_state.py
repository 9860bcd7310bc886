import random

import numpy as np
import pytest
import torch
from torch import nn

from tokoban.training.run_config import RunConfig
from tokoban.training.state import (
    TrainingState,
    initial_state,
    random_state,
    seed_all,
    set_random_state,
)


def test_average_by_pencil() -> None:
    state = initial_state(nn.Linear(1, 1, bias=False), RunConfig(steps=1, ema_decay=0.25))
    assert state.average is not None
    seen = []
    for value in (1.0, 2.0, 4.0):
        nn.init.constant_(next(state.model.parameters()), value)
        state.average.update_parameters(state.model)
        seen.append(next(state.result.parameters()).item())
    # The first is copied; then decays of 2/11 and min(0.25, 3/12).
    second = 2 / 11 * 1 + 9 / 11 * 2
    assert seen == pytest.approx([1.0, second, 0.25 * second + 0.75 * 4])


def _several() -> nn.Module:
    """An embedding and two matrices, all of one shape."""
    return nn.ModuleDict(
        {
            "e": nn.Embedding(3, 3),
            "a": nn.Linear(3, 3, bias=False),
            "b": nn.Linear(3, 3, bias=False),
        }
    )


def _after_a_step(run: RunConfig) -> TrainingState:
    state = initial_state(_several(), run)
    for number, parameter in enumerate(state.model.parameters(), 1):
        parameter.grad = torch.full((3, 3), float(number))
    state.optimizer.step()
    state.step += 1
    return state


def test_weights_and_moments_come_from_the_checkpoint_but_settings_from_the_run() -> None:
    before = _after_a_step(RunConfig(steps=1, betas=(0.1, 0.2)))
    after = initial_state(_several(), RunConfig(steps=1, betas=(0.3, 0.4)))
    after.load_state_dict(before.state_dict())
    weight, moved = after.model.get_parameter("e.weight"), before.model.get_parameter("e.weight")
    assert torch.equal(weight, moved) and after.step == 1
    assert after.optimizer.param_groups[0]["betas"] == (0.3, 0.4)
    moment = after.optimizer.state[weight]["exp_avg"]
    assert torch.allclose(moment, torch.full((3, 3), 0.9))  # (1 - 0.1) * 1


def test_moments_are_those_of_a_parameter_wherever_the_optimiser_has_it() -> None:
    before = _after_a_step(RunConfig(steps=1))
    saved = before.state_dict()
    for decays in (True, False):
        after = initial_state(_several(), RunConfig(steps=1, decays_embeddings=decays))
        after.load_state_dict(saved)
        for number, parameter in enumerate(after.model.parameters(), 1):
            moment = after.optimizer.state[parameter]["exp_avg"]
            assert torch.allclose(moment, torch.full((3, 3), 0.1 * number))


@pytest.mark.parametrize("muon", [(0.0, 1.0), (1.0, 0.0)])
def test_muon_can_be_switched_neither_on_nor_off(muon: tuple[float, float]) -> None:
    before, after = (RunConfig(steps=1, muon=factor) for factor in muon)
    state = initial_state(_several(), after)
    with pytest.raises(ValueError, match="muon was switched on or off since the checkpoint"):
        state.load_state_dict(_after_a_step(before).state_dict())


def test_every_generator_goes_back_to_where_it_stood() -> None:
    def draw() -> tuple[float, ...]:
        return random.random(), np.random.random(), np.random.normal(), torch.rand(()).item()

    seed_all(7)
    draw()  # after one normal number NumPy keeps another in store
    before = random_state()
    drawn = draw()
    assert draw() != drawn
    set_random_state(before)
    assert draw() == drawn


def test_seeds_reach_every_generator() -> None:
    def draw(seed: int) -> tuple[float, ...]:
        seed_all(seed)
        return random.random(), np.random.random(), torch.rand(()).item()

    assert draw(7) == draw(7)
    assert all(one != other for one, other in zip(draw(7), draw(8), strict=True))
