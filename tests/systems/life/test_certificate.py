"""The table is the model; bounds hold for all surroundings, by trying all; errors are found."""

import copy
import math
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
import torch
from torch.nn import functional

from tests.systems.life.drawn import drawn_net
from tokoban import pretrained
from tokoban.systems.life import bounds, certificate, config
from tokoban.systems.life.bounds import bound_logits
from tokoban.systems.life.cell_cases import CellCases, cell_cases, logits
from tokoban.systems.life.certificate import certify, margins, prove
from tokoban.systems.life.model import LifeNet
from tokoban.systems.life.rounding import EXP_ULPS, STEEPEST, HeadErrors
from tokoban.systems.life.rules import parse_rule, step
from tokoban.systems.life.train import build_model

LIFE = parse_rule("B3/S23")
# A torus of 4 x 4 has seven cells outside a neighbourhood.
SURROUNDINGS = (torch.arange(2**7)[:, None] >> torch.arange(7) & 1).bool()


def tori_of(cases: CellCases, states: torch.Tensor) -> torch.Tensor:
    """The tori [2^7, 16] in which the neighbourhood has these states."""
    grids = torch.empty(2**7, 16, dtype=torch.bool)
    grids[:, cases.known], grids[:, cases.far] = states, SURROUNDINGS
    return grids


def test_the_table_answers_as_the_model_does() -> None:
    model = drawn_net(5)
    for number, cases in enumerate(cell_cases(model, dtype=torch.double)):
        cell, state = divmod(number, 2)
        grids = torch.rand(13, 5, 5, generator=torch.manual_seed(number)) < 0.5
        grids.flatten(1)[:, cell] = bool(state)
        answers = model(grids).flatten(1)[:, cell]
        torch.testing.assert_close(logits(model, cases, grids.flatten(1)), answers)


@pytest.mark.parametrize("scale", [0.3, 1.0, 3.0])
def test_no_surroundings_lead_out_of_the_bounds(scale: float) -> None:
    model = drawn_net(4, scale=scale)
    for cases in list(cell_cases(model, dtype=torch.double))[::5]:
        logit_bounds = bound_logits(model, cases)
        for case in range(0, len(cases.states), 37):
            grids = tori_of(cases, cases.states[case])
            found = logits(model, cases, grids)
            assert logit_bounds.low[case] <= found.min() + 1e-9
            assert found.max() <= logit_bounds.high[case] + 1e-9


def in_all_surroundings(cell: int, cases: torch.Tensor) -> torch.Tensor:
    """Each of the 2^7 tori of 4 x 4 with the states [P, 9] of a cell's neighbourhood."""
    rows, columns = ((place + torch.arange(-1, 2)) % 4 for place in divmod(cell, 4))
    is_far = torch.ones(16, dtype=torch.bool)
    known = (rows[:, None] * 4 + columns).flatten()
    is_far[known] = False
    grids = torch.empty(len(cases), 2**7, 16, dtype=torch.bool)
    grids[:, :, known] = cases[:, None]
    grids[:, :, is_far] = SURROUNDINGS
    return grids.unflatten(2, (4, 4))


def cases_of(is_alive: bool) -> torch.Tensor:
    """The 256 neighbourhoods of a cell, in the order of the certificate."""
    nine = (torch.arange(2**9)[:, None] >> torch.arange(9) & 1).bool()
    return nine[nine[:, 4] == is_alive]


def observed_margins(model: LifeNet, cell: int, cases: torch.Tensor) -> torch.Tensor:
    """The margins [P, 2^7] of the model as it runs, in all surroundings."""
    grids = in_all_surroundings(cell, cases)
    with torch.inference_mode():
        answers = model(grids.flatten(0, 1)).flatten(1)[:, cell].unflatten(0, (-1, 2**7))
    lives = step(cases.unflatten(1, (3, 3)), LIFE)[:, 1, 1]
    return torch.where(lives[:, None], answers, -answers)


