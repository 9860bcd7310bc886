"""Beam search over any stepper: keep the K best beginnings, extend each, keep the K best again.

Axes: B searches, K beams of each, A actions, T steps; a row of the stepper is search * K + beam.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from tokoban.decoding.candidates import candidate_scores
from tokoban.decoding.stepper import MergingStepper, RankingStepper, Stepper, check_sizes
from tokoban.decoding.visited import VisitedStates


@dataclass(frozen=True)
class Beams:
    """The last beams of each search: finished before unfinished, then the higher rank first.

    A beam for which there was no candidate is empty: no action, score -inf, not finished.
    """

    actions: Int[Tensor, "B K T"]  # -1 after the end
    scores_nats: Float[Tensor, "B K"]  # sum of the log-probabilities of the actions
    is_finished: Bool[Tensor, "B K"]


@torch.no_grad()
def beam_search(
    stepper: Stepper,
    *,
    num_searches: int,
    width: int,
    max_steps: int,
    keep: int | None = None,
    merge_equal: bool = False,
    rank: bool = False,
    stop_at_first: bool = False,
    stop_check_every: int = 1,
) -> Beams:
    """Extends ``width`` beams per search until all are finished or ``max_steps`` are taken.

    The stepper holds ``num_searches * width`` rows, all rows of a search at its start; a start that
    is finished already is for the caller to leave out. A finished beam lives on as itself: one
    successor, at no cost. A beam all of whose actions are forbidden has no successor. With
    ``merge_equal``, for a ``MergingStepper``, successors in equal states are merged before the cut,
    and the best of them survives; a successor in a state that a beam of the same search has been
    in, at any step, is left out. Of equal scores the lower beam * A + action goes first.

    The cut to ``width`` is by score. After it the stepper has stepped (and paid for) that many
    rows; only the ``keep`` (by default all) of the highest rank live on. A row's rank is its score,
    or with ``rank`` what the ``RankingStepper`` makes of it. Where ``keep`` * A is at most
    ``width``, no successor is lost before it is ranked.

    With ``stop_at_first`` a search ends at the step that finishes its first beam, so that no beam
    is longer than the best. Whether all searches have ended is asked of the device every
    ``stop_check_every`` steps (0: never); that saves time and changes no result.
    """
    keep = width if keep is None else keep
    check_sizes(
        num_searches=num_searches,
        width=width,
        max_steps=max_steps,
        keep=keep,
        stop_check_every=stop_check_every,
    )
    merging = stepper if merge_equal and isinstance(stepper, MergingStepper) else None
    ranking = stepper if rank and isinstance(stepper, RankingStepper) else None
    if merge_equal and merging is None:
        raise ValueError("merge_equal: the stepper does not tell equal states from others")
    if rank and ranking is None:
        raise ValueError("rank: the stepper does not rank its rows")
    device = stepper.device
    first_rows = width * torch.arange(num_searches, device=device)[:, None]
    actions = torch.full((num_searches, width, max_steps), -1, device=device)
    is_finished = torch.zeros(num_searches, width, dtype=torch.bool, device=device)
    is_done = torch.zeros(num_searches, 1, dtype=torch.bool, device=device)
    # Only beam 0 is alive at first, else the K equal starts would fill the beam with copies.
    scores = torch.full((num_searches, width), -torch.inf, device=device)
    scores[:, 0] = 0.0
    ranks, visited = scores, None
    if merging is not None:
        visited = VisitedStates(num_searches, max_keys=keep * max_steps + 1, device=device)
        visited.add(merging.keys().view_as(scores), scores == 0.0)

    for step in range(max_steps):
        is_frozen = is_finished | is_done
        candidates = candidate_scores(
            stepper, scores, is_frozen=is_frozen, merging=merging, visited=visited
        )
        num_actions = candidates.shape[-1]
        # A stable sort and not topk, which may break ties otherwise in another batch.
        scores, order = candidates.flatten(1).sort(dim=1, descending=True, stable=True)
        scores, order = scores[:, :width], order[:, :width]  # order: beam * A + action
        parents, chosen = order // num_actions, order % num_actions
        answers = stepper.advance((first_rows + parents).flatten(), chosen.flatten())

        is_frozen = is_frozen.gather(1, parents)
        newest = scores if ranking is None else ranking.ranks(scores.flatten()).view_as(scores)
        ranks = torch.where(is_frozen, ranks.gather(1, parents), newest)
        is_dead = _is_cut(ranks, scores, keep)
        scores, ranks = (x.masked_fill(is_dead, -torch.inf) for x in (scores, ranks))
        if merging is not None and visited is not None:
            visited.add(merging.keys().view_as(scores), ~(is_frozen | is_dead))
        actions = actions.take_along_dim(parents[:, :, None], dim=1)
        actions[:, :, step] = chosen.masked_fill(is_frozen, -1)
        is_finished = torch.where(
            is_frozen, is_finished.gather(1, parents), answers.view_as(is_finished)
        )
        is_finished &= ~is_dead
        is_done = (is_finished | is_dead).all(dim=1, keepdim=True)
        if stop_at_first:
            is_done |= is_finished.any(dim=1, keepdim=True)
        if stop_check_every and (step + 1) % stop_check_every == 0 and bool(is_done.all()):
            break

    order = ranks.argsort(dim=1, descending=True, stable=True)
    is_behind = ~is_finished.gather(1, order)
    order = order.gather(1, is_behind.int().argsort(dim=1, stable=True))[:, :keep]
    scores = scores.gather(1, order)
    actions = actions.take_along_dim(order[:, :, None], dim=1)
    actions = actions.masked_fill((scores == -torch.inf)[:, :, None], -1)
    return Beams(actions, scores, is_finished.gather(1, order))


def _is_cut(
    ranks: Float[Tensor, "B K"], scores: Float[Tensor, "B K"], keep: int
) -> Bool[Tensor, "B K"]:
    """All beams but the ``keep`` best that are alive and worth anything."""
    # The rows of dead beams hold leftovers, whose ranks may be anything, NaN too.
    ranks = ranks.masked_fill(scores == -torch.inf, -torch.inf)
    best = ranks.argsort(dim=1, descending=True, stable=True)[:, :keep]
    is_best = torch.zeros_like(ranks, dtype=torch.bool).scatter_(1, best, True)
    return ~is_best | (ranks == -torch.inf)
