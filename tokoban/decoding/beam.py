"""Beam search over any stepper: keep the K best beginnings, extend each, keep the K best again.

Axes: B searches, K beams of each, A actions, T steps; a row of the stepper is search * K + beam.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from tokoban.decoding.stepper import MergingStepper, Stepper


@dataclass(frozen=True)
class Beams:
    """What each search kept, best first: finished before unfinished, then the higher score first.

    A beam for which there was no candidate is empty: length 0, score -inf, not finished.
    """

    actions: Int[Tensor, "B K T"]  # -1 after the end
    lengths: Int[Tensor, "B K"]
    scores_nats: Float[Tensor, "B K"]  # sum of the log-probabilities of the actions
    is_finished: Bool[Tensor, "B K"]


@torch.no_grad()
def beam_search(
    stepper: Stepper,
    *,
    num_searches: int,
    width: int,
    max_steps: int,
    stop_at_first: bool = False,
    stop_check_every: int = 1,
) -> Beams:
    """Extends ``width`` beams per search until all are finished or ``max_steps`` are taken.

    The stepper holds ``num_searches * width`` rows, all rows of a search at its start; a start that
    is finished already is for the caller to leave out. A finished beam lives on as itself: one
    successor, at no cost. A beam all of whose actions are forbidden has no successor. If the
    stepper is a ``MergingStepper``, successors in equal states are merged before the cut, and the
    best of them survives. Of equal scores the lower beam * A + action goes first.

    With ``stop_at_first`` a search ends at the step that finishes its first beam, so that no beam
    is longer than the best. Whether all searches have ended is asked of the device every
    ``stop_check_every`` steps (0: never); that saves time and changes no result.
    """
    _check_sizes(num_searches, width, max_steps, stop_check_every)
    device = stepper.device
    first_rows = width * torch.arange(num_searches, device=device)[:, None]
    actions = torch.full((num_searches, width, max_steps), -1, device=device)
    is_finished = torch.zeros(num_searches, width, dtype=torch.bool, device=device)
    is_done = torch.zeros(num_searches, 1, dtype=torch.bool, device=device)
    # Only beam 0 is alive at first, else the K equal starts would fill the beam with copies.
    scores = torch.full((num_searches, width), -torch.inf, device=device)
    scores[:, 0] = 0.0

    for step in range(max_steps):
        is_frozen = is_finished | is_done
        candidates = _candidate_scores(stepper, scores, is_frozen)  # [B, K, A]
        num_actions = candidates.shape[-1]
        # A stable sort and not topk, which may break ties otherwise in another batch.
        scores, order = candidates.flatten(1).sort(dim=1, descending=True, stable=True)
        scores, order = scores[:, :width], order[:, :width]  # order: beam * A + action
        parents, chosen = order // num_actions, order % num_actions
        answers = stepper.advance((first_rows + parents).flatten(), chosen.flatten())

        is_dead = scores == -torch.inf
        is_frozen = is_frozen.gather(1, parents)
        actions = actions.take_along_dim(parents[:, :, None], dim=1)
        actions[:, :, step] = chosen.masked_fill(is_frozen | is_dead, -1)
        is_finished = torch.where(
            is_frozen, is_finished.gather(1, parents), answers.view_as(is_finished)
        )
        is_finished &= ~is_dead
        is_done = (is_finished | is_dead).all(dim=1, keepdim=True)
        if stop_at_first:
            is_done |= is_finished.any(dim=1, keepdim=True)
        if stop_check_every and (step + 1) % stop_check_every == 0 and bool(is_done.all()):
            break

    # The cut has put the beams in order of score already.
    order = is_finished.int().argsort(dim=1, descending=True, stable=True)
    scores = scores.gather(1, order)
    actions = actions.take_along_dim(order[:, :, None], dim=1)
    actions = actions.masked_fill((scores == -torch.inf)[:, :, None], -1)
    return Beams(actions, (actions >= 0).sum(dim=2), scores, is_finished.gather(1, order))


def _candidate_scores(
    stepper: Stepper, scores: Float[Tensor, "B K"], is_frozen: Bool[Tensor, "B K"]
) -> Float[Tensor, "B K A"]:
    """The score of each beam's successor by each action; -inf where there is none."""
    num_searches, width = scores.shape
    log_probs = stepper.log_probs()
    if log_probs.shape[0] != num_searches * width:
        raise ValueError(
            f"the stepper has {log_probs.shape[0]} rows; expected {num_searches} searches"
            f" x {width} beams = {num_searches * width}"
        )
    extended = scores[:, :, None] + log_probs.view(num_searches, width, -1)
    # The rows of dead beams hold leftovers, whose log-probabilities may be anything, NaN too.
    extended = extended.masked_fill((scores == -torch.inf)[:, :, None], -torch.inf)
    if isinstance(stepper, MergingStepper):
        keys = stepper.successor_keys().view_as(extended)
        extended = _keep_best_of_equals(extended, keys, is_frozen)
    itself = torch.full_like(extended, -torch.inf)  # a frozen beam's one successor, as action 0
    itself[:, :, 0] = scores
    return torch.where(is_frozen[:, :, None], itself, extended)


def _keep_best_of_equals(
    scores: Float[Tensor, "B K A"], keys: Int[Tensor, "B K A"], is_frozen: Bool[Tensor, "B K"]
) -> Float[Tensor, "B K A"]:
    """The scores with -inf for every candidate whose key a better one of its search has, too.

    Candidates of frozen beams neither count as better nor keep their scores: they become -inf.
    """
    flat_scores = scores.masked_fill(is_frozen[:, :, None], -torch.inf).flatten(1)
    flat_keys = keys.flatten(1)
    # By score first, then stably by key: in each run of equal keys the best comes first.
    by_score = flat_scores.argsort(dim=1, descending=True, stable=True)
    sorted_keys, by_key = flat_keys.gather(1, by_score).sort(dim=1, stable=True)
    is_first = torch.ones_like(sorted_keys, dtype=torch.bool)
    is_first[:, 1:] = sorted_keys[:, 1:] != sorted_keys[:, :-1]
    is_best = torch.empty_like(is_first).scatter_(1, by_score.gather(1, by_key), is_first)
    return flat_scores.masked_fill(~is_best, -torch.inf).view_as(scores)


def _check_sizes(num_searches: int, width: int, max_steps: int, stop_check_every: int) -> None:
    sizes = {"num_searches": num_searches, "width": width, "max_steps": max_steps}
    for name, size in sizes.items():
        if size < 1:
            raise ValueError(f"{name} is {size}; expected at least 1")
    if stop_check_every < 0:
        raise ValueError(f"stop_check_every is {stop_check_every}; expected 0 (never) or more")
