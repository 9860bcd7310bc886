"""A model that acts: its modes, and the returns and goals that it is asked for.

Axes: B episodes.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor

from tokoban.systems.trajectory.config import TrajectoryConfig
from tokoban.systems.trajectory.environments import World
from tokoban.systems.trajectory.graphs import graph_of
from tokoban.systems.trajectory.imitate import Imitator
from tokoban.systems.trajectory.model import TrajectoryTransformer
from tokoban.systems.trajectory.plan import Planner, generators
from tokoban.systems.trajectory.rollouts import Policy
from tokoban.systems.trajectory.stepper import PlanConfig

Mode = Literal["imitate", "sample", "plan", "return", "goal"]
MODES: dict[str, tuple[Mode, ...]] = {
    "plan": ("plan", "imitate", "sample"),
    "return": ("return",),
    "goal": ("goal",),
}

_LIKELY = 0.02  # the least probability of a state, given a return, at which the return is likely


@dataclass(frozen=True, kw_only=True)
class Acting:
    """The mode in which a model acts, with its options."""

    mode: Mode
    plan: PlanConfig
    target: str = "best"  # the return asked for: see ``requested``
    goal: tuple[float, ...] = ()
    seed: int = 0  # of all that is sampled


def acting(config: TrajectoryConfig, mode: Mode | None = None) -> Acting:
    """The usual way for a model of this config: its layout's first mode, planning to the window."""
    num_past = min(1, config.window - 1)
    plan = PlanConfig(horizon=config.window - num_past, num_past=num_past, discount=config.discount)
    chosen = mode or MODES[config.layout][0]
    if chosen not in MODES[config.layout]:
        raise ValueError(
            f"a model of the layout {config.layout!r} cannot act in the mode {chosen!r}; "
            f"expected {' or '.join(MODES[config.layout])}"
        )
    return Acting(mode=chosen, plan=plan)


def make_policy(
    model: TrajectoryTransformer,
    config: TrajectoryConfig,
    how: Acting,
    world: World,
    *,
    seeds: Sequence[int],
) -> Policy:
    """The model as a policy for the episodes of these seeds."""
    if how.mode == "plan":
        if how.plan.num_past + how.plan.horizon > config.window:
            raise ValueError(
                f"{how.plan.num_past} transitions read and {how.plan.horizon} planned are more "
                f"than the {config.window} that the model was trained on"
            )
        return Planner(model, how.plan, generators(seeds, seed=how.seed))
    num_past = config.window - 1 if how.mode == "return" else how.plan.num_past
    if how.mode == "return":
        return Imitator(model, num_past, targets=requested(model, how.target, world, seeds=seeds))
    if how.mode == "goal":
        goals = goal_of(how, world).expand(len(seeds), -1)
        return Imitator(model, num_past, goals=goals)
    sampling = torch.Generator().manual_seed(how.seed) if how.mode == "sample" else None
    return Imitator(model, num_past, generator=sampling)


def requested(
    model: TrajectoryTransformer, target: str, world: World, *, seeds: Sequence[int]
) -> Float[Tensor, "B"]:
    """The return that each episode is asked for.

    ``best`` is the best of the data the model was trained on, whatever the start; ``likely`` the
    best that makes the start at least so probable as 0.02, as the model sees it; ``shortest``, on a
    graph, minus the distance; ``random`` one of the data's range; else a number.
    """
    if target == "best":
        return model.best_return.cpu().expand(len(seeds)).clone()
    if target == "likely":
        return _likely(model, world.reset(seeds), world)
    graph = graph_of(world)
    if target == "shortest" and graph is not None:
        return -graph.distances[graph.starts(seeds)].float().cpu()
    if target == "random":
        centres = model.bins.centres[model.layout.to_go]
        used = int(model.bins.num_used[model.layout.to_go])
        drawn = torch.Generator().manual_seed(seeds[0])
        return centres[torch.randint(used, (len(seeds),), generator=drawn)].cpu().float()
    try:
        number = float(target)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise ValueError(
            f"target {target!r} is neither a number nor best, likely, random or, on a graph, "
            "shortest"
        )
    return torch.full((len(seeds),), number)


@torch.no_grad()
def _likely(
    model: TrajectoryTransformer, starts: Float[Tensor, "B states"], world: World
) -> Float[Tensor, "B"]:
    """The best return of each start under which the model finds every number of it likely."""
    layout, bins = model.layout, model.bins
    num_returns = int(bins.num_used[layout.to_go])
    device = model.heads.device
    returns = torch.arange(num_returns, device=device).repeat(len(starts))
    states = bins.encode(starts.to(device), layout.states).repeat_interleave(num_returns, dim=0)
    known = torch.cat([returns[:, None], states], dim=1)[:, None]
    missing = len(layout.slots) - known.shape[2]
    tokens = torch.cat([known, known.new_zeros(len(known), 1, missing)], dim=2)
    prefix = bins.encode(world.contexts().to(device), layout.prefix)
    logits = model(prefix.repeat_interleave(num_returns, dim=0), tokens)[:, 0]
    chances = torch.ones(len(known), device=device)
    for place, target in enumerate(layout.targets):
        if target.column in layout.states:
            own = logits[:, place].softmax(1).gather(1, states[:, target.column, None])[:, 0]
            chances = chances.minimum(own.float())
    chances = chances.view(len(starts), num_returns)
    # Where no return is likely, the one that makes the start the least unlikely.
    is_likely = chances >= chances.amax(1, keepdim=True).clamp(max=_LIKELY)
    best = (is_likely * torch.arange(1, num_returns + 1, device=device)).argmax(1)
    return bins.centres[layout.to_go][best].cpu().float()


def goal_of(how: Acting, world: World) -> Float[Tensor, "1 states"]:
    """The state to come to: the one that is named or, on a graph, home."""
    if how.goal:
        if len(how.goal) != len(world.spec.state_sizes):
            raise ValueError(
                f"the goal has {len(how.goal)} numbers; a state has {len(world.spec.state_sizes)}"
            )
        for wanted, size in zip(how.goal, world.spec.state_sizes, strict=True):
            if size is not None and wanted not in range(size):
                raise ValueError(
                    f"the goal has {wanted:g}; expected a whole number from 0 to {size - 1}"
                )
            if not math.isfinite(wanted):
                raise ValueError(f"the goal has {wanted:g}; expected a finite number")
        return torch.tensor([how.goal])
    graph = graph_of(world)
    if graph is not None:
        return torch.tensor([[float(graph.home)]])
    raise ValueError("a goal is missing: name the state to come to, by --goal")


class GoalWatch:
    """The episodes that have reached their goals; mutable, it reads each state after a step.

    One that begins at its goal has not come to it: it goes on, and has once it comes back.
    """

    def __init__(self, model: TrajectoryTransformer, goals: Float[Tensor, "B states"]) -> None:
        self._bins, self._columns = model.bins, model.layout.states
        self._goals = self._tokens(goals)
        self.is_reached = torch.zeros(len(goals), dtype=torch.bool, device=self._goals.device)

    def __call__(self, states: Float[Tensor, "B states"]) -> Bool[Tensor, "B"]:
        """Whether each state is at its goal: every number in the bin of its goal."""
        is_there = (self._tokens(states) == self._goals).all(dim=1)
        self.is_reached |= is_there
        return is_there

    def _tokens(self, states: Float[Tensor, "B states"]) -> Int64[Tensor, "B states"]:
        return self._bins.encode(states.to(self._bins.centres.device), self._columns)
