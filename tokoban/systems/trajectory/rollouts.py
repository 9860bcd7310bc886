"""Episodes played side by side by anything that names an action, and what came of them.

Axes: B episodes, each in its own copy of the environment.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from tokoban.systems.trajectory.environments import Spec, World
from tokoban.systems.trajectory.trajectories import Trajectories


@dataclass
class History:
    """The transitions of running episodes so far; mutable, each step is appended.

    An episode that is over stays in it and stands still.
    """

    spec: Spec
    contexts: Float[Tensor, "B contexts"]
    is_legal: Bool[Tensor, "B V"] | None  # which first numbers of an action are possible now
    is_over: Bool[Tensor, "B"]
    observations: list[Float[Tensor, "B states"]]  # one more than actions
    actions: list[Float[Tensor, "B actions"]] = field(default_factory=list)
    rewards: list[Float[Tensor, "B"]] = field(default_factory=list)


Policy = Callable[[History], Float[Tensor, "B actions"]]


def play(
    world: World,
    policy: Policy,
    seeds: Sequence[int],
    *,
    watch: Callable[[Any], None] | None = None,
    is_there: Callable[[Tensor], Tensor] | None = None,
) -> Trajectories:
    """One episode for each seed, all to their ends.

    ``watch`` is shown pictures of the first one, before each of its steps and at its end.
    ``is_there`` says which states end an episode besides, as if its time were up. Raises
    ``ValueError`` for an action that is not a finite number.
    """
    start = world.reset(seeds)
    running = torch.zeros(len(seeds), dtype=torch.bool)
    history = History(world.spec, world.contexts(), world.is_legal(), running, [start])
    lengths = torch.zeros(len(seeds), dtype=torch.int64)
    is_terminated = torch.zeros(len(seeds), dtype=torch.bool)
    while not history.is_over.all():
        is_first_under_way = not history.is_over[0]
        if watch is not None and is_first_under_way:
            watch(world.picture())
        actions = policy(history)
        if not actions.isfinite().all():
            raise ValueError(f"{world.spec.env}: the policy names an action that is no number")
        lengths += ~history.is_over
        step = world.step(actions)
        history.actions.append(actions)
        history.rewards.append(step.rewards)
        history.observations.append(step.observations)
        history.is_legal = world.is_legal()
        is_terminated |= step.is_terminated.cpu()
        history.is_over = history.is_over | (step.is_terminated | step.is_truncated).cpu()
        if is_there is not None:
            history.is_over = history.is_over | is_there(step.observations).cpu()
        if watch is not None and is_first_under_way and history.is_over[0]:
            watch(world.picture())
    return _packed(history, lengths, is_terminated)


def _packed(
    history: History,
    lengths: Tensor,
    is_terminated: Bool[Tensor, "B"],
) -> Trajectories:
    is_real = torch.arange(int(lengths.max())) < lengths[:, None]  # [B, steps]

    def rows(steps: list[Tensor]) -> Tensor:
        return torch.stack(steps[: is_real.shape[1]], dim=1).cpu()[is_real]

    return Trajectories(
        history.spec.env,
        rows(history.observations),
        rows(history.actions),
        rows(history.rewards),
        lengths,
        is_terminated,
        history.contexts.cpu(),
        torch.stack(history.observations, dim=1).cpu()[torch.arange(len(lengths)), lengths],
    )
