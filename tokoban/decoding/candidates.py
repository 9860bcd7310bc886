"""The candidates of a beam search: every successor of every beam, with its score.

Axes: B searches, K beams of each, A actions; a row of the stepper is search * K + beam.
"""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from tokoban.decoding.stepper import MergingStepper, Stepper
from tokoban.decoding.visited import VisitedStates


def candidate_scores(
    stepper: Stepper,
    scores: Float[Tensor, "B K"],
    *,
    is_frozen: Bool[Tensor, "B K"],
    merging: MergingStepper | None,
    visited: VisitedStates | None,
) -> Float[Tensor, "B K A"]:
    """The score of each beam's successor by each action; -inf where there is none.

    A frozen beam has one successor, itself, as action 0. Of states that ``merging`` finds equal
    only the best is left, and of those in ``visited`` none.
    """
    num_searches, width = scores.shape
    log_probs = stepper.log_probs()
    if log_probs.shape[0] != num_searches * width:
        raise ValueError(
            f"the stepper has {log_probs.shape[0]} rows; expected {num_searches} searches"
            f" x {width} beams = {num_searches * width}"
        )
    extended = scores[:, :, None] + log_probs.view(num_searches, width, -1)
    # The rows of dead beams hold leftovers, whose log-probabilities may be anything, NaN too.
    is_no_parent = (scores == -torch.inf) | is_frozen
    extended = extended.masked_fill(is_no_parent[:, :, None], -torch.inf)
    if merging is not None and visited is not None:
        keys = merging.successor_keys().view_as(extended)
        is_old = visited.contains(keys.flatten(1)).view_as(extended)
        extended = _keep_best_of_equals(extended, keys).masked_fill(is_old, -torch.inf)
    itself = torch.full_like(extended, -torch.inf)
    itself[:, :, 0] = scores
    return torch.where(is_frozen[:, :, None], itself, extended)


def _keep_best_of_equals(
    scores: Float[Tensor, "B K A"], keys: Int[Tensor, "B K A"]
) -> Float[Tensor, "B K A"]:
    """The scores with -inf for every candidate whose key a better one of its search has, too."""
    flat_scores, flat_keys = scores.flatten(1), keys.flatten(1)
    # By score first, then stably by key: in each run of equal keys the best comes first.
    by_score = flat_scores.argsort(dim=1, descending=True, stable=True)
    sorted_keys, by_key = flat_keys.gather(1, by_score).sort(dim=1, stable=True)
    is_first = torch.ones_like(sorted_keys, dtype=torch.bool)
    is_first[:, 1:] = sorted_keys[:, 1:] != sorted_keys[:, :-1]
    is_best = torch.empty_like(is_first).scatter_(1, by_score.gather(1, by_key), is_first)
    return flat_scores.masked_fill(~is_best, -torch.inf).view_as(scores)
