"""Derived seeds: an independent random stream for each purpose of one seed."""

from enum import IntEnum

import numpy as np


class Purpose(IntEnum):
    """A purpose; the numbers decide what a seed draws."""

    HELD_OUT = 0
    TEST = 1
    ORDER = 2
    CHANGES = 3


def derived_seed(seed: int, purpose: Purpose, *numbers: int) -> int:
    """A seed for one purpose and number (an epoch, a step), independent of the others."""
    state = np.random.SeedSequence((seed, purpose, *numbers)).generate_state(1, np.uint64)
    return int(state[0] >> np.uint64(1))
