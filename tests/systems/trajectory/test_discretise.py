"""The laws of the bins: near, monotone, clamped; equal values stay together."""

import pytest
import torch

from tokoban.systems.trajectory.discretise import Binning, Bins

BINNINGS = pytest.mark.parametrize("binning", ["uniform", "quantile"])


def drawn(num_rows: int = 101, num_columns: int = 3) -> torch.Tensor:
    generator = torch.Generator().manual_seed(0)
    # Of very different spreads, so that one column's bins would be wrong for another.
    return torch.randn(num_rows, num_columns, generator=generator) * torch.tensor([0.1, 1.0, 50.0])


def fitted(values: torch.Tensor, binning: Binning, *, num_bins: int = 7) -> Bins:
    bins = Bins(values.shape[1], num_bins)
    bins.fit(values, [None] * values.shape[1], binning=binning)
    return bins


def test_a_uniform_round_trip_is_off_by_half_a_bin_at_most() -> None:
    values = drawn()
    half = (values.amax(0) - values.amin(0)) / 7 / 2
    bins = fitted(values, "uniform")
    error = (bins.decode(bins.encode(values, range(3)), range(3)) - values).abs().amax(0)
    assert (error <= half * 1.0001).all()
    assert (error > half / 2).all()  # of a hundred values some lie near an edge


def test_a_quantile_round_trip_stays_within_the_bin() -> None:
    values = drawn()
    bins = fitted(values, "quantile")
    tokens = bins.encode(values, range(3))
    for column in range(3):
        for token in range(7):
            held = values[:, column][tokens[:, column] == token]
            assert len(held) in (14, 15)  # 101 values in 7 bins
            torch.testing.assert_close(bins.centres[column, token], held.mean())


@BINNINGS
def test_what_lies_outside_belongs_to_the_first_or_last_bin(binning: Binning) -> None:
    bins = fitted(drawn(), binning)
    far = torch.tensor([[-1e9] * 3, [1e9] * 3])
    assert bins.encode(far, range(3)).tolist() == [[0] * 3, [6] * 3]


@BINNINGS
def test_a_constant_column_survives(binning: Binning) -> None:
    bins = fitted(torch.full((5, 1), 0.3), binning)
    assert bins.num_used.tolist() == [1]
    tokens = bins.encode(torch.tensor([[0.3], [-7.0], [7.0]]), [0])
    assert tokens.tolist() == [[0], [0], [0]]
    assert bins.decode(tokens, [0])[:, 0].tolist() == pytest.approx([0.3] * 3)


@pytest.mark.parametrize("held", [[0.0, *[1.0] * 9, 2.0], [*[0.0] * 9, 1.0, 2.0]])
def test_equal_values_are_never_cut_apart_and_no_bin_is_empty(held: list[float]) -> None:
    # Nine of eleven values are the same: there is no place for seven equal quantiles.
    values = torch.tensor(held)[:, None]
    bins = fitted(values, "quantile")
    tokens = bins.encode(values, [0])[:, 0]
    assert all(len(set(tokens[values[:, 0] == value].tolist())) == 1 for value in (0.0, 1.0))
    assert sorted(set(tokens.tolist())) == list(range(int(bins.num_used[0])))


def test_a_discrete_column_has_a_bin_for_each_of_its_values() -> None:
    values = torch.arange(5.0)[:, None]
    bins = Bins(1, 7)
    bins.fit(values[:2], [5], binning="quantile")  # three of the five were never seen
    assert bins.encode(values, [0])[:, 0].tolist() == [0, 1, 2, 3, 4]
    assert bins.decode(bins.encode(values, [0]), [0]).equal(values)
    assert bins.is_used().tolist() == [[True] * 5 + [False] * 2]


def test_columns_are_distinguished_in_any_order() -> None:
    values = drawn()
    bins = fitted(values, "uniform")
    everything = bins.encode(values, range(3))
    chosen = bins.encode(values[:, [2, 0]], [2, 0])
    assert chosen.equal(everything[:, [2, 0]])
    assert bins.decode(chosen, [2, 0]).equal(bins.decode(everything, range(3))[:, [2, 0]])


def test_the_bins_are_kept_with_the_weights() -> None:
    values = drawn()
    bins, again = fitted(values, "quantile"), Bins(3, 7)
    again.load_state_dict(bins.state_dict())
    assert again.encode(values, range(3)).equal(bins.encode(values, range(3)))


def test_more_values_than_bins_are_refused() -> None:
    with pytest.raises(ValueError, match=r"^a number with 8 values needs as many bins; bins is 7$"):
        Bins(1, 7).fit(torch.zeros(2, 1), [8], binning="uniform")
