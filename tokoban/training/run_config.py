"""The settings of a training run that every system shares."""

from dataclasses import dataclass
from typing import Literal

from tokoban.training.config import check_fields
from tokoban.training.device import DeviceChoice

Schedule = Literal["constant", "linear", "trapezoid", "cosine", "noam"]


@dataclass(frozen=True, kw_only=True)
class RunConfig:
    """Length, optimiser, device and intervals; ``steps`` or ``minutes`` must be given.

    With both, the run ends at whichever comes first, and its schedule follows the steps.
    """

    steps: int | None = None  # updates of the weights; none: as many as the minutes allow
    minutes: float | None = None  # wall clock from the first step, without the final evaluation
    seed: int = 0  # of the initial weights and of dropout; a system's data has its own

    accumulate: int = 1  # batches a step, of each process; each counts by its weight

    device: DeviceChoice = "auto"  # auto: CUDA where there is one
    precision: Literal["auto", "fp32", "bf16"] = "auto"  # auto: bf16 autocast on CUDA; of training
    compile: bool = False  # torch.compile: costs up to a minute at the start, gains nothing on CPU

    learning_rate: float = 1e-3  # at the schedule's peak
    muon: float = 0.0  # 0: AdamW trains every weight; else Muon trains the matrices, but those of
    # embeddings, at so many times the learning rate
    schedule: Schedule = "cosine"  # of the learning rate, after its warm-up
    final_share: float = 0.0  # of the peak, at which linear, trapezoid and cosine end
    warmup_steps: int = 100  # during which the learning rate rises linearly from 0
    weight_decay: float = 0.01  # of matrices only; see optimizer.make_optimizer
    decays_embeddings: bool = False  # by weight_decay, as nanoGPT's recipes have it
    betas: tuple[float, float] = (0.9, 0.98)  # of Adam: decay rates of its two moments
    epsilon: float = 1e-8  # of Adam
    clip_norm: float = 1.0  # largest norm of the whole gradient; 0 = not clipped
    ema_decay: float = 0.0  # 0 = off; else decay of the average of the weights that is evaluated
    average_last: int = 0  # 0 = off; else the final weights are the mean of so many snapshots
    average_every: int = 1000  # steps between snapshots

    log_every: int = 50  # steps
    evaluate_every: int = 0  # steps; 0 = only at the end
    monitor: str = ""  # a metric of the evaluation, "-metric" if less is better; the final weights
    # are the best by it, the last of equals, unless they are a mean
    patience: int = 0  # evaluations in a row without a better one that end the run; 0 = never
    target: float | None = None  # value of the monitored metric that ends the run
    keep_every: int = 0  # steps between snapshots that are kept; 0 = none
    checkpoint_every_s: float = 300.0  # also at the end, and when interrupted

    def __post_init__(self) -> None:
        if self.steps is None and self.minutes is None:
            raise ValueError("a run needs an end: give steps or minutes")
        check_fields(
            self,
            ("steps", self.steps is None or self.steps >= 1, "at least 1"),
            ("minutes", self.minutes is None or self.minutes > 0, "above 0"),
            ("seed", 0 <= self.seed < 2**32, "from 0 to 2^32 - 1"),
            ("learning_rate", self.learning_rate > 0, "above 0"),
            ("muon", self.muon >= 0, "at least 0"),
            ("final_share", 0 <= self.final_share <= 1, "in [0, 1]"),
            ("warmup_steps", self.warmup_steps >= 0, "at least 0"),
            ("weight_decay", self.weight_decay >= 0, "at least 0"),
            ("betas", all(0 <= beta < 1 for beta in self.betas), "in [0, 1)"),
            ("clip_norm", self.clip_norm >= 0, "at least 0"),
            ("epsilon", self.epsilon > 0, "above 0"),
            ("accumulate", self.accumulate >= 1, "at least 1"),
            ("ema_decay", 0 <= self.ema_decay < 1, "in [0, 1)"),
            ("average_last", self.average_last >= 0, "at least 0"),
            ("average_every", self.average_every >= 1, "at least 1"),
            ("patience", self.patience >= 0, "at least 0"),
            ("log_every", self.log_every >= 1, "at least 1"),
            ("evaluate_every", self.evaluate_every >= 0, "at least 0"),
            ("keep_every", self.keep_every >= 0, "at least 0"),
            ("checkpoint_every_s", self.checkpoint_every_s >= 0, "at least 0"),
        )
        if self.schedule == "noam" and self.warmup_steps == 0:
            raise ValueError("schedule noam needs warmup_steps of at least 1, got 0")
        if self.average_last and self.ema_decay:
            raise ValueError("average_last and ema_decay are two averages: choose one of them")
        for name, is_used in ("patience", self.patience), ("target", self.target is not None):
            if is_used and not (self.monitor and self.evaluate_every):
                raise ValueError(
                    f"{name} needs monitor, a metric, and evaluate_every, to look at it"
                )


TINY_RUN = RunConfig(steps=20, learning_rate=3e-3, warmup_steps=5, log_every=5)  # for tests