def uniform_net() -> LifeNet:
    """Attends to all alike. For a cell that lives among two living neighbours the slope is 0 at the
    centre of what it may hear, 1 + 6.5/16; the logit is least there, and falls below 0."""
    model = build_model(replace(config.life16(), side=4, width=2)).requires_grad_(False)
    for weights in model.parameters():
        weights.zero_()
    model.states[1, 0] = 1.0
    model.states[:, 1] = 1.0  # a constant
    model.mixing.attention.value.weight[0, 0] = 1.0
    centre, scale = torch.tensor(1 + 6.5 / 16, dtype=torch.double), 90.0
    y = centre.sigmoid()
    slope = y * (1 + centre * (1 - y))
    least = functional.silu(centre) - slope * centre
    # scale * (SiLU(x) - slope * x - its least value), and a little below
    model.hidden.weight[1, 0] = 1.0
    model.answer.weight[0, 0] = -scale * slope
    model.answer.weight[0, 1] = scale
    model.states[:, 1] = -least - 2e-4
    return model


def test_a_least_curvature_above_zero_proves_nothing() -> None:
    model, cases = uniform_net(), cases_of(True)
    proved = next(islice(margins(model, LIFE, densities=[0.0]), 1, None))[1].proved  # cell 0, alive
    observed = observed_margins(model, 0, cases)
    # The cell and the first two of its neighbours live.
    case = int((cases == (torch.tensor([1, 1, 0, 0, 1, 0, 0, 0, 0]) == 1)).all(1).nonzero())
    assert (observed[case] <= 0).sum() == 70  # where three or four of the seven far cells live
    assert not proved[case] > 0
    assert (proved <= observed.amin(1)).all()


@pytest.mark.parametrize(("scale", "most"), [(0.1, 2e-5), (0.5, 2e-4), (2.0, 0.1)])
def test_no_forward_pass_is_further_from_exact_arithmetic_than_is_reported(
    scale: float, most: float
) -> None:
    model = drawn_net(4, scale=scale).float()
    found = list(margins(model, LIFE, densities=[0.5]))
    exact_model = copy.deepcopy(model).double()
    for number in (0, 13, 31):
        cell, state = divmod(number, 2)
        _, exactly, proved, rounding = (each[::5] for each in found[number][1])
        observed = observed_margins(model, cell, cases_of(bool(state))[::5])
        exact = observed_margins(exact_model, cell, cases_of(bool(state))[::5])
        assert (proved <= observed.amin(1)).all()
        assert (exactly <= exact.amin(1)).all()
        assert ((observed - exact).abs().amax(1) <= rounding).all()
        assert rounding.max() < most


@pytest.mark.parametrize("stage", ["weights", "mixed", "inputs", "logit"])
def test_an_error_of_one_stage_moves_no_logit_further_than_is_reported(stage: str) -> None:
    model, draw = drawn_net(4), torch.Generator().manual_seed(3)
    cases = list(cell_cases(model, dtype=torch.double))[6]

    def size_of(name: str, like: torch.Tensor) -> torch.Tensor:
        sizes = torch.rand(like.shape, generator=draw, dtype=torch.double) * 1e-3
        return sizes if name == stage else torch.zeros_like(sizes)

    errors = cases.errors
    weights, mixed = size_of("weights", errors.weights), size_of("mixed", errors.mixed)
    inputs, logit = size_of("inputs", errors.head.inputs), size_of("logit", errors.head.logit)
    head = HeadErrors(inputs, logit)
    cases = cases._replace(errors=errors._replace(weights=weights, mixed=mixed, head=head))
    found_bounds = bound_logits(model, cases)
    reported = found_bounds.rounding
    exactly = bound_logits(model, cases, rounding=torch.zeros_like(reported))
    for case in range(0, len(cases.states), 37):
        grids = tori_of(cases, cases.states[case])
        greatest = 0.0
        for _ in range(20):

            def off(sizes: torch.Tensor) -> torch.Tensor:
                return sizes * torch.randint(0, 2, sizes.shape, generator=draw).mul(2).sub(1)

            dead, alive = cases.weights + off(weights)
            each = torch.where(grids, alive, dead)  # [128, 16]
            values = torch.where(grids[..., None], cases.values[1], cases.values[0])
            attended = (each[..., None] * values).sum(1) / each.sum(1, keepdim=True)
            x = cases.token + attended + off(mixed)
            found = model.answer(x + functional.silu(model.hidden(x) + off(inputs)))[:, 0]
            moved = found + off(logit) - logits(model, cases, grids)
            greatest = max(greatest, float(moved.abs().max()))
        assert reported[case] / 10 < greatest <= reported[case]
        # The tables of the bounds are off by as much: they are in the same precision here.
        assert greatest <= exactly.low[case] - found_bounds.low[case] + 1e-12
        assert greatest <= found_bounds.high[case] - exactly.high[case] + 1e-12


