"""From one seed to independent random streams: one for each purpose and its numbers.

NumPy's ``SeedSequence`` mixes them (O'Neill, "Developing a seed_seq Alternative", 2015). Numbers
are below 2^32, and equally many for a purpose. What a seed decides alone, such as which pairs are
held out, stays as it was: weights of before have never seen what is held out today.
"""

from collections.abc import Iterator
from enum import IntEnum
from itertools import count

import numpy as np
import torch
from jaxtyping import Int64
from torch import Tensor


class Purpose(IntEnum):
    """What a stream is for; the numbers decide what a seed draws."""

    HELD_OUT = 0
    TEST = 1
    ORDER = 2  # of an epoch
    CHANGES = 3  # of pictures
    EXAMPLES = 4
    HARD_EXAMPLES = 5  # beside the examples of the same step
    LARGE_BOARDS = 6
    PLANS = 7
    GAMES = 8
    ACTIONS = 9


def derived_seed(seed: int, purpose: Purpose, *numbers: int) -> int:
    """A seed for one purpose and its numbers: a rank, an epoch, a step.

    Of 63 bits, all of which depend on all of these: torch's generator on a CPU reads the last 32.
    """
    state = np.random.SeedSequence((seed, purpose, *numbers)).generate_state(1, np.uint64)
    return int(state[0] >> np.uint64(1))


def stream(seed: int, purpose: Purpose, *numbers: int) -> np.random.Generator:
    """NumPy's stream for one purpose and its numbers, equally many each time."""
    return np.random.default_rng((seed, purpose, *numbers))


def streams(
    seed: int, purpose: Purpose, rank: int, *, start_step: int
) -> Iterator[np.random.Generator]:
    """The streams of a process's batches without end, the first that of batch ``start_step``."""
    return (stream(seed, purpose, rank, number) for number in count(start_step))


def torch_stream(
    seed: int, purpose: Purpose, *numbers: int, device: torch.device | str = "cpu"
) -> torch.Generator:
    """Torch's stream for one purpose and its numbers, as the device draws it."""
    return torch.Generator(device).manual_seed(derived_seed(seed, purpose, *numbers))


def shuffled(
    num_examples: int, per_step: int, *, seed: int, start_step: int, device: torch.device
) -> Iterator[Int64[Tensor, "per_step"]]:
    """The examples of each step without end, from ``start_step`` on: each epoch in its own order.

    What is left of an epoch for less than a step is left out.
    """
    steps_an_epoch = num_examples // per_step
    epoch, place = divmod(start_step, steps_an_epoch)
    while True:
        generator = torch_stream(seed, Purpose.ORDER, epoch)
        order = torch.randperm(num_examples, generator=generator).to(device)
        for number in range(place, steps_an_epoch):
            yield order[number * per_step : (number + 1) * per_step]
        epoch, place = epoch + 1, 0
