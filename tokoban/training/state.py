"""The complete state of a training run, from which it resumes bit for bit."""

import copy
import math
import random
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import nn

from tokoban.training import processes
from tokoban.training.average import AveragedWeights
from tokoban.training.metrics import RunningMeans
from tokoban.training.optimizer import LR_FACTOR, make_optimizer
from tokoban.training.run_config import RunConfig
from tokoban.training.untrusted import refused_if_unfit


@dataclass
class TrainingState:
    """The model, the optimiser and counters; storage, changed in place at every step."""

    model: nn.Module  # bare: neither compiled nor distributed
    optimizer: torch.optim.Optimizer
    average: AveragedWeights | None
    metrics: RunningMeans = field(default_factory=RunningMeans)  # since the last logged line
    step: int = 0
    elapsed_s: float = 0.0
    best: float = -math.inf  # of the monitored metric, negated where less is better
    num_without_better: int = 0  # evaluations in a row
    last_loss: float = math.nan  # that was logged
    evaluation: dict[str, int | float] = field(default_factory=dict)  # the last one's metrics
    evaluated_at: int | None = None  # its step; none: it was of other weights than these

    @property
    def device(self) -> torch.device:
        return next(self.model.parameters()).device

    @property
    def result(self) -> nn.Module:
        """The model to evaluate and to keep: the average where there is one."""
        return self.model if self.average is None else self.average.module

    def state_dict(self) -> dict[str, Any]:
        """Plain numbers and tensors; every process must call it, and gets the same."""
        return {
            "step": self.step,
            "elapsed_s": self.elapsed_s,
            "model": self.model.state_dict(),
            # The moments alone: an optimizer's settings come from the run, also a resumed one.
            "optimizer": self._moments(),
            "average": None if self.average is None else self.average.state_dict(),
            "best": self.best,
            "num_without_better": self.num_without_better,
            "last_loss": self.last_loss,
            "evaluation": self.evaluation,
            "evaluated_at": self.evaluated_at,
            "metrics": processes.gather_objects(self.metrics.state_dict()),
            "random": processes.gather_objects(random_state()),
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Goes on from ``state``; ValueError if it is not of this run, its processes or average."""
        with refused_if_unfit("the checkpoint is not of this run"):
            self._load(state)

    def _load(self, state: dict[str, Any]) -> None:
        if len(state["random"]) != processes.world_size():
            raise ValueError(
                f"the checkpoint is of {len(state['random'])} process(es), "
                f"this run of {processes.world_size()}"
            )
        if (state["average"] is None) != (self.average is None):
            raise ValueError("ema_decay was switched on or off since the checkpoint")
        self.step, self.elapsed_s = state["step"], state["elapsed_s"]
        self.best, self.num_without_better = state["best"], state["num_without_better"]
        self.last_loss = float(state["last_loss"])
        self.evaluation = {name: plain(x) for name, x in state["evaluation"].items()}
        self.evaluated_at = state["evaluated_at"]
        self.model.load_state_dict(state["model"])
        self._load_moments(state["optimizer"])
        if self.average is not None:
            self.average.load_state_dict(state["average"])
        self.metrics.load_state_dict(state["metrics"][processes.rank()], device=self.device)
        set_random_state(state["random"][processes.rank()])

    def _places(self) -> dict[str, int]:
        """Where the optimiser has each parameter, which depends on the run's settings."""
        names = {id(parameter): name for name, parameter in self.model.named_parameters()}
        groups = self.optimizer.param_groups
        parameters = [parameter for group in groups for parameter in group["params"]]
        return {names[id(parameter)]: place for place, parameter in enumerate(parameters)}

    def _moments(self) -> dict[str, Any]:
        moments = self.optimizer.state_dict()["state"]
        return {name: moments[place] for name, place in self._places().items() if place in moments}

    def _load_moments(self, found: dict[str, Any]) -> None:
        places, groups = self._places(), self.optimizer.state_dict()["param_groups"]
        known = {places[name]: moments for name, moments in found.items()}
        are_of_muon = [LR_FACTOR in group for group in groups for _ in group["params"]]
        for place, moments in known.items():
            if ("momentum_buffer" in moments) != are_of_muon[place]:
                raise ValueError("muon was switched on or off since the checkpoint")
        self.optimizer.load_state_dict({"state": known, "param_groups": groups})
        for parameter, moments in self.optimizer.state.items():
            if any(value.shape not in (parameter.shape, ()) for value in moments.values()):
                raise ValueError("the checkpoint's moments are of another model than its weights")


def plain(number: Any) -> int | float:
    """A number as a type that a checkpoint may hold, which NumPy's own are not."""
    return number if type(number) is int else float(number)


def initial_state(model: nn.Module, run: RunConfig) -> TrainingState:
    """The state before the first step of ``model``, which lies on its device already."""
    average = None
    if run.ema_decay:
        average = AveragedWeights(model, decay=run.ema_decay)
    return TrainingState(model, make_optimizer(model, run), average)


def seed_all(seed: int) -> None:
    """Seeds Python's, NumPy's and torch's generators, on every device."""
    random.seed(seed)
    np.random.seed(seed % 2**32)
    torch.manual_seed(seed)


def random_state() -> dict[str, Any]:
    """The state of the generators, in types that ``torch.load(weights_only=True)`` reads."""
    numpy_state = np.random.get_state(legacy=False)
    numpy_state["state"]["key"] = numpy_state["state"]["key"].tolist()
    return {
        "python": random.getstate(),
        "numpy": numpy_state,
        "torch": torch.get_rng_state(),
        "cuda": torch.cuda.get_rng_state() if torch.cuda.is_initialized() else None,
    }


def set_random_state(state: dict[str, Any]) -> None:
    """Puts the generators where ``random_state`` found them."""
    random.setstate(state["python"])
    np.random.set_state(copy.deepcopy(state["numpy"]))
    torch.set_rng_state(state["torch"])
    if state["cuda"] is not None and torch.cuda.is_initialized():
        torch.cuda.set_rng_state(state["cuda"])