def test_exp_and_silu_are_as_exact_as_the_bounds_assume() -> None:
    x = torch.linspace(-80, 80, 100_003)
    below_0 = x[x <= 0]
    # Attention to two keys: with scores 0 and x the second has the weight sigmoid(x).
    keys = torch.tensor([0.0, 1.0]).view(1, 1, 2, 1)
    attended = functional.scaled_dot_product_attention(below_0.view(1, 1, -1, 1), keys, keys)
    for found, exact in (
        (below_0.exp(), below_0.double().exp()),
        (functional.silu(x), functional.silu(x.double())),
        (attended.flatten(), below_0.double().sigmoid()),
    ):
        units = (found - exact).abs() / (exact.abs() * torch.finfo(torch.float32).eps)
        assert units[exact != 0].max() <= EXP_ULPS / 2  # on the safe side by half


def test_the_margin_of_all_surroundings_lies_between_bound_and_attack() -> None:
    model = drawn_net(4)
    cases = list(cell_cases(model, dtype=torch.double))[6]
    lives = torch.arange(len(cases.states)) % 3 == 0  # whatever the truth is
    proof = prove(model, cases, lives)
    attacked, least = proof.attacked, proof.proved
    for case, is_alive in enumerate(lives):
        grids = tori_of(cases, cases.states[case])
        found = logits(model, cases, grids)
        true_margin = found.min() if is_alive else -found.max()
        assert least[case] - 1e-9 <= true_margin <= attacked[case] + 1e-9
        # Seven far cells are few enough to be taken in all states: nothing stays open.
        assert (least[case] > 0) == (true_margin > 0) or attacked[case] <= 0


def test_the_least_margin_of_all_densities_counts() -> None:
    model = drawn_net(5)
    cases = next(cell_cases(model, dtype=torch.double))
    lives = torch.arange(len(cases.states)) % 2 == 0
    empty, full, both = (
        certificate.attack_at_random(
            model, cases, lives, densities=densities, random=np.random.default_rng(0)
        )
        for densities in ([0.0], [1.0], [0.0, 1.0])
    )
    assert torch.equal(both, torch.minimum(empty, full))
    assert (both < empty).any() and (both < full).any()


def test_attack_and_branches_decide_every_case_of_a_small_torus() -> None:
    model = drawn_net(4, scale=0.3)
    num_branched = 0
    for cases in list(cell_cases(model, dtype=torch.double))[4::16]:
        logit_bounds = bound_logits(model, cases)
        lives = logit_bounds.low + logit_bounds.high > 0
        grids = torch.cat([tori_of(cases, states) for states in cases.states])
        found = logits(model, cases, grids).unflatten(0, (len(lives), 2**7))
        true_margin = torch.where(lives, found.amin(1), -found.amax(1))
        proof = prove(model, cases, lives)
        attacked, least = proof.attacked, proof.proved
        # So little attention is far that what seems worst in first order is worst.
        torch.testing.assert_close(attacked, true_margin)
        assert (least <= true_margin + 1e-9).all()
        assert torch.equal(least > 0, true_margin > 0)
        is_open = torch.where(lives, logit_bounds.low, -logit_bounds.high) <= 0
        num_branched += int((is_open & (true_margin > 0)).sum())
    assert num_branched > 0


def test_chords_lie_above_the_sums_that_they_stand_for() -> None:
    torch.manual_seed(3)
    g, e, c = torch.randn(13, 5).double(), torch.randn(13).double(), torch.randn(11, 5).double()
    sums = (g - c[:, None] * e[:, None]).abs().sum(1)
    found = bounds._range_by_chords(g, e, c)
    assert (found >= sums - 1e-12).all()
    assert (found <= 1.02 * sums).all()


