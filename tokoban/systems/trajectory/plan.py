"""Planning by beam search over predicted returns.

Trajectory Transformer: Janner et al. 2021 (arXiv:2106.02039), section 3.2.

Axes: B episodes, K beams of each.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import torch
from jaxtyping import Float, Int64
from torch import Tensor

from tokoban.decoding import beam_search
from tokoban.systems.trajectory.model import TrajectoryTransformer
from tokoban.systems.trajectory.reading import CachedReader, PlainReader, Reader, vectors_so_far
from tokoban.systems.trajectory.rollouts import History
from tokoban.systems.trajectory.stepper import PlanConfig, PlanStepper
from tokoban.training.streams import Purpose, torch_stream


@dataclass(frozen=True)
class Planner:
    """A policy: at each step a beam search over imagined transitions, of which the first is done.

    ``generators`` draw the noise of one episode each, so that a plan is the same whatever episodes
    it is made beside. Without a cache the plans are the same, slowly.
    """

    model: TrajectoryTransformer
    plan: PlanConfig
    generators: list[torch.Generator] = field(repr=False)
    is_cached: bool = True
    at_once: int = 64  # episodes: on a CPU more are no quicker, and their caches need not fit

    @torch.no_grad()
    def __call__(self, history: History) -> Float[Tensor, "B actions"]:
        """The actions after this history; an episode that is over is not planned for."""
        layout = self.model.layout
        running = (~history.is_over).nonzero()[:, 0]
        noise = self._noise()
        start = vectors_so_far(self.model, history, num_past=self.plan.num_past)
        actions = torch.zeros(len(history.is_over), len(layout.actions))
        actions = actions.to(start.device, self.model.bins.centres.dtype)
        for rows in running.split(self.at_once):
            is_possible = history.is_legal
            if is_possible is not None:
                is_possible = is_possible[rows].to(start.device)
            stepper = PlanStepper(
                self.model,
                self._reader(start[rows]),
                start[rows],
                plan=self.plan,
                noise=noise[rows.to(noise.device)],
                is_possible=is_possible,
            )
            found = best_first_actions(stepper, num_searches=len(rows))
            actions[rows] = self.model.bins.decode(found, layout.actions)
        # Where the environment is, in its own precision.
        return actions.to(history.observations[-1])

    def _reader(self, start: Float[Tensor, "B T D"]) -> Reader:
        if not self.is_cached:
            return PlainReader(self.model, len(start))
        num_slots = len(self.model.layout.slots)
        return CachedReader(self.model, len(start), start.shape[1] + self.plan.horizon * num_slots)

    def _noise(self) -> Float[Tensor, "B horizon actions K V"]:
        """Gumbel noise for every number of every action, drawn alike on every device."""
        weight, plan = self.model.heads, self.plan
        shape = plan.horizon, len(self.model.layout.actions), plan.width, weight.shape[2]
        drawn = [torch.empty(shape).exponential_(generator=one) for one in self.generators]
        tiny = torch.finfo(torch.float32).tiny
        return -torch.stack(drawn).clamp_min(tiny).log().to(weight.device, weight.dtype)


def best_first_actions(stepper: PlanStepper, *, num_searches: int) -> Int64[Tensor, "B actions"]:
    """The first action of each search's best plan."""
    plan = stepper.plan
    beam_search(
        stepper,
        num_searches=num_searches,
        width=plan.width,
        keep=plan.keep,
        max_steps=plan.horizon,
        rank=True,
        stop_check_every=0,
    )
    best = stepper.best_rows()
    return stepper.first_actions[best]


def generators(seeds: Sequence[int], *, seed: int) -> list[torch.Generator]:
    """One for each episode, of its own seed and that of the plans."""
    return [torch_stream(seed, Purpose.PLANS, one) for one in seeds]
