"""What is drawn of one seed, each thing by a stream of its own."""

from enum import IntEnum

import numpy as np


class Purpose(IntEnum):
    """What is drawn; the numbers are part of what a seed means."""

    HELD_OUT = 0
    TEST = 1
    ORDER = 2
    CHANGES = 3


def derived_seed(seed: int, purpose: Purpose, *numbers: int) -> int:
    """A seed for one purpose and number (an epoch, a step), unlike for neighbouring ones."""
    state = np.random.SeedSequence((seed, purpose, *numbers)).generate_state(1, np.uint64)
    return int(state[0] >> np.uint64(1))
