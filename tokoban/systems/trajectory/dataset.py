"""Windows of transitions as tokens, drawn from a seed without end.

Axes: B windows, N transitions of all episodes.
"""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor

from tokoban.systems.trajectory.discretise import Bins
from tokoban.systems.trajectory.environments import Spec
from tokoban.systems.trajectory.layout import Layout
from tokoban.systems.trajectory.trajectories import Trajectories
from tokoban.training.streams import Purpose, streams

# A return that was cut short is learned if at most this share of its weight lies behind the cut.
_MOST_LOST = 0.1


class Windows(NamedTuple):
    """Transitions in a row of one episode each, padded on the right."""

    prefix: Int64[Tensor, "B prefix"]
    tokens: Int64[Tensor, "B steps columns"]
    is_real: Bool[Tensor, "B steps"]
    knows_return: Bool[Tensor, "B steps"]  # where the return-to-go was not cut short


def returns_to_go(trajectories: Trajectories, *, discount: float) -> Float[Tensor, "N"]:
    """From each transition to the end of its episode: the discounted sum of the rewards."""
    rewards = trajectories.rewards.double().numpy()
    found = np.empty_like(rewards)
    for start, end in _spans(trajectories):
        total = 0.0
        for place in range(end - 1, start - 1, -1):
            total = rewards[place] + discount * total
            found[place] = total
    return torch.from_numpy(found).float()


def knows_return(trajectories: Trajectories, *, discount: float) -> Bool[Tensor, "N"]:
    """Where the return-to-go is the true one, or nearly.

    Of a truncated episode it lacks what would have come after the cut: its weight must have fallen
    to a tenth by then. Without a discount the time limit is part of the task, and all count.
    """
    found = torch.ones(len(trajectories.rewards), dtype=torch.bool)
    if discount == 1.0:
        return found
    num_unknown = math.floor(math.log(_MOST_LOST) / math.log(discount))
    for (start, end), is_terminated in zip(
        _spans(trajectories), trajectories.is_terminated.tolist(), strict=True
    ):
        if not is_terminated:
            found[max(start, end - num_unknown) : end] = False
    return found


def table(trajectories: Trajectories, *, discount: float) -> Float[Tensor, "N columns"]:
    """Every column of every transition."""
    episodes = torch.arange(len(trajectories.lengths)).repeat_interleave(trajectories.lengths)
    is_end = torch.zeros(len(trajectories.rewards))
    is_end[trajectories.ends - 1] = trajectories.is_terminated.float()
    return torch.cat(
        [
            trajectories.observations,
            trajectories.actions,
            trajectories.rewards[:, None],
            returns_to_go(trajectories, discount=discount)[:, None],
            is_end[:, None],
            trajectories.contexts[episodes],
        ],
        dim=1,
    )


def sizes(spec: Spec) -> tuple[int | None, ...]:
    """The number of values of each column, None where it has any."""
    return (*spec.state_sizes, *spec.action_sizes, None, None, 2, *spec.context_sizes)


class WindowDataset:
    """Windows that start at any transition, each as likely as any other."""

    def __init__(
        self,
        trajectories: Trajectories,
        layout: Layout,
        bins: Bins,
        *,
        window: int,
        discount: float,
        batch_windows: int,
        seed: int,
    ) -> None:
        self.layout, self.window = layout, window
        self.batch_windows, self.seed = batch_windows, seed
        columns = range(layout.num_columns)
        self.tokens = bins.encode(table(trajectories, discount=discount), columns)
        self.knows_return = knows_return(trajectories, discount=discount)
        self.ends = trajectories.ends.repeat_interleave(trajectories.lengths)
        # The state that each transition leads to: the end of an episode can be a goal as well.
        self.following = self.tokens[:, list(layout.states)].roll(-1, dims=0)
        self.following[trajectories.ends - 1] = bins.encode(
            trajectories.last_observations, layout.states
        )

    def batches(self, *, start_step: int = 0, rank: int = 0) -> Iterator[Windows]:
        """Batch n of a rank is the same whatever ``start_step`` is."""
        for random in streams(self.seed, Purpose.EXAMPLES, rank, start_step=start_step):
            starts = torch.from_numpy(random.integers(len(self.tokens), size=self.batch_windows))
            # How far behind the start a goal lies, as a share of what is left of the episode.
            shares = torch.from_numpy(random.random(self.batch_windows))
            yield self.at(starts, goal_shares=shares)

    def at(self, starts: Int64[Tensor, "B"], *, goal_shares: Float[Tensor, "B"]) -> Windows:
        """The windows that begin with these transitions; a goal is drawn from what came of them.

        What was done after a goal was not done to reach it: those transitions count as padding.
        """
        ends = self.ends[starts]
        places = starts[:, None] + torch.arange(self.window)
        is_real = places < ends[:, None]
        goals = starts + ((ends - starts) * goal_shares).long()  # the transitions that lead there
        if self.layout.kind == "goal":
            is_real = is_real & (places <= goals[:, None])
        places = places.minimum(ends[:, None] - 1)
        tokens = self.tokens[places]
        prefix = tokens[:, 0, list(self.layout.contexts)]
        if self.layout.kind == "goal":
            prefix = torch.cat([prefix, self.following[goals]], dim=1)
        return Windows(prefix, tokens, is_real, self.knows_return[places] & is_real)


def _spans(trajectories: Trajectories) -> Sequence[tuple[int, int]]:
    ends = trajectories.ends.tolist()
    return list(zip([0, *ends[:-1]], ends, strict=True))
