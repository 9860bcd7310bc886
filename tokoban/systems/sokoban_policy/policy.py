"""The policy as a solver: many boards at once, and what it predicts of them in words."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from torch import nn

from tokoban import compiling
from tokoban.sokoban.board import Board
from tokoban.sokoban.formats import Solution
from tokoban.sokoban.search.answer import Answer
from tokoban.systems.sokoban_policy import solve
from tokoban.systems.sokoban_policy.config import BEAM_WIDTH
from tokoban.systems.sokoban_policy.fitting import fit
from tokoban.systems.sokoban_policy.memory import DEFAULT_LIMIT_BYTES
from tokoban.systems.sokoban_policy.model import SokobanPolicy
from tokoban.systems.sokoban_policy.solve import Prediction
from tokoban.training.device import DeviceChoice, find_device


class PolicyAnswer(NamedTuple):
    """An answer, and what the policy predicted of the board if the board fits it."""

    answer: Answer
    prediction: Prediction | None


class Policy:
    """A trained policy on a device, asked about many boards at once."""

    def __init__(
        self,
        model: nn.Module,
        *,
        device: DeviceChoice = "cpu",
        memory_limit_bytes: int = DEFAULT_LIMIT_BYTES,
    ) -> None:
        """``memory_limit_bytes`` does not count the weights.

        Raises ``ValueError`` for a model that is no Sokoban policy.
        """
        if not isinstance(model, SokobanPolicy):
            raise ValueError(f"the model is a {type(model).__name__}; expected a Sokoban policy")
        self.device = find_device(device)
        self.model = model.to(self.device)
        self.memory_limit_bytes = memory_limit_bytes

    @property
    def longest_solution(self) -> int:
        """The most moves that a solution of the policy can have."""
        return self.model.max_moves

    def predict(self, board: Board) -> Prediction:
        """Its prediction for a board; raises ``ValueError`` saying why a board does not fit."""
        levels = solve.pack([fit(board)], self.device)
        return solve.predict(self.model, levels, memory_limit=self.memory_limit_bytes)[0]

    def solve(
        self,
        boards: Sequence[Board],
        *,
        by: Literal["beam", "rollout"] = "beam",
        width: int = BEAM_WIDTH,
    ) -> list[PolicyAnswer]:
        """An answer for each board; ``elapsed_s`` is its share of the time they took together.

        A policy proves nothing: it gives up a board that it does not solve or that does not fit it.
        A rollout ignores ``width``.
        """
        answers: dict[int, PolicyAnswer] = {}
        fitted: dict[int, Board] = {}
        for index, board in enumerate(boards):
            try:
                fitted[index] = fit(board)
            except ValueError as error:
                reason = f"does not fit the policy: {error}"
                gave_up = Answer(status="gave up", solver=by, reason=reason)
                answers[index] = PolicyAnswer(gave_up, None)
        if not fitted:
            return list(answers.values())
        started_s = compiling.clock()
        levels = solve.pack(list(fitted.values()), self.device)
        predictions = solve.predict(self.model, levels, memory_limit=self.memory_limit_bytes)
        play = solve.Play(width=width, memory_limit=self.memory_limit_bytes)
        found = (solve.by_beam if by == "beam" else solve.by_rollout)(self.model, levels, play)
        share_s = (compiling.clock() - started_s) / len(fitted)
        for index, moves, prediction in zip(fitted, found, predictions, strict=True):
            if moves is None:
                reason = f"no solution within {self.longest_solution} moves"
                answer = Answer(status="gave up", solver=by, reason=reason, elapsed_s=share_s)
            else:
                solution = Solution.of(boards[index], moves)
                answer = Answer(status="solved", solver=by, solution=solution, elapsed_s=share_s)
            answers[index] = PolicyAnswer(answer, prediction)
        return [answers[index] for index in range(len(boards))]


def play(
    model: nn.Module, boards: Sequence[Board], most_evaluated: int | None
) -> list[solve.Moves | None]:
    """``SystemSpec.play``: by a rollout, or by a beam as wide as the positions allow."""
    policy = Policy(model)
    width = 1 if most_evaluated is None else max(1, most_evaluated // policy.longest_solution)
    by: Literal["beam", "rollout"] = "rollout" if most_evaluated is None else "beam"
    found = [answer.solution for answer, _ in policy.solve(boards, by=by, width=width)]
    return [None if solution is None else solution.directions for solution in found]
