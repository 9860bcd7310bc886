"""The table is the model; bounds hold for all surroundings, by trying all; errors are found."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch.nn import functional

from tokoban import pretrained
from tokoban.systems.life import certificate, config
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


def test_the_least_margin_of_all_densities_counts() -> None:
    model = drawn_net(5)
    asked = next(questions(model))
    lives = torch.arange(len(asked.states)) % 2 == 0
    empty, full, both = (
        certificate.check(model, asked, lives, densities=densities, random=np.random.default_rng(0))
        for densities in ([0.0], [1.0], [0.0, 1.0])
    )
    assert torch.equal(both, torch.minimum(empty, full))
    assert (both < empty).any() and (both < full).any()


def test_attack_and_branches_decide_every_case_of_a_small_torus() -> None:
    model = drawn_net(4, scale=0.3)
    surroundings = (torch.arange(2**7)[:, None] >> torch.arange(7) & 1).bool()
    num_branched = 0
    for asked in list(questions(model))[4::16]:
        bounds = bound_logits(model, asked)
        lives = bounds.low + bounds.high > 0
        grids = torch.empty(len(lives), 2**7, 16, dtype=torch.bool)
        grids[:, :, asked.known], grids[:, :, asked.far] = asked.states[:, None], surroundings
        found = logits(model, asked, grids.flatten(0, 1)).unflatten(0, (len(lives), 2**7))
        true_margin = torch.where(lives, found.amin(1), -found.amax(1))
        attacked, least = prove(model, asked, lives)
        # So little attention is far that what seems worst in first order is worst.
        torch.testing.assert_close(attacked, true_margin)
        assert (least <= true_margin + 1e-9).all()
        assert torch.equal(least > 0, true_margin > 0)
        is_open = torch.where(lives, bounds.low, -bounds.high) <= 0
        num_branched += int((is_open & (true_margin > 0)).sum())
    assert num_branched > 0


def test_chords_lie_above_the_sums_that_they_stand_for() -> None:
    torch.manual_seed(3)
    g, e, c = torch.randn(13, 5).double(), torch.randn(13).double(), torch.randn(11, 5).double()
    sums = (g - c[:, None] * e[:, None]).abs().sum(1)
    found = certificate._swings(g, e, c)
    assert (found >= sums - 1e-12).all()
    assert (found <= 1.02 * sums).all()


def test_the_bends_of_silu_are_what_the_bounds_take_them_for() -> None:
    x = torch.linspace(-20, 20, 4001, dtype=torch.double, requires_grad=True)
    (slope,) = torch.autograd.grad(functional.silu(x).sum(), x, create_graph=True)
    (bend,) = torch.autograd.grad(slope.sum(), x)
    torch.testing.assert_close(certificate._silu_curvature(x[None])[0], bend)
    assert bend.min() >= certificate._LOWEST
    assert bend.min() < certificate._LOWEST + 1e-5
    falling = bend[(x >= 0) & (x < certificate._LOWEST_AT)]
    assert (falling.diff() < 0).all()


def hand_made_net() -> LifeNet:
    """Life for the mean of eight neighbours: y = 2 n + (1 if alive), and 5, 6 and 7 live."""
    model = build_model(replace(config.fixed_neighbourhood(), width=5)).requires_grad_(False)
    assert isinstance(model.mixing, NeighbourMean)
    for weights in model.parameters():
        weights.zero_()
    model.states[1, 0] = 1.0
    model.states[:, 1] = 1.0  # a constant
    model.mixing.value.weight[0, 0] = 16.0  # its mean over eight neighbours is 2 n
    # Three hinges make a roof from 4 over 6 to 8, of which all above a half lives.
    steep = 40.0
    model.hidden.weight[2:5, 0] = steep
    model.hidden.weight[2:5, 1] = -steep * torch.tensor([4.0, 6.0, 8.0])
    model.answer.weight[0] = torch.tensor([0.0, -steep / 2, 1.0, -2.0, 1.0])
    return model


def test_a_net_made_by_hand_is_proved() -> None:
    found = certify(hand_made_net(), LIFE, densities=[None])
    assert (found.num_cases, found.num_wrong, found.num_proved) == (512, 0, 512)
    assert found.least_proved_margin == pytest.approx(20.0)


@pytest.mark.parametrize(("rule", "num_wrong"), [("B34/S23", 70), ("B3/S235", 56), ("B/S23", 56)])
def test_wrong_answers_are_counted(rule: str, num_wrong: int) -> None:
    # There are 70 ways to choose four of eight neighbours, 56 to choose five, or three.
    found = certify(hand_made_net(), parse_rule(rule), densities=[None])
    assert (found.num_wrong, found.num_proved) == (num_wrong, 512 - num_wrong)
    assert found.num_refuted == num_wrong


def test_every_case_of_a_torus_is_counted() -> None:
    found = certify(drawn_net(4), LIFE, densities=[0.0, None])
    assert found.num_cases == 16 * 512
    assert found.num_wrong > 0
    assert found.num_proved + found.num_refuted <= found.num_cases
    assert found.least_proved_margin <= found.least_attacked_margin
    assert found.least_proved_margin <= found.least_margin


@pytest.mark.slow
def test_the_shipped_weights_have_the_certificate_of_their_card() -> None:
    model, chosen = pretrained.load("life-16", system="life")
    assert isinstance(model, LifeNet)
    found = certify(model, parse_rule(chosen.rule), densities=[None])
    assert (found.num_wrong, found.num_refuted, found.num_proved) == (0, 0, 131_072)
    assert found.least_proved_margin > 1
