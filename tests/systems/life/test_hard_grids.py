"""Hard grids are those of the certificate's attack, and none too early."""

from itertools import islice

import numpy as np
import pytest
import torch

from tests.systems.life.drawn import drawn_net
from tokoban.systems.life import hard_grids
from tokoban.systems.life.bounds import bound_logits
from tokoban.systems.life.cell_cases import cell_cases
from tokoban.systems.life.dataset import Examples, RandomGames, random_grids
from tokoban.systems.life.hard_grids import CellLogits, with_hard_grids
from tokoban.systems.life.model import LifeNet
from tokoban.systems.life.rules import parse_rule, step
from tokoban.training.streams import Purpose, stream

LIFE = parse_rule("B3/S23")
CPU = torch.device("cpu")


def hard_batches(model: LifeNet) -> list[Examples]:
    games = RandomGames(LIFE, side=5, num_grids=6, density=None, seed=5)
    batches = games.batches(CPU)
    return list(islice(with_hard_grids(batches, model, LIFE, start_step=0, seed=5, rank=0), 5))


@pytest.fixture
def is_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing need be right before grids are hard."""
    monkeypatch.setattr(hard_grids, "_LEAST_SHARE", 0.0)


def test_an_answer_is_the_models_for_that_cell() -> None:
    model, cells = drawn_net(5), torch.arange(25)
    grids = torch.rand(25, 5, 5, generator=torch.manual_seed(1)) < 0.5
    cell_logits = CellLogits(model, cells, is_alive=grids.flatten(1)[cells, cells])
    expected = model(grids).flatten(1)[cells, cells]
    torch.testing.assert_close(cell_logits(grids.flatten(1).double()), expected)


def test_hard_are_the_attacked_cases_of_the_least_margins(
    is_ready: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hard_grids, "CANDIDATES", 5)
    model = drawn_net(5)
    found = hard_grids.hard_grids(model, LIFE, num_grids=3, random=np.random.default_rng(2))
    assert found is not None

    # The same candidates, attacked as the certificate does.
    random = np.random.default_rng(2)
    cells = random.integers(25, size=15)
    nine = random_grids(15, side=3, density=None, random=random).flatten(1)
    all_cases = list(cell_cases(model.requires_grad_(False)))
    attacked, margins = [], []
    for cell, states in zip(cells.tolist(), nine, strict=True):
        cases = all_cases[2 * cell + int(states[4])]
        pull = bound_logits(model, cases._replace(states=states[None])).pull[0]
        is_born = bool(step(states.view(1, 3, 3), LIFE)[0, 1, 1])
        grid = torch.empty(25, dtype=torch.bool)
        grid[cases.known], grid[cases.far] = states, (pull < 0) == is_born
        logit = model(grid.view(1, 5, 5)).flatten()[cell].item()
        attacked.append(grid.view(5, 5))
        margins.append(logit if is_born else -logit)
    worst = sorted(range(15), key=margins.__getitem__)[:3]
    assert torch.equal(found, torch.stack([attacked[number] for number in worst]))


def test_every_other_grid_makes_room(is_ready: None) -> None:
    model = drawn_net(5)
    plain = next(RandomGames(LIFE, side=5, num_grids=6, density=None, seed=5).batches(CPU))
    first = hard_batches(model)[0]
    assert torch.equal(first.grids[:3], plain.grids[::2])
    assert torch.equal(first.successors, step(first.grids, LIFE))
    random = stream(5, Purpose.HARD_EXAMPLES, 0, 0)
    hard = hard_grids.hard_grids(model, LIFE, num_grids=3, random=random)
    assert hard is not None
    assert torch.equal(first.grids[3:], hard)
    assert all(weights.grad is None for weights in model.parameters())


def test_a_network_that_knows_nothing_gets_random_grids() -> None:
    games = RandomGames(LIFE, side=5, num_grids=6, density=None, seed=5)
    for ours, plain in zip(hard_batches(drawn_net(5)), games.batches(CPU), strict=False):
        assert torch.equal(ours.grids, plain.grids)
        assert torch.equal(ours.successors, plain.successors)
