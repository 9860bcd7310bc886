"""The best of all successors of the beams of a search, where there are as many actions as words.

Axes: R searches, K beams of each, A actions, C those found.
"""

import torch
from jaxtyping import Float, Int64
from torch import Tensor

_FEW_SUCCESSORS = 40_000  # of so few in all topk is quicker, since it is one call


def best_successors(
    scores: Float[Tensor, "R K"], log_probs: Float[Tensor, "RK A"], num_best: int
) -> tuple[Float[Tensor, "R C"], Int64[Tensor, "R C"]]:
    """The greatest sums of score and log-probability of each search, falling, and their places.

    A place is beam * A + action. A score of -inf is a dead beam's, whose log-probabilities may be
    anything. Of equals the lower place goes first, but which of them are found at all is left
    open. There are ``num_best``, or fewer where there are no more.
    """
    num_searches, width = scores.shape
    num_actions = log_probs.shape[1]
    num_best = min(num_best, width * num_actions)
    is_of_cpu = log_probs.device.type == "cpu" and log_probs.dtype == torch.float32
    if is_of_cpu and log_probs.numel() > _FEW_SUCCESSORS:
        from tokoban.decoding.compiled_successors import find  # imports numba

        best = scores.new_empty(num_searches, num_best)
        places = torch.empty(num_searches, num_best, dtype=torch.int64)
        find(scores.contiguous().numpy(), log_probs.numpy(), best.numpy(), places.numpy())
        return best, places
    every = scores[:, :, None] + log_probs.unflatten(0, (num_searches, width))
    every.masked_fill_(scores[:, :, None] == -torch.inf, -torch.inf)
    best, places = every.flatten(1).topk(num_best, dim=1)
    places, order = places.sort(dim=1)
    best, by_score = best.gather(1, order).sort(dim=1, descending=True, stable=True)
    return best, places.gather(1, by_score)
