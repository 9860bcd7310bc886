"""Length-penalised beam search: finished hypotheses are ranked by score / penalty(length).

As in GNMT (Wu et al. 2016, arXiv:1609.08144, section 7) and Fairseq: ``width`` unfinished beams
always go on, and those that end become finished hypotheses. In ``beam`` finished beams stay among
the others; ranked by the sum of log-probabilities, short hypotheses would win.

Axes: B searches, K beams of each, A actions, T steps, C candidates, R searches that still go on; a
row of the stepper is search * K + beam of these.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor

from tokoban.decoding.best_successors import best_successors
from tokoban.decoding.stepper import Stepper, check_sizes


@dataclass(frozen=True)
class Hypotheses:
    """The finished hypotheses of each search, the highest rank first.

    One that is missing has no action, and the score -inf.
    """

    actions: Int64[Tensor, "B K T"]  # the end is the last one; -1 after it
    scores_nats: Float[Tensor, "B K"]  # sum of the log-probabilities of the actions


@torch.no_grad()
def length_penalised_beam_search(
    stepper: Stepper,
    *,
    num_searches: int,
    width: int,
    max_steps: int,
    end: int,
    keep: int | None = None,
    penalty: Callable[[int], float] = lambda length: 1.0,
) -> Hypotheses:
    """The ``keep`` (by default ``width``) best hypotheses of each search that end with ``end``.

    At each step the ``width`` best successors are considered: those that end are finished, and the
    next best that do not end take their places. A search is over when ``width`` have finished, or
    sooner if no beam of it can still overtake one of those to keep. What has not ended after
    ``max_steps`` is dropped. Ranks are scores / ``penalty(length)``, the end counted; ``penalty``
    is above 0 and does not decrease.

    The stepper holds ``num_searches * width`` rows, all rows of a search at its start. The rows of
    a search that is over are dropped: ``advance`` gets fewer parents than there were rows, and must
    allow that.
    """
    keep = width if keep is None else keep
    check_sizes(num_searches=num_searches, width=width, max_steps=max_steps, keep=keep)
    device, log_probs = stepper.device, stepper.log_probs()
    finished = _Finished(num_searches, width, max_steps, like=log_probs)
    running = torch.arange(num_searches, device=device)
    actions = torch.full((num_searches, width, max_steps), -1, device=device)
    # Only beam 0 is alive at first, else the K equal starts would fill the beam with copies.
    scores = torch.full_like(finished.scores, -torch.inf)
    scores[:, 0] = 0.0
    has_finished = False

    for step in range(max_steps):
        candidates, parents, chosen = _best_candidates(stepper.log_probs(), scores)
        is_end = chosen == end
        if bool(is_end.any()):
            has_finished = True
            ended = actions.take_along_dim(parents[:, :width, None], dim=1)
            ended[:, :, step] = end
            ended_scores = candidates.masked_fill(~is_end, -torch.inf)[:, :width]
            finished.add(running, ended_scores, ended, penalty=penalty(step + 1))
            # Each beam ends in one way at most, so of twice as many candidates enough go on.
            order = is_end.int().argsort(dim=1, stable=True)
            candidates = candidates.masked_fill(is_end, -torch.inf).gather(1, order)
            parents, chosen = parents.gather(1, order), chosen.gather(1, order)
        scores, parents, chosen = (x[:, :width] for x in (candidates, parents, chosen))
        actions = actions.take_along_dim(parents[:, :, None], dim=1)
        actions[:, :, step] = chosen

        if step + 1 == max_steps:
            break
        rows = parents + width * torch.arange(len(running), device=device)[:, None]
        has_moved = width > 1
        if has_finished:
            # Scores only fall, and the penalty only rises: no beam's rank can come to more.
            is_beaten = finished.ranks[running, keep - 1] >= scores[:, 0] / penalty(max_steps)
            going_on = (~(finished.is_full(running) | is_beaten)).nonzero()[:, 0]
            if len(going_on) == 0:
                break
            if len(going_on) < len(running):
                has_moved = True
                running, scores, actions, rows, chosen = (
                    x[going_on] for x in (running, scores, actions, rows, chosen)
                )
        stepper.advance(rows.flatten() if has_moved else None, chosen.flatten())
    return finished.hypotheses(keep)


class _Finished:
    """The best ``width`` finished hypotheses of each search so far; mutable storage."""

    def __init__(
        self, num_searches: int, width: int, max_steps: int, *, like: Float[Tensor, "_ A"]
    ) -> None:
        shape = num_searches, width
        self.actions = torch.full((*shape, max_steps), -1, device=like.device)
        self.scores = like.new_full(shape, -torch.inf)
        self.ranks = like.new_full(shape, -torch.inf)

    def add(
        self,
        searches: Int64[Tensor, "R"],
        scores: Float[Tensor, "R K"],
        actions: Int64[Tensor, "R K T"],
        *,
        penalty: float,
    ) -> None:
        """Keeps the best of the old and the new; of equal ranks the earlier."""
        all_ranks = torch.cat([self.ranks[searches], scores / penalty], dim=1)
        all_scores = torch.cat([self.scores[searches], scores], dim=1)
        all_actions = torch.cat([self.actions[searches], actions], dim=1)
        best = all_ranks.argsort(dim=1, descending=True, stable=True)[:, : scores.shape[1]]
        self.ranks[searches] = all_ranks.gather(1, best)
        self.scores[searches] = all_scores.gather(1, best)
        self.actions[searches] = all_actions.take_along_dim(best[:, :, None], dim=1)

    def is_full(self, searches: Int64[Tensor, "R"]) -> Bool[Tensor, "R"]:
        """Whether ``width`` hypotheses have finished."""
        return self.ranks[searches, -1] > -torch.inf

    def hypotheses(self, keep: int) -> Hypotheses:
        """The best hypotheses of each search."""
        ranks, scores = self.ranks[:, :keep], self.scores[:, :keep]
        actions = self.actions[:, :keep].masked_fill((ranks == -torch.inf)[:, :, None], -1)
        return Hypotheses(actions, scores)


def _best_candidates(
    log_probs: Float[Tensor, "RK A"], scores: Float[Tensor, "R K"]
) -> tuple[Float[Tensor, "R C"], Int64[Tensor, "R C"], Int64[Tensor, "R C"]]:
    """The scores, beams and actions of the 2 * K best successors, the best first."""
    num_searches, width = scores.shape
    num_rows, num_actions = log_probs.shape
    if num_rows != num_searches * width:
        raise ValueError(
            f"the stepper has {num_rows} rows; expected {num_searches} searches"
            f" x {width} beams = {num_searches * width}"
        )
    best, order = best_successors(scores, log_probs, 2 * width)
    return best, order // num_actions, order % num_actions
