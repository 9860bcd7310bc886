"""The post's methods play the same games and find the same plans as ours."""

from dataclasses import replace

import pytest
import torch

from benchmarks import beam, cpu_stepped, posted, rollouts
from tokoban.decoding import gumbel_noise
from tokoban.sokoban.puzzles.random_levels import sample_one_box
from tokoban.sokoban.simulation.bitboards import Bitboards
from tokoban.systems.sokoban_policy.config import tiny
from tokoban.systems.sokoban_policy.model import SokobanPolicy
from tokoban.systems.sokoban_policy.train import build_model

NUM_GAMES, WIDTH = 7, 5


@pytest.fixture(scope="module")
def model() -> SokobanPolicy:
    """The smallest network, with random weights, for games of 9 moves."""
    torch.manual_seed(1)
    return build_model(replace(tiny(), max_positions=11)).eval()


@pytest.fixture(scope="module")
def levels() -> Bitboards:
    return sample_one_box(NUM_GAMES, generator=torch.Generator().manual_seed(2))


@pytest.mark.parametrize("is_greedy", [True, False])
def test_same_weights_and_noise_are_the_same_games_by_all_methods(
    model: SokobanPolicy, levels: Bitboards, is_greedy: bool
) -> None:
    num_moves = model.max_positions - 2
    noise = gumbel_noise(
        num_moves, NUM_GAMES, 5, generator=torch.Generator().manual_seed(5), device="cpu"
    ) * (0.0 if is_greedy else 1.0)
    played = posted.rollouts(model, levels, None if is_greedy else noise)
    rollouts.check_boards(levels, played)
    assert (played.actions[:, -1] >= 0).any()
    ours = [
        rollouts.play_eagerly(model, levels, noise),
        rollouts.captured(model, NUM_GAMES, compiled=False)(levels, noise),
    ]
    for other in ours:
        assert torch.equal(other.actions, played.actions)
        assert other.last_boards is not None
        assert torch.equal(other.last_boards, played.inputs[:, -1])
    for loop in (cpu_stepped.step_all, cpu_stepped.compiled_step_all):
        theirs = cpu_stepped.rollouts(model, levels, None if is_greedy else noise, loop)
        assert torch.equal(theirs, played.actions)


def test_same_weights_are_the_same_plans_by_all_methods(
    model: SokobanPolicy, levels: Bitboards
) -> None:
    found = posted.beam_search(model, levels, width=WIDTH)
    assert 0 < found.is_finished.sum() < NUM_GAMES
    others = [
        beam.search_eagerly(model, WIDTH, levels),
        beam.one_a_call(model, WIDTH, levels),
    ]
    merging = beam.search_eagerly(model, WIDTH, levels, merges=True)
    by_graph = beam.captured(model, WIDTH, NUM_GAMES, compiled=False)(levels)
    for one, other in (*((found, other) for other in others), (merging, by_graph)):
        counts = beam.compared(one, other)
        assert set(counts.values()) == {0}
