import math

import pytest
import torch
from torch import Tensor

from tokoban.decoding import GREEDY, Sampling, seeded_sample


class Chances:
    """Every row has the same three actions at every step, and none ever finishes."""

    device = torch.device("cpu")

    def __init__(self, num_rows: int) -> None:
        self.num_rows = num_rows

    def log_probs(self) -> Tensor:
        return torch.tensor([0.5, 0.3, 0.2]).log().expand(self.num_rows, 3)

    def advance(self, parents: Tensor | None, actions: Tensor) -> Tensor:
        return torch.zeros(self.num_rows, dtype=torch.bool)


def drawn(keys: list[tuple[int, ...]], sampling: Sampling, max_steps: int = 17) -> list[list[int]]:
    return seeded_sample(
        Chances(len(keys)), sampling, keys=keys, max_steps=max_steps
    ).actions.tolist()


def test_what_is_drawn_of_a_row_depends_on_its_key_and_on_no_batch() -> None:
    sampling = Sampling(seed=3)
    together = drawn([(2,), (7,), (2,), (2, 1)], sampling)
    assert together[0] == together[2] and together[1] == drawn([(7,)], sampling)[0]
    assert together[0] != together[1] and together[0] != together[3]
    assert together[0] != drawn([(2,)], Sampling(seed=4))[0]
    # torch's generator reads the last 32 bits of a seed alone.
    far = [
        drawn([(2 + key,)], Sampling(seed=3 + seed))[0] for key, seed in ((2**32, 0), (0, 2**32))
    ]
    assert together[0] not in far and far[0] != far[1]


def test_temperature_0_takes_the_most_probable() -> None:
    assert drawn([(0,), (1,)], GREEDY) == [[0] * 17] * 2


def test_draws_are_as_frequent_as_their_chances() -> None:
    (row,) = drawn([(5,)], Sampling(seed=1), max_steps=3_001)
    for action, chance in enumerate([0.5, 0.3, 0.2]):
        assert math.isclose(row.count(action) / len(row), chance, abs_tol=0.025)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"temperature": -0.5}, r"temperature is -0.5; expected 0 \(greedy\) or more"),
        ({"temperature": float("nan")}, r"temperature is nan; expected 0 \(greedy\) or more"),
        ({"temperature": float("inf")}, r"temperature is inf; expected 0 \(greedy\) or more, fin"),
        ({"seed": -1}, r"seed is -1; expected 0 to 2\^63 - 1"),
    ],
)
def test_a_draw_that_cannot_be_is_refused(fields: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Sampling(**fields)  # type: ignore[arg-type]
