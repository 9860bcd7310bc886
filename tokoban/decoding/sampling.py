"""Rollouts: each row takes one action after another, the most probable ones or sampled ones.

Axes: B rows, T steps, A actions.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from tokoban.decoding.stepper import Stepper, check_sizes


@dataclass(frozen=True)
class Samples:
    """The sampled actions of each row; a row without allowed actions or steps is unfinished."""

    actions: Int[Tensor, "B T"]  # -1 after the end
    lengths: Int[Tensor, "B"]
    scores_nats: Float[Tensor, "B"]  # sum of the model's own log-probabilities of the actions
    is_finished: Bool[Tensor, "B"]


@torch.no_grad()
def sample(
    stepper: Stepper,
    *,
    num_rows: int,
    max_steps: int,
    noise: Float[Tensor, "T B A"] | Callable[[int], Float[Tensor, "B A"]] | None = None,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    stop_check_every: int = 1,
) -> Samples:
    """Rolls every row out for ``max_steps`` actions, or until it is finished.

    Without ``noise`` a row takes its most probable action, whatever the restrictions. With
    ``gumbel_noise`` it takes the best sum of restricted log-probability and noise, which draws
    each action with its restricted probability; where there are many actions, a function may draw
    the noise of one step at a time. A row all of whose actions are forbidden ends there,
    unfinished, with the score and actions that it has. Whether all rows have ended is asked of the
    device every ``stop_check_every`` steps (0: never); that saves time and changes no result.
    """
    check_sizes(num_rows=num_rows, max_steps=max_steps, stop_check_every=stop_check_every)
    device = stepper.device
    actions = torch.full((num_rows, max_steps), -1, device=device)
    scores = torch.zeros(num_rows, device=device)
    is_finished = torch.zeros(num_rows, dtype=torch.bool, device=device)
    is_ended = torch.zeros(num_rows, dtype=torch.bool, device=device)

    for step in range(max_steps):
        log_probs = stepper.log_probs()
        _check_shapes(log_probs, noise, num_rows, max_steps)
        preferences = log_probs
        if noise is not None:
            allowed = restrict(log_probs, temperature=temperature, top_k=top_k, top_p=top_p)
            preferences = allowed + (noise(step) if callable(noise) else noise[step])
        chosen = preferences.argmax(dim=1)
        chosen_nats = log_probs.gather(1, chosen[:, None])[:, 0]
        # The best action of a row is forbidden only where all are.
        is_ended = is_ended | (chosen_nats == -torch.inf)
        answers = stepper.advance(None, chosen)

        actions[:, step] = chosen.masked_fill(is_ended, -1)
        scores = scores + chosen_nats.masked_fill(is_ended, 0.0)
        is_finished = is_finished | (answers & ~is_ended)
        is_ended = is_ended | is_finished
        if stop_check_every and (step + 1) % stop_check_every == 0 and bool(is_ended.all()):
            break

    return Samples(actions, (actions >= 0).sum(dim=1), scores, is_finished)


def restrict(
    log_probs: Float[Tensor, "*B A"],
    *,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Float[Tensor, "*B A"]:
    """The distribution to sample from: temperature, top-k and top-p applied, renormalised.

    In this order: divided by ``temperature``; cut to the ``top_k`` most probable; cut to the fewest
    most probable whose probabilities reach ``top_p`` together. What is cut becomes -inf. Of equally
    probable actions the first ones are kept, and the most probable action always is. A row that is
    all -inf stays so.
    """
    _check_restrictions(temperature, top_k, top_p)
    # The best becomes 0 first, so that no temperature, however low, overflows it to -inf.
    best = log_probs.amax(dim=-1, keepdim=True)
    # Where the type would round the temperature to 0 or to infinity, 0 / 0 or inf / inf is NaN.
    limits = torch.finfo(log_probs.dtype)
    temperature = min(max(temperature, limits.tiny), limits.max)
    kept = _renormalised((log_probs - _finite(best)) / temperature)
    if top_k is not None and top_k < log_probs.shape[-1]:
        order = kept.argsort(dim=-1, descending=True, stable=True)
        kept = _keep_first(kept, order, top_k)
    if top_p is not None and top_p < 1.0:  # at 1 rounding would cut the rarest actions
        descending, order = kept.sort(dim=-1, descending=True, stable=True)
        reached_before = descending.exp().cumsum(dim=-1) - descending.exp()
        # The first one also where the type rounds ``top_p`` to 0.
        num_kept = (reached_before < top_p).sum(dim=-1, keepdim=True).clamp_min(1)
        kept = _keep_first(kept, order, num_kept)
    return kept


def _keep_first(
    log_probs: Float[Tensor, "*B A"],
    order: Int[Tensor, "*B A"],
    num_kept: int | Int[Tensor, "*B 1"],
) -> Float[Tensor, "*B A"]:
    """The first so many actions in ``order``, renormalised; -inf for the others."""
    is_behind = torch.arange(order.shape[-1], device=order.device) >= num_kept
    is_cut = torch.zeros_like(order, dtype=torch.bool)
    is_cut.scatter_(-1, order, is_behind.expand_as(order))
    return _renormalised(log_probs.masked_fill(is_cut, -torch.inf))


def gumbel_noise(
    max_steps: int,
    num_rows: int,
    num_actions: int,
    *,
    generator: torch.Generator,
    device: torch.device | str,
) -> Float[Tensor, "T B A"]:
    """Noise for all steps of ``sample``: standard Gumbel, finite, drawn where the generator lives.

    A generator of the CPU gives the same noise for every device.
    """
    shape = (max_steps, num_rows, num_actions)
    exponential = torch.empty(shape, device=generator.device).exponential_(generator=generator)
    # A draw of exactly 0 would be noise of +inf, and a forbidden action plus that NaN.
    return -exponential.clamp_min(torch.finfo(exponential.dtype).tiny).log().to(device)


def _renormalised(log_probs: Float[Tensor, "*B A"]) -> Float[Tensor, "*B A"]:
    return log_probs - _finite(log_probs.logsumexp(dim=-1, keepdim=True))


def _finite(totals: Float[Tensor, "*B 1"]) -> Float[Tensor, "*B 1"]:
    """Rows that are all -inf have -inf as their best and total; subtracting that would give NaN."""
    return totals.masked_fill(totals == -torch.inf, 0.0)


def _check_shapes(
    log_probs: Float[Tensor, "_ A"],
    noise: Float[Tensor, "_ _ _"] | Callable[[int], Tensor] | None,
    num_rows: int,
    max_steps: int,
) -> None:
    if log_probs.shape[0] != num_rows:
        raise ValueError(f"the stepper has {log_probs.shape[0]} rows; expected {num_rows}")
    expected = (max_steps, num_rows, log_probs.shape[1])
    if isinstance(noise, Tensor) and tuple(noise.shape) != expected:
        raise ValueError(f"noise has shape {tuple(noise.shape)}; expected {expected}")


def _check_restrictions(temperature: float, top_k: int | None, top_p: float | None) -> None:
    if not 0.0 < temperature < math.inf:
        raise ValueError(f"temperature is {temperature}; expected more than 0, and finite")
    if top_k is not None and top_k < 1:
        raise ValueError(f"top_k is {top_k}; expected at least 1")
    if top_p is not None and not 0.0 < top_p <= 1.0:
        raise ValueError(f"top_p is {top_p}; expected more than 0, at most 1")
