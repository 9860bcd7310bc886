"""Data of one's own: episodes of a stated mixture of policies, the same for the same seed."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import torch

from tokoban.systems.trajectory.environments import FIRST_TRAINING_SEED, World
from tokoban.systems.trajectory.levels import SokobanLevelsEnv, expert
from tokoban.systems.trajectory.policies import Part, by_hand, noisy, parse_mix, random_policy
from tokoban.systems.trajectory.rollouts import Policy, play
from tokoban.systems.trajectory.trajectories import TENSORS, Trajectories

_AT_ONCE = 100  # episodes side by side


def collect(world: World, mix: str, *, num_episodes: int, seed: int) -> Trajectories:
    """``num_episodes`` of the mixture, part after part.

    ``ValueError`` for a policy that nobody knows, and where the shares leave a part no episode.
    """
    parts = parse_mix(mix)
    generator = torch.Generator().manual_seed(seed)
    known = _known(world, generator)
    first = FIRST_TRAINING_SEED + seed * num_episodes
    played = []
    for part, number in zip(parts, _numbers(parts, num_episodes), strict=True):
        if part.policy not in known:
            raise ValueError(
                f"no policy {part.policy!r} for {world.spec.env}; there is {', '.join(known)}"
            )
        policy = noisy(known[part.policy], part.noise, generator=generator)
        for start in range(first, first + number, _AT_ONCE):
            seeds = range(start, min(start + _AT_ONCE, first + number))
            played.append(play(world, policy, seeds))
        first += number
    return replace(joined(played), origin=f"{mix}, {num_episodes} episodes, seed {seed}")


def joined(parts: Sequence[Trajectories]) -> Trajectories:
    """The episodes of all parts, one behind the other."""
    tensors = {name: torch.cat([getattr(part, name) for part in parts]) for name in TENSORS}
    return Trajectories(parts[0].env, **tensors, origin=parts[0].origin)


def _known(world: World, generator: torch.Generator) -> dict[str, Policy]:
    known = {"random": random_policy(generator=generator)} | by_hand(world.spec.env)
    if isinstance(world.environment, SokobanLevelsEnv):
        known["expert"] = expert(world)
    return known


def _numbers(parts: Sequence[Part], num_episodes: int) -> list[int]:
    """The number of episodes of each part: its share, and the rest for the last."""
    total = sum(part.share for part in parts)
    ends, reached = [0], 0.0
    for part in parts:
        reached += part.share
        ends.append(round(num_episodes * reached / total))
    numbers = [end - start for start, end in pairwise(ends)]
    for part, number in zip(parts, numbers, strict=True):
        if number < 1:
            raise ValueError(f"{num_episodes} episodes leave none to the part {part.policy!r}")
    return numbers
