"""Running means, top-k hits, confidence intervals and a clock. Axes: B batch, A actions (classes).

Intervals of shares: Wilson 1927.
"""

import math
import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

_Z = 1.96  # deviations to either side, for 95 %
# The same by Student's t distribution, for 1 degree of freedom, 2, and so on.
_T = (
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
    2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056,
    2.052, 2.048, 2.045, 2.042,
)  # fmt: skip


class Interval(NamedTuple):
    """Both ends of a confidence interval of 95 %."""

    low: float
    high: float


def is_in_top_k(
    scores: Float[Tensor, "B A"], labels: Int[Tensor, "B"], *, k: int
) -> Bool[Tensor, "B"]:
    """Whether fewer than ``k`` other scores reach the label's; a tie, or NaN, counts against it."""
    # Not `others >= label`: with a NaN that would be False, and a broken model always right.
    is_beaten = scores < scores.gather(1, labels[:, None])
    num_reaching = (~is_beaten).sum(1) - 1  # the label itself is never below itself
    return num_reaching < k


def wilson(successes: int | float, trials: int | float) -> Interval:
    """Wilson's interval for a share; both ends are NaN where nothing was tried, as the share is.

    https://en.wikipedia.org/wiki/Binomial_proportion_confidence_interval#Wilson_score_interval
    """
    if not 0 <= successes <= trials:
        raise ValueError(f"successes must lie between 0 and {trials} trials, got {successes}")
    if trials == 0:
        return Interval(math.nan, math.nan)
    share = successes / trials
    centre = share + _Z**2 / (2 * trials)
    radius = _Z * math.sqrt(share * (1 - share) / trials + (_Z / (2 * trials)) ** 2)
    scale = 1 + _Z**2 / trials
    # At the ends the interval ends there too, but for rounding.
    low = (centre - radius) / scale if successes > 0 else 0.0
    return Interval(low, (centre + radius) / scale if successes < trials else 1.0)


def mean_interval(values: Sequence[int | float]) -> Interval:
    """The interval by Student's t for the mean of independent ``values``, two or more.

    For more than 31 values it is the normal interval.
    """
    if len(values) < 2:
        raise ValueError(f"an interval needs at least 2 values, got {len(values)}")
    mean = math.fsum(values) / len(values)
    variance = math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1)
    deviations = _T[len(values) - 2] if len(values) <= len(_T) + 1 else _Z
    radius = deviations * math.sqrt(variance / len(values))
    return Interval(mean - radius, mean + radius)


def with_interval(name: str, value: float, interval: Interval | None) -> dict[str, float]:
    """A figure and the ends of its interval, by the names that every system gives them."""
    ends = {} if interval is None else {f"{name}_low": interval.low, f"{name}_high": interval.high}
    return {name: value} | ends


def auc(positive: np.ndarray, negative: np.ndarray) -> float:
    """How often a positive score is above a negative one; ties count half. NaN without both."""
    if not len(positive) or not len(negative):
        return float("nan")
    above = (positive[:, None] > negative).mean() + 0.5 * (positive[:, None] == negative).mean()
    return float(above)


def share(name: str, successes: int | float, trials: int | float) -> dict[str, float]:
    """A share with Wilson's interval of 95 %; NaN where nothing was tried."""
    value = successes / trials if trials else math.nan
    return with_interval(name, value, wilson(successes, trials))


class RunningMeans:
    """Means of named scalars, gathered on their device: only ``take`` waits for it."""

    def __init__(self) -> None:
        self.names: tuple[str, ...] = ()
        self.count = 0
        self.sums: Tensor | None = None

    def add(self, metrics: Mapping[str, Tensor]) -> None:
        """One more value of each; the names must be the same until the next ``take``."""
        names = tuple(metrics)
        values = torch.stack([metric.detach() for metric in metrics.values()]).float()
        if self.sums is None:
            self.names, self.sums = names, torch.zeros_like(values)
        if names != self.names:
            raise ValueError(f"expected the metrics {self.names}, got {names}")
        self.sums += values
        self.count += 1

    def take(self) -> dict[str, float]:
        """The means since the last call; empty where nothing was added."""
        sums = [] if self.sums is None else self.sums.tolist()
        means = {name: total / self.count for name, total in zip(self.names, sums, strict=True)}
        self.names, self.count, self.sums = (), 0, None
        return means

    def state_dict(self) -> dict[str, Any]:
        return {"names": self.names, "count": self.count, "sums": self.sums}

    def load_state_dict(self, state: Mapping[str, Any], *, device: torch.device) -> None:
        self.names, self.count = tuple(state["names"]), state["count"]
        self.sums = None if state["sums"] is None else state["sums"].to(device)


def clock_s(device: torch.device) -> float:
    """Seconds on a clock that never goes back, once all work queued on ``device`` is done."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    return time.monotonic()
