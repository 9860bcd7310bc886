"""The functions of compiled loops are numpy's, nearly."""

from typing import no_type_check

import numpy as np
import pytest

from tokoban.compiling import entry
from tokoban.inference import compiled_math as compiled


@entry
@no_type_check
def exponentials(out, x):
    for i in range(len(x)):
        out[i] = compiled.exp(x[i])


@entry
@no_type_check
def log_sum_exp(x):
    return compiled.log_sum_exp(x)


def test_a_power_of_e_is_right_to_4e_6_of_its_value() -> None:
    x = np.linspace(-87, 0, 100_003, dtype=np.float32)
    found = np.empty_like(x)
    exponentials(found, x)
    np.testing.assert_allclose(found, np.exp(x.astype(np.float64)), rtol=4e-6)
    assert found[-1] == 1


def test_of_what_is_far_below_nothing_is_left() -> None:
    found = np.full(2, np.nan, np.float32)
    exponentials(found, np.array([-1e6, -np.inf], np.float32))
    assert (found >= 0).all() and (found < 2e-38).all()


@pytest.mark.parametrize("shift", [-1000.0, 0.0, 1000.0])
def test_a_sum_of_powers_of_any_size_has_its_logarithm(shift: float) -> None:
    x = np.random.default_rng(3).normal(shift, 5, 9_713).astype(np.float32)
    exact = x.astype(np.float64)
    expected = exact.max() + np.log(np.exp(exact - exact.max()).sum())
    assert log_sum_exp(x) == pytest.approx(expected, abs=1e-4)
