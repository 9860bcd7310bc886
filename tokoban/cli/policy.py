"""The policy as a solver: many boards at once, and words for what it thinks of them."""

import time
from collections.abc import Sequence
from typing import Literal

from tokoban import pretrained
from tokoban.cli.answers import Answer, replayed
from tokoban.sokoban.board import Board
from tokoban.sokoban.formats import lurd
from tokoban.sokoban.simulation.bitboards import Bitboards
from tokoban.systems.sokoban_policy import solve as policy_solve
from tokoban.systems.sokoban_policy.attention_panels import attention_panels
from tokoban.systems.sokoban_policy.config import Precision, Score
from tokoban.systems.sokoban_policy.memory import DEFAULT_LIMIT_BYTES
from tokoban.systems.sokoban_policy.model import SokobanPolicy
from tokoban.systems.sokoban_policy.solve import Judgement
from tokoban.training.device import DeviceChoice, find_device
from tokoban.viewing.attention_page import AttentionPanel


class Policy:
    """Trained weights on a device, asked about many boards at once."""

    def __init__(
        self,
        weights: str,
        *,
        device: DeviceChoice,
        precision: Precision = "fp32",
        memory_limit: int = DEFAULT_LIMIT_BYTES,
    ) -> None:
        """``weights`` as ``pretrained.load`` takes them; it raises as that does.

        ``memory_limit`` is in bytes, and beside the weights.
        """
        model, _ = pretrained.load(weights, system="sokoban")
        assert isinstance(model, SokobanPolicy)
        self.device = find_device(device)
        self.model = model.to(self.device)
        self.precision, self.memory_limit = precision, memory_limit

    @property
    def longest_plan(self) -> int:
        """The most moves that it has room for."""
        return self.model.max_moves

    def judge(self, board: Board) -> Judgement:
        """Its first impression of a board; raises ``ValueError`` saying why one does not fit it."""
        levels = self._pack([self._fit(board)])
        return policy_solve.judge(self.model, levels, memory_limit=self.memory_limit)[0]

    def answers(
        self,
        boards: Sequence[Board],
        *,
        by: Literal["beam", "rollout"],
        width: int,
        max_moves: int,
        score: Score = "log_likelihood",
        max_unsolvable: float = 1.0,
    ) -> list[Answer]:
        """An answer for each board; ``elapsed_s`` is its share of the time they took together.

        A policy proves nothing: what it does not solve, or what does not fit it, is given up. A
        rollout has no ``width``, no ``score`` and no ``max_unsolvable``.
        """
        answers: dict[int, Answer] = {}
        fitted: dict[int, Board] = {}
        for index, board in enumerate(boards):
            try:
                fitted[index] = self._fit(board)
            except ValueError as error:
                answers[index] = Answer("gave up", by, 0.0, f"does not fit the policy: {error}")
        if not fitted:
            return list(answers.values())
        started_s = time.perf_counter()
        levels = self._pack(list(fitted.values()))
        judgements = policy_solve.judge(self.model, levels, memory_limit=self.memory_limit)
        precision, memory_limit = self.precision, self.memory_limit
        if by == "beam":
            plans = policy_solve.by_beam(
                self.model,
                levels,
                width=width,
                max_moves=max_moves,
                score=score,
                max_unsolvable=max_unsolvable,
                precision=precision,
                memory_limit=memory_limit,
            )
        else:
            plans = policy_solve.by_rollout(
                self.model,
                levels,
                max_moves=max_moves,
                precision=precision,
                memory_limit=memory_limit,
            )
        share_s = (time.perf_counter() - started_s) / len(fitted)
        for index, plan, thought in zip(fitted, plans, judgements, strict=True):
            if plan is None:
                remark = f"no plan within {max_moves} moves; {describe(thought)}"
                answers[index] = Answer("gave up", by, share_s, remark, judgement=thought)
            else:
                moves = replayed(boards[index], plan)
                remark = describe(thought)
                answers[index] = Answer("solved", by, share_s, remark, moves, judgement=thought)
        return [answers[index] for index in range(len(boards))]

    def attention_panels(self, board: Board, moves: str) -> list[AttentionPanel]:
        """What it looks at along a solution in LURD, its own or not; errors as of ``judge``."""
        return attention_panels(self.model, self._pack([self._fit(board)]), lurd.parse(moves))

    def _fit(self, board: Board) -> Board:
        return policy_solve.fit(board, margin=self.model.margin)

    def _pack(self, boards: Sequence[Board]) -> Bitboards:
        return policy_solve.pack(boards, self.device, margin=self.model.margin)


def describe(judgement: Judgement) -> str:
    """What the policy thinks, in words."""
    lost = judgement.predicted_unsolvable
    if lost > 0.5:
        return f"policy: unsolvable, {lost:.0%} sure"
    return f"policy: solvable, {1 - lost:.0%} sure, {judgement.likeliest_bin} moves left"
