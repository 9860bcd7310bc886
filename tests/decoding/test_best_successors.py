"""The best of all successors: what sorting them all would put first."""

import pytest
import torch

from tokoban.decoding.best_successors import best_successors

R, K = 3, 5


@pytest.mark.parametrize("num_actions", [2, 7, 4099, 8192, 9001], ids=str)
@pytest.mark.parametrize("num_best", [1, 10])
def test_they_are_the_first_when_all_are_sorted(num_actions: int, num_best: int) -> None:
    generator = torch.Generator().manual_seed(num_actions)
    log_probs = torch.randn(R * K, num_actions, generator=generator).log_softmax(dim=1)
    log_probs[4, 1] = -0.25  # one row is sure of itself, as they mostly are
    log_probs[7, -1] = -0.5
    scores = -3 * torch.rand(R, K, generator=generator)
    everything = (scores[:, :, None] + log_probs.view(R, K, num_actions)).flatten(1)
    expected, places = everything.sort(dim=1, descending=True, stable=True)
    found = best_successors(scores, log_probs, num_best)
    num_found = min(num_best, K * num_actions)
    assert torch.equal(found[0], expected[:, :num_found])
    assert torch.equal(found[1], places[:, :num_found])


@pytest.mark.parametrize("num_actions", [7, 4099], ids=str)
def test_a_dead_beam_has_no_successor_whatever_its_row_says(num_actions: int) -> None:
    log_probs = torch.full((K, num_actions), torch.nan)
    log_probs[0] = torch.randn(num_actions, generator=torch.manual_seed(1))
    scores = torch.full((1, K), -torch.inf)
    scores[0, 0] = 0.0
    best, places = best_successors(scores, log_probs, 6)
    expected, actions = log_probs[0].sort(descending=True)
    assert torch.equal(best[0], expected[:6]) and torch.equal(places[0], actions[:6])
    scores[0, 0] = -torch.inf
    assert bool((best_successors(scores, log_probs, 6)[0] == -torch.inf).all())


@pytest.mark.parametrize("num_actions", [7, 4099], ids=str)
def test_of_equals_the_lower_place_goes_first(num_actions: int) -> None:
    log_probs = torch.zeros(K, num_actions)
    _, places = best_successors(torch.zeros(1, K), log_probs, 6)
    assert places[0].tolist() == sorted(places[0].tolist())
