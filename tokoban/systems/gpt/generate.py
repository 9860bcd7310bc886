"""Prompts -> what the model writes after them, as tokens: the most probable ones, or draws."""

from collections.abc import Callable, Sequence

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from tokoban.decoding import GREEDY, Samples, Sampling, seeded_sample
from tokoban.inference.engine import Engine
from tokoban.systems.gpt.engine import engine_of
from tokoban.systems.gpt.model import Gpt
from tokoban.systems.gpt.stepper import TextStepper, forbidden_tokens
from tokoban.transformer import evaluating


@torch.inference_mode()
def generate(
    model: Gpt,
    prompts: Sequence[Sequence[int]],
    *,
    max_tokens: int,
    engine: Engine | None = None,
    sampling: Sampling = GREEDY,
    numbers: Sequence[int] | None = None,
    forbidden_first: Callable[[Float[Tensor, "B V"]], Bool[Tensor, "B V"]] | None = None,
    are_over: Callable[[list[int]], list[bool]] | None = None,
) -> Samples:
    """Continues all prompts together; they may have different lengths.

    Row i draws by noise of its own, that of the number ``numbers[i]`` (i itself if not given), so
    that its text does not depend on the rest of the batch, except for rounding. ``TextStepper``
    explains ``forbidden_first`` and ``are_over``. The ``engine`` is one of this model; by
    default the fastest one is made for this call.
    """
    if max_tokens < 1:
        raise ValueError(f"max_tokens is {max_tokens}; expected at least 1")
    if not prompts:
        raise ValueError("there is no prompt to go on from")
    for number, prompt in enumerate(prompts, start=1):
        if not prompt:
            raise ValueError(f"prompt {number} has no token to go on from")
    with evaluating(model):
        stepper = TextStepper(
            engine or engine_of(model),
            prompts,
            is_forbidden=forbidden_tokens(model),
            forbidden_first=forbidden_first,
            max_steps=max_tokens,
            are_over=are_over,
        )
        keys = [(number,) for number in numbers or range(len(prompts))]
        return seeded_sample(stepper, sampling, keys=keys, max_steps=max_tokens)
