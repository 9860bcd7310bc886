"""The table is the model; bounds hold for all surroundings, by trying all; errors are found."""

from dataclasses import replace

import pytest
import torch
from torch.nn import functional

from tokoban.systems.life import config
from tokoban.systems.life.certificate import (
    bound_logits,
    certify,
    logits,
    prove,
    questions,
)
from tokoban.systems.life.model import LifeNet, NeighbourMean
from tokoban.systems.life.rules import parse_rule
from tokoban.systems.life.train import build_model

LIFE = parse_rule("B3/S23")


def drawn_net(side: int, *, scale: float = 1.0) -> LifeNet:
    torch.manual_seed(11)
    chosen = replace(config.life16(), side=side, width=7, embedding_scale=scale)
    return build_model(chosen).double().requires_grad_(False)


def test_the_table_answers_as_the_model_does() -> None:
    model = drawn_net(5)
    for number, asked in enumerate(questions(model)):
        cell, state = divmod(number, 2)
        grids = torch.rand(13, 5, 5, generator=torch.manual_seed(number)) < 0.5
        grids.flatten(1)[:, cell] = bool(state)
        answers = model(grids).flatten(1)[:, cell]
        torch.testing.assert_close(logits(model, asked, grids.flatten(1)), answers)


@pytest.mark.parametrize("scale", [0.3, 1.0, 3.0])
def test_no_surroundings_lead_out_of_the_bounds(scale: float) -> None:
    model = drawn_net(4, scale=scale)
    surroundings = (torch.arange(2**7)[:, None] >> torch.arange(7) & 1).bool()
    for asked in list(questions(model))[::5]:
        bounds = bound_logits(model, asked)
        for case in range(0, len(asked.states), 37):
            grids = torch.empty(2**7, 16, dtype=torch.bool)
            grids[:, asked.known], grids[:, asked.far] = asked.states[case], surroundings
            found = logits(model, asked, grids)
            assert bounds.low[case] <= found.min() + 1e-9
            assert found.max() <= bounds.high[case] + 1e-9


def test_the_margin_of_all_surroundings_lies_between_bound_and_attack() -> None:
    model = drawn_net(4)
    surroundings = (torch.arange(2**7)[:, None] >> torch.arange(7) & 1).bool()
    asked = list(questions(model))[6]
    lives = torch.arange(len(asked.states)) % 3 == 0  # whatever the truth is
    attacked, least = prove(model, asked, lives)
    for case, is_alive in enumerate(lives):
        grids = torch.empty(2**7, 16, dtype=torch.bool)
        grids[:, asked.known], grids[:, asked.far] = asked.states[case], surroundings
        found = logits(model, asked, grids)
        true_margin = found.min() if is_alive else -found.max()
        assert least[case] - 1e-9 <= true_margin <= attacked[case] + 1e-9
        # Seven far cells are few enough to be taken in all states: nothing stays open.
        assert (least[case] > 0) == (true_margin > 0) or attacked[case] <= 0


def test_the_bends_of_silu_are_what_the_bounds_take_them_for() -> None:
    x = torch.linspace(-20, 20, 4001, dtype=torch.double, requires_grad=True)
    (slope,) = torch.autograd.grad(functional.silu(x).sum(), x, create_graph=True)
    (bend,) = torch.autograd.grad(slope.sum(), x)
    from tokoban.systems.life import certificate

    torch.testing.assert_close(certificate._silu_curvature(x), bend)
    assert bend.min() >= certificate._LOWEST
    assert bend.min() < certificate._LOWEST + 1e-5
    falling = bend[(x >= 0) & (x < certificate._LOWEST_AT)]
    assert (falling.diff() < 0).all()


def counting_net() -> LifeNet:
    """Life by hand, for the mean of eight neighbours: a ridge at 3, or at 2 and 3 if alive."""
    model = build_model(replace(config.fixed_neighbourhood(), width=4)).double()
    model.requires_grad_(False)
    assert isinstance(model.mixing, NeighbourMean)
    # Component 0: 2 n + is alive, of which 5, 6 and 7 live. The others begin with 0, -4.5 and ...
    model.states[:] = 0.0
    model.states[1, 0], model.states[:, 1] = 1.0, 1.0
    model.mixing.value.weight[:] = 0.0
    model.mixing.value.weight[0, 0] = 16.0
    # Three hinges of slopes +, -, - make a roof over 4.5 to 7.5; its top is at 6.
    slopes, kinks = torch.tensor([1.0, -2.0, 1.0]), torch.tensor([4.5, 6.0, 7.5])
    steep = 40.0
    model.hidden.weight[:] = 0.0
    model.answer.weight[:] = 0.0
    model.hidden.weight[0:3, 0], model.hidden.weight[0:3, 1] = steep, -steep * kinks
    model.answer.weight[0, 0:3] = slopes
    return model


def test_a_hand_made_net_and_its_error_are_told() -> None:
    model = counting_net()
    # The skip connection adds what the hidden layer cannot know of; it is taken back.
    model.answer.weight[0, 0] -= 0.0
    found = certify(model, LIFE, densities=[None])
    assert (found.num_cases, found.num_proved) == (512, 512 - found.num_wrong)
    assert found.num_refuted == found.num_wrong
