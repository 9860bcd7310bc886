"""A network as a ``Guide``: positions of any level as tokens, and its answers by squares.

Axes: P positions, F floor squares of the level (also T, its tokens), A attentions, N heads.
"""

from collections.abc import Sequence
from typing import Protocol, cast, runtime_checkable

import numpy as np
from jaxtyping import Bool, Float32, Int32

from tokoban.sokoban.encoding.encoded import Encoded, collated
from tokoban.sokoban.encoding.tokens import Tokens
from tokoban.sokoban.search.level.ground import UNREACHABLE, Ground, Squares
from tokoban.sokoban.search.searches.guided.guide import Guidance
from tokoban.systems.push_policy.compiled import Judged, State
from tokoban.systems.push_policy.results import DEADLOCK_CLASS


@runtime_checkable  # as types that are checked in tests must be
class Judge(Protocol):
    """What judges positions: ``CompiledNet``, or any model by torch (``torch_judge``)."""

    @property
    def state(self) -> State:
        """Its weights."""
        ...

    def judge(self, boards: Encoded, view: int) -> Judged:
        """Its answers under a symmetry, by the directions before it."""
        ...

    def attention(self, boards: Encoded) -> Float32[np.ndarray, "A N F F"]:
        """The weights of every attention over the squares of a single position.

        ``ValueError`` for a model without attention.
        """
        ...


def as_judge(model: object) -> Judge:
    """A judge as it is, a push policy in torch with the weights that it has now.

    ``ValueError`` for another model.
    """
    if hasattr(model, "judge"):  # ``isinstance`` would read ``state``, all its weights
        return cast(Judge, model)
    from tokoban.systems.push_policy.torch_judge import judge_of

    return judge_of(model)


class NetworkGuide:
    """A trained network as the guide of one level."""

    def __init__(self, judge: Judge, squares: Squares, ground: Ground) -> None:
        """``ValueError`` for a level that is too large."""
        self.judge, self.tokens = judge, Tokens(squares, ground)

    def evaluate(self, boxes: Bool[np.ndarray, "P F"], zone: Bool[np.ndarray, "P F"]) -> Guidance:
        """The network's judgement of positions, all in one batch."""
        features, bounds = self.tokens.features(boxes, zone)
        boards = collated([self.tokens], [features])
        return judged(self.judge, boards, bounds)

    def attention(
        self, boxes: Bool[np.ndarray, "1 F"], zone: Bool[np.ndarray, "1 F"]
    ) -> Float32[np.ndarray, "A N F F"]:
        """As ``Judge.attention``."""
        features, _ = self.tokens.features(boxes, zone)
        return self.judge.attention(collated([self.tokens], [features]))


def judged(
    judge: Judge, boards: Encoded, bounds: Int32[np.ndarray, " P"], *, num_views: int = 1
) -> Guidance:
    """Judges positions with these lower bounds.

    Probabilities are means over the first ``num_views`` of the board's eight symmetries.
    """
    return guidance_of([judge.judge(boards, view) for view in range(num_views)], bounds)


def guidance_of(views: Sequence[Judged], bounds: Int32[np.ndarray, " P"]) -> Guidance:
    """The means of answers about positions with these lower bounds."""
    policy, push_deadlocks, values = (np.mean(parts, axis=0) for parts in zip(*views, strict=True))
    deadlocked = values[:, DEADLOCK_CLASS]
    solvable = values[:, :DEADLOCK_CLASS]
    excess = 2 * (solvable @ np.arange(DEADLOCK_CLASS, dtype=np.float32))
    excess /= solvable.sum(axis=1).clip(min=1e-6)  # 1 - deadlocked would lose its digits near 0
    with np.errstate(divide="ignore"):  # the logarithm of 0, for a push that is not legal
        log_policy = np.log(policy)
    return Guidance(
        log_policy=log_policy,
        pushes_left=np.minimum(bounds, UNREACHABLE).astype(np.float32) + excess,
        deadlocked=np.where(bounds >= UNREACHABLE, np.float32(1), deadlocked),
        push_deadlocks=push_deadlocks,
    )