def test_the_bends_of_silu_are_what_the_bounds_take_them_for() -> None:
    x = torch.linspace(-20, 20, 4001, dtype=torch.double, requires_grad=True)
    (slope,) = torch.autograd.grad(functional.silu(x).sum(), x, create_graph=True)
    (bend,) = torch.autograd.grad(slope.sum(), x, create_graph=True)
    torch.testing.assert_close(bounds._silu_curvature(x[None])[0], bend)
    assert bend.min() >= bounds._LOWEST
    assert bend.min() < bounds._LOWEST + 1e-5
    falling = bend[(x >= 0) & (x < bounds._FALLS_UNTIL)]
    assert (falling.diff() < 0).all()
    (third,) = torch.autograd.grad(bend.sum(), x)
    assert slope.abs().max() < STEEPEST
    assert third.abs().max() < 0.31  # as ``bounds._forward_error`` has it


NINE = 9 * 512  # cases of a torus of 3 x 3


def hand_made_net(width: int = 5) -> LifeNet:
    """Life where all nine cells are neighbours: y = 2 n + (1 if alive), and 5, 6 and 7 live."""
    chosen = config.LifeConfig(side=3, width=width)
    model = build_model(chosen).requires_grad_(False)
    for weights in model.parameters():
        weights.zero_()
    model.states[1, 0] = -1.0
    model.states[:, 1] = 1.0  # a constant
    # Attention is uniform, and its mean twice the number of those alive, the cell itself included.
    model.mixing.attention.value.weight[0, 0] = -18.0
    # Three hinges make a roof from 4 over 6 to 8, of which all above a half lives.
    steep = 40.0
    model.hidden.weight[2:5, 0] = steep
    model.hidden.weight[2:5, 1] = -steep * torch.tensor([4.0, 6.0, 8.0])
    model.answer.weight[0, :5] = torch.tensor([0.0, -steep / 2, 1.0, -2.0, 1.0])
    return model


def test_a_net_made_by_hand_is_proved() -> None:
    found = certify(hand_made_net(), LIFE, densities=[None])
    assert (found.cases, found.cases_wrong, found.cases_proved) == (NINE, 0, NINE)
    assert found.least_margin_proved_exactly == pytest.approx(20.0)
    assert 19.9 < found.least_proved_margin < 20.0


def test_what_is_right_in_exact_arithmetic_alone_is_not_proved() -> None:
    model = hand_made_net(width=7)
    # Two large numbers cancel, but what is added between them may be lost.
    model.states[:, 5:] = 1.0
    model.answer.weight[0, 5:] = torch.tensor([2.0**31, -(2.0**31)])
    found = certify(model, LIFE, densities=[None])
    assert (found.cases_proved_exactly, found.cases_proved) == (NINE, 0)


def test_what_overflows_is_not_proved() -> None:
    model = hand_made_net()
    model.answer.weight *= 2.0**118
    found = certify(model, LIFE, densities=[None])
    assert found.cases_proved == 0
    model = drawn_net(4, scale=1e3).float()  # a weight of attention is 1, the others underflow
    found = certify(model, LIFE, densities=[None])
    assert (found.cases_proved, found.least_proved_margin) == (0, -math.inf)
    assert math.isfinite(found.least_margin)


@pytest.mark.parametrize(("rule", "num_wrong"), [("B34/S23", 70), ("B3/S235", 56), ("B/S23", 56)])
def test_wrong_answers_are_counted(rule: str, num_wrong: int) -> None:
    # There are 70 ways to choose four of eight neighbours, 56 to choose five, or three.
    found = certify(hand_made_net(), parse_rule(rule), densities=[None])
    assert (found.cases_wrong, found.cases_proved) == (9 * num_wrong, NINE - 9 * num_wrong)
    assert found.cases_refuted == 9 * num_wrong


@pytest.mark.slow
def test_the_shipped_weights_have_the_certificate_of_their_card() -> None:
    model, chosen = pretrained.load("life-16", system="life")
    assert isinstance(model, LifeNet)
    found = certify(model, parse_rule(chosen.rule), densities=[None])
    assert (found.cases_wrong, found.cases_refuted, found.cases_proved) == (0, 0, 131_072)
    assert found.least_margin_proved_exactly >= 1.295
    assert found.least_proved_margin >= 1.221
    assert found.largest_rounding_error <= 0.0939
