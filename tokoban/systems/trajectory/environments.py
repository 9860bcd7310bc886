"""Many copies of one environment side by side, Gymnasium's or our own, behind one seam.

Axes: B copies, V values of the first number of an action.
"""

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor

# Data are collected in episodes of seeds from here on; those below are for evaluation.
FIRST_TRAINING_SEED = 1_000_000

_MOST_NUMBERS = 64  # of an observation: each is a token


@dataclass(frozen=True)
class Spec:
    """What the numbers of an environment are: how many values each has, None where any."""

    env: str
    state_sizes: tuple[int | None, ...]
    action_sizes: tuple[int | None, ...]
    context_sizes: tuple[int, ...] = ()  # of what stays the same in an episode
    action_low: tuple[float, ...] = ()  # one for each number of an action
    action_high: tuple[float, ...] = ()


class Step(NamedTuple):
    """What came of an action in each copy; one that was over before stays as it was, reward 0."""

    observations: Float[Tensor, "B states"]
    rewards: Float[Tensor, "B"]
    is_terminated: Bool[Tensor, "B"]
    is_truncated: Bool[Tensor, "B"]


@runtime_checkable
class World(Protocol):
    """Copies of one environment; each plays one episode and then waits for the next reset."""

    spec: Spec

    def reset(self, seeds: Sequence[int]) -> Float[Tensor, "B states"]:
        """Begins as many episodes as there are seeds; a seed is a start, always the same one."""
        ...

    def contexts(self) -> Float[Tensor, "B contexts"]:
        """What stays the same in each episode."""
        ...

    def is_legal(self) -> Bool[Tensor, "B V"] | None:
        """Which first numbers of an action are possible now; None where all are."""
        ...

    def step(self, actions: Float[Tensor, "B actions"]) -> Step:
        """Takes one action in each copy."""
        ...

    def picture(self) -> Any:
        """The first copy as colours, uint8 [H, W, 3]; None where it cannot be drawn."""
        ...


class GymnasiumWorld:
    """Copies of a Gymnasium environment, stepped one after the other."""

    def __init__(
        self,
        env: str,
        *,
        max_steps: int | None = None,
        repeat: int = 1,
        is_drawn: bool = False,
    ) -> None:
        """Each action is done ``repeat`` times; ``max_steps`` is the environment's own count.

        ``ValueError`` for an environment or a kind of space that is not known.
        """
        self._make = _maker(env, max_steps, is_drawn)
        first = self._make()
        self.spec = _spec(env, first)
        self._repeat = repeat
        self._copies = [first]
        self._is_over: list[bool] = []
        self._last: Tensor = torch.empty(0)

    def reset(self, seeds: Sequence[int]) -> Float[Tensor, "B states"]:
        """As ``World`` says."""
        while len(self._copies) < len(seeds):
            self._copies.append(self._make())
        found = [env.reset(seed=seed)[0] for env, seed in zip(self._copies, seeds, strict=False)]
        self._is_over = [False] * len(seeds)
        self._last = torch.stack([_flat(observation) for observation in found])
        return self._last

    def contexts(self) -> Float[Tensor, "B contexts"]:
        """Nothing."""
        return torch.zeros(len(self._is_over), 0)

    def is_legal(self) -> None:
        """All actions are."""
        return None

    def step(self, actions: Float[Tensor, "B actions"]) -> Step:
        """As ``World`` says; a number outside the bounds is moved to the nearest bound."""
        observations = self._last.clone()
        rewards, ended = torch.zeros(len(actions)), torch.zeros(2, len(actions), dtype=torch.bool)
        for row, action in enumerate(actions):
            if self._is_over[row]:
                continue
            for _ in range(self._repeat):
                env = self._copies[row]
                found, reward, is_terminated, is_truncated, _ = env.step(_native(env, action))
                if not np.isfinite(reward):
                    raise ValueError(f"{self.spec.env}: got the reward {reward}, no finite number")
                rewards[row] += float(reward)
                if is_terminated or is_truncated:
                    break
            observations[row] = _flat(found)
            ended[0, row], ended[1, row] = is_terminated, is_truncated and not is_terminated
            self._is_over[row] = is_terminated or is_truncated
        self._last = observations
        return Step(observations, rewards, ended[0], ended[1])

    def picture(self) -> Any:
        """What the environment renders; ``ValueError`` where it cannot, as without a display."""
        try:
            return self._copies[0].render()
        except Exception as error:  # renderers raise whatever their libraries do
            raise ValueError(f"{self.spec.env} cannot be drawn here: {error}") from None


def _maker(env: str, max_steps: int | None, is_drawn: bool) -> Any:
    import gymnasium

    if env not in gymnasium.registry:
        close = difflib.get_close_matches(env, gymnasium.registry, n=3, cutoff=0.5)
        told = f"; did you mean {', '.join(close)}?" if close else ""
        raise ValueError(f"unknown environment {env!r}{told}")
    render_mode = "rgb_array" if is_drawn else None

    def make() -> Any:
        try:
            return gymnasium.make(env, max_episode_steps=max_steps, render_mode=render_mode)
        except (gymnasium.error.DependencyNotInstalled, ImportError) as error:
            raise ValueError(f"{env} needs a package that is missing: {error}") from None

    return make


def _spec(env: str, made: Any) -> Spec:
    states, _, _ = _numbers(env, "observation", made.observation_space)
    actions, low, high = _numbers(env, "action", made.action_space)
    if not all(np.isfinite([*low, *high])):
        raise ValueError(f"{env}: the actions have no bounds, {made.action_space}")
    if made.spec.max_episode_steps is None:
        raise ValueError(f"{env}: episodes have no time limit; give max_steps")
    return Spec(env, states, actions, (), low, high)


def _numbers(
    env: str, what: str, space: Any
) -> tuple[tuple[int | None, ...], tuple[float, ...], tuple[float, ...]]:
    """The sizes, least and greatest values of a space's numbers."""
    from gymnasium import spaces

    if isinstance(space, spaces.Discrete) and space.start == 0:
        return (int(space.n),), (0.0,), (float(space.n - 1),)
    if isinstance(space, spaces.MultiDiscrete) and space.nvec.ndim == 1 and not space.start.any():
        sizes = tuple(int(size) for size in space.nvec)
        return sizes, (0.0,) * len(sizes), tuple(size - 1.0 for size in sizes)
    if isinstance(space, spaces.Box) and np.prod(space.shape) <= _MOST_NUMBERS:
        low, high = (tuple(map(float, bound.flatten())) for bound in (space.low, space.high))
        return (None,) * len(low), low, high
    raise ValueError(
        f"{env}: the {what} space is {type(space).__name__} {space.shape or ''}; expected "
        f"Discrete or MultiDiscrete from 0, or a Box of at most {_MOST_NUMBERS} numbers"
    )


def _flat(observation: Any) -> Float[Tensor, "states"]:
    return torch.as_tensor(np.asarray(observation, dtype=np.float32).reshape(-1))


def _native(env: Any, action: Float[Tensor, "actions"]) -> Any:
    from gymnasium import spaces

    space, values = env.action_space, action.numpy()
    if isinstance(space, spaces.Box):
        return np.clip(values.reshape(space.shape), space.low, space.high).astype(space.dtype)
    whole = values.round().astype(np.int64)
    return int(whole[0]) if isinstance(space, spaces.Discrete) else whole
