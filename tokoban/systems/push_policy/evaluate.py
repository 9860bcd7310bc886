"""Evaluation of a trained push policy."""

from collections.abc import Mapping
from dataclasses import dataclass

from tokoban.systems.push_policy.config import PushPolicyConfig
from tokoban.systems.push_policy.model import PushNet
from tokoban.training.spec import Trained


@dataclass(frozen=True, kw_only=True)
class PushEvaluation:
    """What is evaluated."""


def evaluate_weights(
    trained: Trained[PushPolicyConfig, PushNet], options: PushEvaluation
) -> Mapping[str, float | str]:
    """Nothing yet."""
    return {}
