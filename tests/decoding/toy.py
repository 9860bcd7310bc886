"""A stepper for tests whose state is its whole history, so that no wrong parent can hide.

Axes: R rows, T steps so far, A actions; the rows of one search share its seed.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

Model = Callable[[Int[Tensor, "R"], Int[Tensor, "R T"]], Float[Tensor, "R A"]]


def random_model(num_actions: int, *, forbidden_percent: int = 0) -> Model:
    """Log-probabilities that depend on the seed and on every action of the history."""

    def mixed(keys: Tensor, actions: Tensor) -> Tensor:
        keys = (keys * 1_000_003 + actions + 1) % 2_147_483_647
        return (keys ^ (keys >> 15)) * 2_246_823 % 2_147_483_647

    def model(seeds: Tensor, histories: Tensor) -> Tensor:
        keys = seeds
        for actions in histories.unbind(dim=1):
            keys = mixed(keys, actions)
        keys = mixed(keys[:, None], torch.arange(num_actions, device=keys.device))
        logits = 3.0 * keys.double().sin()
        logits = logits.masked_fill(keys % 100 < forbidden_percent, -torch.inf)
        return logits.log_softmax(dim=1).nan_to_num(nan=-torch.inf, neginf=-torch.inf)

    return model


def table_model(probabilities: Mapping[tuple[int, ...], Sequence[float]]) -> Model:
    """Log-probabilities written down by history; all actions are forbidden after any other."""
    num_actions = len(next(iter(probabilities.values())))

    def model(seeds: Tensor, histories: Tensor) -> Tensor:
        nothing = [0.0] * num_actions
        rows = [probabilities.get(tuple(history), nothing) for history in histories.tolist()]
        return torch.tensor(rows, dtype=torch.float64).log()

    return model


class ToyStepper:
    """Rows that remember all actions; ``end_action`` finishes a row, a forbidden one breaks it.

    The log-probabilities of finished and broken rows are NaN: nobody may read them.
    """

    def __init__(
        self,
        model: Model,
        *,
        seeds: Sequence[int] = (7,),
        width: int = 1,
        end_action: int | None = None,
        device: str = "cpu",
    ) -> None:
        self.device = torch.device(device)
        self.model = model
        self.end_action = end_action
        self.seeds = torch.tensor(seeds, device=self.device).repeat_interleave(width)
        self.histories = self.seeds.new_empty(len(self.seeds), 0)
        self.is_over = torch.zeros_like(self.seeds, dtype=torch.bool)
        self.given = model(self.seeds, self.histories)
        self.num_calls = 0
        self.is_leftover = torch.zeros_like(self.is_over)  # over before the newest step, or broken

    def log_probs(self) -> Float[Tensor, "R A"]:
        self.num_calls += 1
        return self.given

    def advance(
        self, parents: Int[Tensor, "R"] | None, actions: Int[Tensor, "R"]
    ) -> Bool[Tensor, "R"]:
        assert self.given._version == 0, "log_probs was written to"
        if parents is None:
            parents = torch.arange(len(actions), device=self.device)
        taken = self.given[parents].gather(1, actions[:, None])[:, 0]
        is_ending = actions == (-1 if self.end_action is None else self.end_action)
        self.is_leftover = self.is_over[parents] | ~taken.isfinite()
        self.is_over = self.is_leftover | is_ending
        self.seeds = self.seeds[parents]
        self.histories = torch.cat([self.histories[parents], actions[:, None]], dim=1)
        given = self.model(self.seeds, self.histories)
        self.given = torch.where(self.is_over[:, None], torch.nan, given)
        return is_ending


class MergingToyStepper(ToyStepper):
    """Two states are equal when ``toy_key`` says so; with a ``modulus`` paths come back."""

    def __init__(self, *arguments: Any, modulus: int = 2**62, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.modulus = modulus

    def keys(self) -> Int[Tensor, "R"]:
        weights = 100 ** torch.arange(self.given.shape[1], device=self.device)
        return weights[self.histories].sum(dim=1) % self.modulus

    def successor_keys(self) -> Int[Tensor, "R A"]:
        weights = 100 ** torch.arange(self.given.shape[1], device=self.device)
        return (weights[self.histories].sum(dim=1, keepdim=True) + weights) % self.modulus


def toy_key(plan: Sequence[int], modulus: int = 2**62) -> int:
    """The key of the state after ``plan``: the same actions in whatever order give the same one."""
    return sum(100**action for action in plan) % modulus


class RankingToyStepper(MergingToyStepper):
    """Ranks as ``toy_ranks`` has them; those of finished and broken rows are NaN."""

    def ranks(self, scores_nats: Float[Tensor, "R"]) -> Float[Tensor, "R"]:
        ranks = toy_ranks(self.seeds, self.histories, scores_nats)
        return torch.where(self.is_leftover, torch.nan, ranks)


def toy_ranks(
    seeds: Int[Tensor, "R"], histories: Int[Tensor, "R T"], scores_nats: Float[Tensor, "R"]
) -> Float[Tensor, "R"]:
    """The score, and as much again by the seed and the whole history; some rows are worthless."""
    judgements = random_model(5, forbidden_percent=10)(seeds + 1, histories)[:, 0]
    return scores_nats + judgements


def replayed_score_nats(model: Model, seed: int, plan: Sequence[int]) -> float:
    """The sum of the log-probabilities of a plan's actions, each after those before it."""
    score = 0.0
    for step, action in enumerate(plan):
        log_probs = model(torch.tensor([seed]), torch.tensor([plan[:step]], dtype=torch.int64))
        score += float(log_probs[0, action])
    return score
