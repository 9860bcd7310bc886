"""Positions: pencil sums, and what an offset of rotary ones means."""

from math import cos, sin

import pytest
import torch

from tests.transformer.draw import draw
from tokoban.transformer import (
    GridPositions,
    LearnedPositions,
    MultiHeadAttention,
    Rotary,
    sinusoidal,
)

B, N, T, S, E = 5, 3, 7, 11, 26


def test_sinusoids_against_a_pencil() -> None:
    # Of width 4, the second wave is slower by 10000^(2/4) = 100.
    pencil = [[0.0, 1.0, 0.0, 1.0], [sin(1), cos(1), sin(0.01), cos(0.01)]]
    pencil.append([sin(2), cos(2), sin(0.02), cos(0.02)])
    assert torch.allclose(sinusoidal(3, 4), torch.tensor(pencil), atol=1e-6)


@pytest.mark.parametrize(("length", "width"), [(5, 7), (5, -2), (-1, 4)])
def test_sinusoids_of_odd_width_and_of_negative_size_are_refused(length: int, width: int) -> None:
    with pytest.raises(ValueError, match=f"an even width .*, got {width} and {length}$"):
        sinusoidal(length, width)


def test_fewer_learned_positions_are_the_first_of_all() -> None:
    positions = LearnedPositions(11, 3)
    assert positions(11).unique(dim=0).shape == (11, 3)
    assert torch.equal(positions(5), positions(11)[:5])


def test_positions_beyond_the_learned_ones_are_refused() -> None:
    with pytest.raises(ValueError, match="expected at most 11 positions, got 12"):
        LearnedPositions(11, 3)(12)


def test_grid_positions_add_a_row_and_a_column() -> None:
    positions = GridPositions(5, 7, 3)
    with torch.no_grad():
        positions.rows.table[:] = 10 * torch.arange(5.0)[:, None]
        positions.columns.table[:] = torch.arange(7.0)[:, None]
    grid = positions(2, 3)
    assert grid.shape == (2, 3, 3)
    assert grid[:, :, 1].tolist() == [[0, 1, 2], [10, 11, 12]]


@pytest.mark.parametrize(("rotary", "slow"), [(Rotary(), 0.03), (Rotary(base=400.0), 0.15)])
def test_rotary_turns_each_pair_by_its_own_angle(rotary: Rotary, slow: float) -> None:
    # Of width 4, the second pair turns slower by 10000^(2/4) = 100, or 400^(2/4) = 20.
    vectors = torch.tensor([1.0, 0.0, 0.0, 1.0]).expand(1, 1, 4, 4)
    pencil = torch.tensor([cos(3), sin(3), -sin(slow), cos(slow)])
    queries, keys = rotary(vectors, 2 * vectors)
    assert torch.allclose(queries[0, 0, 3], pencil)
    assert torch.allclose(keys[0, 0, 3], 2 * pencil)


def test_rotary_of_a_base_that_would_turn_slower_pairs_faster_is_refused() -> None:
    with pytest.raises(ValueError, match=r"rotary positions must be above 1, got 0\.5"):
        Rotary(base=0.5)


def test_rotary_scores_depend_on_the_distance_alone() -> None:
    q, k = draw(B, N, 1, E), draw(B, N, 1, E, seed=1)
    rotary = Rotary()

    def score(query_position: int, key_position: int) -> torch.Tensor:
        turned_q, _ = rotary(q, k, offset=query_position)
        _, turned_k = rotary(q, k, offset=key_position)
        return (turned_q * turned_k).sum(dim=-1)

    assert torch.allclose(score(2, 5), score(102, 105), atol=1e-10)
    assert not torch.allclose(score(2, 5), score(2, 6), atol=1e-2)
    assert torch.allclose(score(3, 3), (q * k).sum(dim=-1))


def test_rotary_tells_far_positions_apart_in_half_precision() -> None:
    vectors = draw(B, N, T, E)
    exact, _ = Rotary()(vectors, vectors, offset=1000)
    half, _ = Rotary()(vectors.bfloat16(), vectors.bfloat16(), offset=1000)
    assert half.dtype == torch.bfloat16
    assert (half.double() - exact).abs().max() < 0.05


def test_rotary_of_odd_head_width_is_refused() -> None:
    with pytest.raises(ValueError, match="need an even head width, got 13"):
        Rotary()(draw(B, N, T, 13), draw(B, N, T, 13))


def test_rotary_attention_sees_order_among_its_queries_but_not_in_a_memory() -> None:
    attention = MultiHeadAttention(N * E, N, rotary=Rotary()).double()
    queries, memory = draw(B, T, N * E), draw(B, S, N * E, seed=1)
    mirrored = attention(queries.flip(1)).flip(1)
    assert not torch.allclose(mirrored, attention(queries), atol=1e-3)
    assert torch.allclose(attention(queries, memory.flip(1)), attention(queries, memory))
