"""Seeded sampling: the samples of a row depend on the seed and the row's key, not on the batch.

Gumbel-max sampling: Maddison et al. 2014 (arXiv:1411.0030). Temperature, top-k (Fan et al. 2018,
arXiv:1805.04833) and top-p (Holtzman et al. 2020, arXiv:1904.09751) are those of ``sampling``.

Axes: B rows, A actions.
"""

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from tokoban.decoding.sampling import Samples, gumbel_noise, sample
from tokoban.decoding.stepper import Stepper


@dataclass(frozen=True, kw_only=True)
class Sampling:
    """The options of sampling; at temperature 0 the most probable action is taken."""

    seed: int = 0
    temperature: float = 1.0
    top_k: int | None = None
    top_p: float | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.seed < 2**63:
            raise ValueError(f"seed is {self.seed}; expected 0 to 2^63 - 1")
        if not 0 <= self.temperature < math.inf:
            raise ValueError(
                f"temperature is {self.temperature}; expected 0 (greedy) or more, finite"
            )


GREEDY = Sampling(temperature=0.0)


def seeded_sample(
    stepper: Stepper, sampling: Sampling, *, keys: Sequence[Sequence[int]], max_steps: int
) -> Samples:
    """``sample`` with noise of its own for each row, by ``sampling.seed`` and the row's key.

    A key is a few numbers that say which row it is, whoever else is in the batch.
    """
    if sampling.temperature == 0:
        return sample(stepper, num_rows=len(keys), max_steps=max_steps)
    generators = [torch.Generator().manual_seed(_mixed(sampling.seed, *key)) for key in keys]
    num_actions = stepper.log_probs().shape[1]

    def noise(step: int) -> Float[Tensor, "B A"]:
        rows = [gumbel_noise(1, 1, num_actions, generator=g, device="cpu") for g in generators]
        return torch.cat(rows, dim=1)[0].to(stepper.device)

    return sample(
        stepper,
        num_rows=len(keys),
        max_steps=max_steps,
        noise=noise,
        temperature=sampling.temperature,
        top_k=sampling.top_k,
        top_p=sampling.top_p,
    )


def _mixed(*numbers: int) -> int:
    """A seed by all of the numbers: 32 bits, since torch's generator reads no more of one."""
    digest = hashlib.blake2b(repr(numbers).encode(), digest_size=4).digest()
    return int.from_bytes(digest, "big")
