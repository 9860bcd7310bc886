"""The best of all successors of the beams of a search, where there are as many actions as words.

Axes: R searches, K beams of each, A actions, G stretches of W neighbouring actions, C those found.
"""

import torch
from jaxtyping import Float, Int64
from torch import Tensor

_STRETCH = 64  # actions
_FEW_ACTIONS = 4096  # of so few topk is as quick
_FEW_SUCCESSORS = 40_000  # of so few in all it is quicker, since it is one call


def best_successors(
    scores: Float[Tensor, "R K"], log_probs: Float[Tensor, "RK A"], num_best: int
) -> tuple[Float[Tensor, "R C"], Int64[Tensor, "R C"]]:
    """The greatest sums of score and log-probability of each search, falling, and their places.

    A place is beam * A + action. A score of -inf is a dead beam's, whose log-probabilities may be
    anything. Of equals the lower place goes first, but which of them are found at all is left
    open. There are ``num_best``, or fewer where there are no more.
    """
    num_searches, width = scores.shape
    log_probs = log_probs.unflatten(0, (num_searches, width))
    num_actions = log_probs.shape[2]
    num_best = min(num_best, width * num_actions)
    is_short = num_actions <= max(_FEW_ACTIONS, num_best * _STRETCH)
    if is_short or log_probs.numel() <= _FEW_SUCCESSORS:
        best, places = _extended(scores[:, :, None], log_probs).flatten(1).topk(num_best, dim=1)
    else:
        best, places = _best_of_stretches(scores, log_probs, num_best)
    places, order = places.sort(dim=1)
    best, by_score = best.gather(1, order).sort(dim=1, descending=True, stable=True)
    return best, places.gather(1, by_score)


def _best_of_stretches(
    scores: Float[Tensor, "R K"], log_probs: Float[Tensor, "R K A"], num_best: int
) -> tuple[Float[Tensor, "R C"], Int64[Tensor, "R C"]]:
    """Looks at the C stretches whose best are the best, for these hold the best C of all.

    A third of the time of ``topk``, most of which is the one pass that finds the best of each.
    """
    num_searches, width, num_actions = log_probs.shape
    num_stretches = num_actions // _STRETCH
    stretches = log_probs[:, :, : num_stretches * _STRETCH].unflatten(2, (num_stretches, _STRETCH))
    greatest = _extended(scores[:, :, None], stretches.amax(dim=3))
    places = greatest.flatten(1).topk(num_best, dim=1, sorted=False).indices
    beams, numbers = places // num_stretches, places % num_stretches
    searches = torch.arange(num_searches, device=scores.device)[:, None]
    found = _extended(scores.gather(1, beams)[:, :, None], stretches[searches, beams, numbers])
    # Those after the last whole stretch are looked at whatever they are.
    rest = _extended(scores[:, :, None], log_probs[:, :, num_stretches * _STRETCH :])
    first = beams * num_actions + numbers * _STRETCH
    inside = torch.arange(_STRETCH, device=scores.device)
    after = torch.arange(num_stretches * _STRETCH, num_actions, device=scores.device)
    starts = num_actions * torch.arange(width, device=scores.device)[:, None]
    all_places = torch.cat(
        [
            (first[:, :, None] + inside).flatten(1),
            (starts + after).flatten().expand(num_searches, -1),
        ],
        dim=1,
    )
    best, order = torch.cat([found.flatten(1), rest.flatten(1)], dim=1).topk(num_best, dim=1)
    return best, all_places.gather(1, order)


def _extended(
    scores: Float[Tensor, "R K 1"], log_probs: Float[Tensor, "R K A"]
) -> Float[Tensor, "R K A"]:
    return (scores + log_probs).masked_fill_(scores == -torch.inf, -torch.inf)
