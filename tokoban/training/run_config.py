"""The settings of a training run that every system shares."""

from dataclasses import dataclass
from typing import Annotated, Literal

from tokoban.training.config import check_limits
from tokoban.training.device import DeviceChoice
from tokoban.training.limits import (
    Between,
    Count,
    CountOrZero,
    NotNegative,
    Positive,
    Share,
    ShareBelowOne,
)

Schedule = Literal["constant", "linear", "trapezoid", "cosine", "noam"]


@dataclass(frozen=True, kw_only=True)
class RunConfig:
    """Length, optimiser, device and intervals; ``steps`` or ``minutes`` must be given.

    With both, the run ends at whichever comes first, and its schedule follows the steps.
    """

    steps: Annotated[int | None, Between(1)] = None  # updates of the weights; none: as many as the
    # minutes allow
    minutes: Annotated[float | None, Between(above=0)] = None  # wall clock from the first step,
    # without the final evaluation
    seed: Annotated[int, Between(0, 2**32 - 1)] = 0  # of the initial weights and of dropout; a
    # system's data has its own

    accumulate: Count = 1  # batches a step, of each process; each counts by its weight

    device: DeviceChoice = "auto"  # auto: CUDA where there is one
    precision: Literal["auto", "fp32", "bf16"] = "auto"  # auto: bf16 autocast on CUDA; of training

    learning_rate: Positive = 1e-3  # at the schedule's peak
    muon: NotNegative = 0.0  # 0: AdamW trains every weight; else Muon trains the matrices
    # except embeddings, at this multiple of the learning rate
    schedule: Schedule = "cosine"  # of the learning rate, after its warm-up
    final_share: Share = 0.0  # of the peak, at which linear, trapezoid and cosine end
    warmup_steps: CountOrZero = 100  # during which the learning rate rises linearly from 0
    weight_decay: NotNegative = 0.01  # of matrices only
    decays_embeddings: bool = False  # by weight_decay, as nanoGPT's recipes have it
    betas: Annotated[tuple[float, float], Between(0, below=1)] = (0.9, 0.98)  # of Adam: decay rates
    # of its two moments
    epsilon: Positive = 1e-8  # of Adam
    clip_norm: NotNegative = 1.0  # largest norm of the whole gradient; 0 = not clipped
    ema_decay: ShareBelowOne = 0.0  # 0 = off; else decay of the average of the weights that is
    # evaluated
    average_last: CountOrZero = 0  # 0 = off; else only so many of keep_every's snapshots are kept,
    # and the final weights are their mean

    log_every: Count = 50  # steps
    evaluate_every: CountOrZero = 0  # steps; 0 = only at the end
    monitor: str = ""  # a metric of the evaluation, "-metric" if less is better; the final weights
    # are the best by it (the last of equals), unless they are averaged
    patience: CountOrZero = 0  # evaluations in a row without a better one that end the run; 0 =
    # never
    target: float | None = None  # value of the monitored metric that ends the run
    keep_every: CountOrZero = 0  # steps between snapshots that are kept; 0 = none
    checkpoint_every_s: NotNegative = 300.0  # also at the end, and when interrupted

    def __post_init__(self) -> None:
        if self.steps is None and self.minutes is None:
            raise ValueError("a run needs an end: give steps or minutes")
        check_limits(self)
        if self.schedule == "noam" and self.warmup_steps == 0:
            raise ValueError("schedule noam needs warmup_steps of at least 1, got 0")
        if self.average_last and self.ema_decay:
            raise ValueError("average_last and ema_decay are two averages: choose one of them")
        if self.average_last and not self.keep_every:
            raise ValueError("average_last needs keep_every, the steps between snapshots")
        for name, is_used in ("patience", self.patience), ("target", self.target is not None):
            if is_used and not (self.monitor and self.evaluate_every):
                raise ValueError(
                    f"{name} needs monitor, a metric, and evaluate_every, to look at it"
                )


TINY_RUN = RunConfig(steps=20, learning_rate=3e-3, warmup_steps=5, log_every=5)  # for tests
