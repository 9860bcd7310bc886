"""Levels solved by a higher policy over a lower one."""

from dataclasses import dataclass
from typing import Annotated

from tokoban.systems.subgoals.config import SubgoalsConfig
from tokoban.systems.subgoals.model import SubgoalNet
from tokoban.training.config import check_limits
from tokoban.training.limits import Between
from tokoban.training.spec import Trained


@dataclass(frozen=True, kw_only=True)
class SubgoalsEvaluation:
    """Which levels, and who carries the subgoals out."""

    levels: Annotated[int, Between(3, 10_000)] = 300  # of those that its training held out

    def __post_init__(self) -> None:
        check_limits(self)


def evaluate(
    trained: Trained[SubgoalsConfig, SubgoalNet], options: SubgoalsEvaluation
) -> dict[str, float]:
    """Nothing yet."""
    return {}
