"""The player on the device: KV cache, games and answers side by side; nothing crosses to the host.

Axes: a row R is one game (search * K + beam in a beam search), A the five actions, T positions.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int, Int64
from torch import Tensor

from tokoban.sokoban.simulation import bitboards
from tokoban.sokoban.simulation.bitboards import Bitboards
from tokoban.systems.sokoban_policy.config import Precision, Score
from tokoban.systems.sokoban_policy.episodes import (
    FIRST_BOARD,
    Game,
    expected_moves_left,
    unsolvable_probability,
)
from tokoban.systems.sokoban_policy.model import Answers, SokobanPolicy
from tokoban.transformer import CachedStep


class Thoughts(NamedTuple):
    """What is thought of each row's board."""

    log_probs: Float[Tensor, "R A"]
    steps_left_logits: Float[Tensor, "R 7"]
    is_solved: Bool[Tensor, "R"]


class PolicyStepper:
    """Plays one game per row as the policy's answers and the decoding say.

    A ``MergingStepper`` and a ``RankingStepper``. Moves that change nothing are forbidden, and so
    is undo unless ``allow_undo``; what remains is normalised. After ``max_moves`` actions the
    policy has no room for another board.
    """

    def __init__(
        self,
        model: SokobanPolicy,
        levels: Bitboards,
        *,
        allow_undo: bool,
        score: Score = "log_likelihood",
        max_unsolvable: float = 1.0,
        precision: Precision = "fp32",
        compiled: bool = False,
    ) -> None:
        """``levels`` are starts [R] on the model's device; they must not be solved already.

        A row is worth what ``score`` says, and nothing at all where the policy holds it for
        unsolvable with a probability above ``max_unsolvable`` (1: never). ``compiled`` makes one
        compiled function of a step: half a minute for the first two sizes of a batch, then none.
        """
        self.model, self.allow_undo, self.precision = model, allow_undo, precision
        self.score, self.max_unsolvable = score, max_unsolvable
        self.device = levels.boxes.device
        self.game = Game(levels, model.max_positions)
        dtype = torch.bfloat16 if precision == "bf16" else None
        self.cache = model.new_cache(len(levels.boxes), dtype=dtype)
        self.num_moves = 0
        self._step = _compiled_step() if compiled else _step
        with torch.no_grad(), _exactly(precision), _autocast(self.device, precision):
            answers = model(self.game.all_boards(FIRST_BOARD + 1), cache=self.cache)
            self._thoughts = _thoughts(answers, self.game.current(), allow_undo=allow_undo)

    @property
    def max_moves(self) -> int:
        """How many actions fit: every position but the goal's and the start's."""
        return self.model.max_moves

    def log_probs(self) -> Float[Tensor, "R A"]:
        """The policy's next actions; a walled-in player has none, and all of them are -inf."""
        return self._thoughts.log_probs

    def ranks(self, scores_nats: Float[Tensor, "R"]) -> Float[Tensor, "R"]:
        """What each row is worth as ``score`` says, given the log-likelihood of its moves.

        A solved row has no moves left and is never unsolvable.
        """
        _, logits, is_solved = self._thoughts
        ranks = scores_nats
        if self.score != "log_likelihood":
            moves_left = expected_moves_left(logits).masked_fill(is_solved, 0.0)
            ranks = scores_nats - moves_left if self.score == "both" else -moves_left
        if self.max_unsolvable < 1.0:
            is_lost = (unsolvable_probability(logits) > self.max_unsolvable) & ~is_solved
            ranks = ranks.masked_fill(is_lost, -torch.inf)
        return ranks

    @property
    def _ranks_by_thoughts(self) -> bool:
        return self.score != "log_likelihood" or self.max_unsolvable < 1.0

    def keys(self) -> Int64[Tensor, "R"]:
        """Keys of the boards now."""
        return bitboards.keys(self.game.current())

    def successor_keys(self) -> Int64[Tensor, "R A"]:
        """Keys of the boards after each action."""
        after = bitboards.successors(self.game.current())
        undone = self.game.undone()
        words = (
            torch.cat([word, back.unsqueeze(1)], dim=1)
            for word, back in zip(after, undone, strict=True)
        )
        return bitboards.keys(Bitboards(*words))

    @torch.no_grad()
    def advance(
        self, parents: Int[Tensor, "R"] | None, actions: Int[Tensor, "R"]
    ) -> Bool[Tensor, "R"]:
        """Plays, and asks the policy about the new boards; a game is finished when it is solved."""
        if parents is not None:
            self.game.reorder(parents)
            self.cache.reorder(parents)
        self.num_moves += 1
        if self.num_moves == self.max_moves and not self._ranks_by_thoughts:
            self.game.advance(actions)  # no move follows, so nobody reads what is thought of it
            return bitboards.is_solved(self.game.current())
        with _exactly(self.precision):
            self._thoughts = self._step(
                self.model,
                self.game,
                self.cache.take_step(),
                actions,
                allow_undo=self.allow_undo,
                precision=self.precision,
            )
        return self._thoughts.is_solved


def _step(
    model: SokobanPolicy,
    game: Game,
    place: CachedStep,
    actions: Int[Tensor, "R"],
    *,
    allow_undo: bool,
    precision: Precision,
) -> Thoughts:
    """One action of every game, and what the policy says to that: what is compiled as one."""
    game.advance(actions)
    boards = game.current()
    newest = boards.map(lambda word: word.unsqueeze(1))
    with _autocast(boards.boxes.device, precision):
        answers = model(newest, cache=place)
    return _thoughts(answers, boards, allow_undo=allow_undo)


@cache
def _compiled_step() -> Callable[..., Thoughts]:
    return torch.compile(_step, fullgraph=True)


def _thoughts(answers: Answers, boards: Bitboards, *, allow_undo: bool) -> Thoughts:
    """The last position's answers, without the actions that are not allowed."""
    logits = answers.action_logits[:, -1].float()
    may_undo = torch.full_like(logits[:, :1], allow_undo, dtype=torch.bool)
    is_allowed = torch.cat([bitboards.is_legal(boards), may_undo], dim=1)
    logits = logits.masked_fill(~is_allowed, -torch.inf)
    return Thoughts(
        logits - logits.logsumexp(1, keepdim=True).nan_to_num(neginf=0.0),
        answers.steps_left_logits[:, -1].float(),
        bitboards.is_solved(boards),
    )


@contextmanager
def _exactly(precision: Precision) -> Iterator[None]:
    """In fp32 without TF32, by which a GPU's convolutions round what they read unless told not to.

    Outside of what is compiled, since the switch is the whole process's.
    """
    switch = torch.backends.cudnn
    before = switch.allow_tf32
    switch.allow_tf32 = before and precision != "fp32"
    try:
        yield
    finally:
        switch.allow_tf32 = before


def _autocast(device: torch.device, precision: Precision) -> AbstractContextManager:
    if precision == "fp32":
        return nullcontext()
    # No copy of a weight may outlive the step: a captured graph would go on reading it.
    return torch.autocast(device.type, torch.bfloat16, cache_enabled=False)
