"""The stepper of planning: probable actions and their predicted returns.

Axes: B searches, K beams of each, A candidates, V bins; a row of the search is search * K + beam.
A kept row is search * keep + place: of the K rows only those are read on that the search keeps.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int, Int64
from torch import Tensor

from tokoban.decoding import restrict
from tokoban.systems.trajectory.model import TrajectoryTransformer
from tokoban.systems.trajectory.reading import Reader

_MOST_ROWS = 4096  # of a search; each has keys and values of its own


@dataclass(frozen=True, kw_only=True)
class PlanConfig:
    """The length and width of plans."""

    horizon: int = 5  # transitions
    keep: int = 16  # plans that live on after each of them
    expansion: int = 4  # actions tried after each plan that lives on
    num_past: int = 1  # transitions read besides the current state
    top_p: float | None = 0.9  # of an action's bins, the fewest that reach this probability
    discount: float = 0.97  # that of the returns-to-go which the model was trained on

    @property
    def width(self) -> int:
        """Rows of a search: none is lost before it has been judged."""
        return self.keep * self.expansion

    def __post_init__(self) -> None:
        for name, least in (("horizon", 1), ("keep", 1), ("expansion", 1), ("num_past", 0)):
            if getattr(self, name) < least:
                raise ValueError(f"{name} is {getattr(self, name)}; expected at least {least}")
        if self.width > _MOST_ROWS:
            raise ValueError(f"keep x expansion is {self.width}; expected at most {_MOST_ROWS}")


class PlanStepper:
    """A ``RankingStepper`` whose action is one of some candidates for a whole action.

    The candidates differ in their first number; the others are drawn given it. Rewards and returns
    are expected values, states and rewards are read on as their most probable bins. A plan's rank
    is the discounted sum of its rewards, and the return-to-go at its last transition: each as far
    as the episode is likely to have gone on until there.
    """

    def __init__(
        self,
        model: TrajectoryTransformer,
        reader: Reader,
        start: Float[Tensor, "B T D"],
        *,
        plan: PlanConfig,
        noise: Float[Tensor, "B horizon actions K V"],
        is_possible: Bool[Tensor, "B values"] | None = None,
    ) -> None:
        """``start`` is what is known of each search; ``noise`` is Gumbel noise for the actions."""
        self.model, self.plan, self.noise = model, plan, noise
        self.device = start.device
        num_searches = len(start)
        self.first_actions = self._row_zeros(num_searches, len(model.layout.actions)).long()
        self._depth = 0
        self._gained, self._ranks = (self._row_zeros(num_searches) for _ in range(2))
        self._weight = self._row_zeros(num_searches) + 1
        self._is_alive = self._row_zeros(num_searches).bool()
        self._is_alive.view(num_searches, -1)[:, 0] = True
        # All rows of a search begin as the one row that is read of it.
        self._kept_row = torch.arange(num_searches, device=self.device).repeat_interleave(
            plan.width
        )
        self._reader = reader
        hidden = reader.read(start)
        self._draw(hidden, num_candidates=plan.width, is_possible=is_possible)

    def log_probs(self) -> Float[Tensor, "BK A"]:
        """The log-probabilities of the candidates' first numbers; -inf where the filters cut."""
        return self._candidate_nats[self._kept_row]

    def ranks(self, scores_nats: Float[Tensor, "BK"]) -> Float[Tensor, "BK"]:
        """The expected return of each plan, whatever its probability."""
        return self._ranks

    @torch.no_grad()
    def advance(
        self, parents: Int[Tensor, "BK"] | None, actions: Int[Tensor, "BK"]
    ) -> Bool[Tensor, "BK"]:
        """Reads the action and the reward in all rows; the next state in those to be kept."""
        if parents is None:
            parents = torch.arange(len(self._kept_row), device=self.device)
        kept_rows = self._kept_row[parents]
        self._is_alive = self._is_alive[parents] & (
            self._candidate_nats[kept_rows, actions] > -torch.inf
        )
        first = self._candidates[kept_rows, actions]
        self._reader.reorder(kept_rows)
        chosen, hidden = self._read_action(first)
        if self._depth == 0:
            self.first_actions = chosen
        else:
            self.first_actions = self.first_actions[parents]
        self._judge(parents, hidden)
        self._depth += 1
        return torch.zeros_like(self._is_alive)

    def best_rows(self) -> Int64[Tensor, "B"]:
        """The row of each search whose plan has the highest rank, once the search is over."""
        ranks = self._ranks.masked_fill(~self._is_alive, -torch.inf)
        ranks = ranks.view(-1, self.plan.width)
        return ranks.argmax(dim=1) + self.plan.width * torch.arange(len(ranks), device=self.device)

    def _read_action(
        self, tokens: Int64[Tensor, "BK"]
    ) -> tuple[Int64[Tensor, "BK actions"], Float[Tensor, "BK D"]]:
        """The whole action, whose other numbers are drawn, and the encoder's output after it."""
        columns = self.model.layout.actions
        chosen = [tokens]
        hidden = self._read(tokens, columns[0])
        for place, column in enumerate(columns[1:], start=1):
            allowed = restrict(self._log_probs(hidden, column), top_p=self.plan.top_p)
            noise = self.noise[:, self._depth, place].flatten(0, 1)
            chosen.append((allowed + noise).argmax(dim=1))
            hidden = self._read(chosen[-1], column)
        return torch.stack(chosen, dim=1), hidden

    def _judge(self, parents: Int[Tensor, "BK"], hidden: Float[Tensor, "BK D"]) -> None:
        """Reward, return-to-go and end; then the next state of the best rows."""
        layout, plan = self.model.layout, self.plan
        reward_nats = self._log_probs(hidden, layout.reward)
        hidden = self._read(reward_nats.argmax(dim=1), layout.reward)
        gained, weight = self._gained[parents], self._weight[parents]
        self._ranks = gained + weight * self._expected(
            self._log_probs(hidden, layout.to_go), layout.to_go
        )
        self._gained = gained + weight * self._expected(reward_nats, layout.reward)
        goes_on = self._log_probs(hidden, layout.end)[:, 0].exp()  # its bins: goes on, has ended
        self._weight = weight * plan.discount * goes_on
        if self._depth + 1 == plan.horizon:
            return
        rows = self._rows_to_keep()
        self._reader.reorder(rows)
        hidden = hidden[rows]
        for column in layout.states:
            hidden = self._read(self._log_probs(hidden, column).argmax(dim=1), column)
        self._kept_row = torch.zeros_like(self._kept_row)
        self._kept_row[rows] = torch.arange(len(rows), device=self.device)
        is_kept = torch.zeros_like(self._is_alive)
        is_kept[rows] = True
        self._is_alive &= is_kept
        self._draw(hidden, num_candidates=plan.expansion, depth=self._depth + 1)

    def _rows_to_keep(self) -> Int64[Tensor, "kept"]:
        """The rows that ``beam_search`` with ``keep`` goes on with, by the same rule."""
        plan = self.plan
        ranks = self._ranks.masked_fill(~self._is_alive, -torch.inf).view(-1, plan.width)
        best = ranks.argsort(dim=1, descending=True, stable=True)[:, : plan.keep]
        firsts = plan.width * torch.arange(len(ranks), device=self.device)[:, None]
        return (firsts + best).flatten()

    def _draw(
        self,
        hidden: Float[Tensor, "kept D"],
        *,
        num_candidates: int,
        depth: int = 0,
        is_possible: Bool[Tensor, "B values"] | None = None,
    ) -> None:
        """Candidates for the first number of each kept row's next action, without repetition."""
        log_probs = self._log_probs(hidden, self.model.layout.actions[0])
        if is_possible is not None:
            log_probs[:, : is_possible.shape[1]].masked_fill_(~is_possible, -torch.inf)
        allowed = restrict(log_probs, top_p=self.plan.top_p)
        num_kept = len(hidden) // len(self.noise)  # of each search
        noisy = allowed + self.noise[:, depth, 0, :num_kept].flatten(0, 1)
        num_candidates = min(num_candidates, noisy.shape[1])
        order = noisy.argsort(dim=1, descending=True, stable=True)[:, :num_candidates]
        self._candidates = order
        is_cut = allowed.gather(1, order) == -torch.inf
        self._candidate_nats = log_probs.gather(1, order).masked_fill(is_cut, -torch.inf)

    def _read(self, tokens: Int64[Tensor, "_"], column: int) -> Float[Tensor, "_ D"]:
        return self._reader.read(self.model.embed(tokens[:, None], [column]))

    def _log_probs(self, hidden: Float[Tensor, "_ D"], column: int) -> Float[Tensor, "_ V"]:
        chosen = self.model.bins.index([column])
        return self.model.logits(hidden[:, None], chosen)[:, 0].log_softmax(dim=1)

    def _expected(self, log_probs: Float[Tensor, "_ V"], column: int) -> Float[Tensor, "_"]:
        return log_probs.exp() @ self.model.bins.centres[column].to(log_probs.dtype)

    def _row_zeros(self, num_searches: int, *more: int) -> Tensor:
        weight = self.model.heads
        return weight.new_zeros(num_searches * self.plan.width, *more)
