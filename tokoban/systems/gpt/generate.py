"""Prompts -> what the model writes after them, as tokens: the most probable ones, or draws.

Axes: B texts (rows), T steps, V vocabulary.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from tokoban.decoding import Samples, gumbel_noise, sample
from tokoban.systems.gpt.model import Gpt
from tokoban.systems.gpt.stepper import TextStepper


@dataclass(frozen=True, kw_only=True)
class Sampling:
    """How tokens are chosen: one seed draws the same; at temperature 0 it is the most probable."""

    seed: int = 0
    temperature: float = 1.0
    top_k: int | None = None
    top_p: float | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.seed < 2**63:
            raise ValueError(f"seed is {self.seed}; expected 0 to 2^63 - 1")
        if not self.temperature >= 0:
            raise ValueError(f"temperature is {self.temperature}; expected 0 (greedy) or more")


GREEDY = Sampling(temperature=0.0)


@torch.inference_mode()
def generate(
    model: Gpt,
    prompts: Sequence[Sequence[int]],
    *,
    max_tokens: int,
    sampling: Sampling = GREEDY,
    repetition_penalty: float = 1.0,
    numbers: Sequence[int] | None = None,
    are_over: Callable[[list[int]], list[bool]] | None = None,
    uses_cache: bool = True,
) -> Samples:
    """What comes after each prompt, all at once; the prompts may be of different lengths.

    Row i draws by noise of its own, that of the number ``numbers[i]`` (i itself if not given), so
    that its text does not depend on who else is in the batch, but for rounding. What
    ``repetition_penalty``, ``are_over`` and ``uses_cache`` do is said by ``TextStepper``.
    """
    if max_tokens < 1:
        raise ValueError(f"max_tokens is {max_tokens}; expected at least 1")
    if not repetition_penalty > 0:
        raise ValueError(f"repetition_penalty is {repetition_penalty}; expected more than 0")
    if not prompts:
        raise ValueError("there is no prompt to go on from")
    for number, prompt in enumerate(prompts, start=1):
        if not prompt:
            raise ValueError(f"prompt {number} has no token to go on from")
    with evaluating(model):
        stepper = TextStepper(
            model,
            prompts,
            max_steps=max_tokens,
            uses_cache=uses_cache,
            repetition_penalty=repetition_penalty,
            are_over=are_over,
        )
        if sampling.temperature == 0:
            return sample(stepper, num_rows=len(prompts), max_steps=max_tokens)
        return sample(
            stepper,
            num_rows=len(prompts),
            max_steps=max_tokens,
            noise=_noise(numbers or range(len(prompts)), sampling.seed, stepper),
            temperature=sampling.temperature,
            top_k=sampling.top_k,
            top_p=sampling.top_p,
        )


def _noise(
    numbers: Sequence[int], seed: int, stepper: TextStepper
) -> Callable[[int], Float[Tensor, "B V"]]:
    """The noise of each step, of a generator for each row."""
    generators = [torch.Generator().manual_seed(_mixed(seed, number)) for number in numbers]
    num_tokens = stepper.log_probs().shape[1]

    def noise(step: int) -> Float[Tensor, "B V"]:
        rows = [gumbel_noise(1, 1, num_tokens, generator=g, device="cpu") for g in generators]
        return torch.cat(rows, dim=1)[0].to(stepper.device)

    return noise


def _mixed(seed: int, number: int) -> int:
    """A seed that differs where either does."""
    return (seed * 1_000_003 + number) % 2**63


@contextmanager
def evaluating(model: Gpt) -> Iterator[None]:
    """Without dropout, and afterwards as before."""
    was_training = model.training
    model.eval()
    try:
        yield
    finally:
        model.train(was_training)
