"""Gymnasium's vector environments, our own and others', as rows of numbers.

Axes: B copies, V values of the first number of an action.
"""

import difflib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import gymnasium
import numpy as np
import torch
from gymnasium import spaces
from gymnasium.vector import SyncVectorEnv, VectorEnv
from jaxtyping import Bool, Float
from torch import Tensor

# Data are collected in episodes of seeds from here on; those below are for evaluation.
FIRST_TRAINING_SEED = 1_000_000

_MOST_NUMBERS = 64  # of an observation: each is a token


@dataclass(frozen=True)
class Spec:
    """The numbers of an environment: how many values each can have, None for any."""

    env: str
    state_sizes: tuple[int | None, ...]
    action_sizes: tuple[int | None, ...]
    context_sizes: tuple[int, ...] = ()  # of what stays the same in an episode
    action_low: tuple[float, ...] = ()  # one for each number of an action
    action_high: tuple[float, ...] = ()


class Step(NamedTuple):
    """The result of an action in each copy; a finished one stays as it was, with reward 0."""

    observations: Float[Tensor, "B states"]
    rewards: Float[Tensor, "B"]
    is_terminated: Bool[Tensor, "B"]
    is_truncated: Bool[Tensor, "B"]


class World:
    """One episode in each copy of a Gymnasium vector environment, on tensors; storage.

    Observations and actions are rows of numbers, whatever their spaces. A copy whose episode has
    ended stays as it was, with reward 0, until the next reset. The environment's ``metadata`` may
    have a "context_space", and ``info`` then the "context" that stays the same in an episode; with
    "has_action_mask" ``info`` has the "action_mask" of the possible actions.
    """

    def __init__(self, env: str, make: Callable[[int], VectorEnv[Any, Any, Any]]) -> None:
        """``make`` gives so many copies. ``ValueError`` for a kind of space that is not known."""
        self._make = make
        self.environment = make(1)
        self.spec = _spec(env, self.environment)
        self._info: dict[str, Any] = {}
        self._last: Tensor = torch.empty(0)
        self._is_over: Tensor = torch.empty(0, dtype=torch.bool)

    def reset(self, seeds: Sequence[int]) -> Float[Tensor, "B states"]:
        """Begins as many episodes as there are seeds; a seed is a start, always the same one."""
        if self.environment.num_envs != len(seeds):
            self.environment.close()
            self.environment = self._make(len(seeds))
        observations, self._info = self.environment.reset(seed=list(seeds))  # type: ignore[arg-type]
        self._last = self._rows(observations)
        self._is_over = torch.zeros(len(seeds), dtype=torch.bool, device=self._last.device)
        return self._last

    def contexts(self) -> Float[Tensor, "B contexts"]:
        """The numbers that stay the same throughout each episode."""
        if not self.spec.context_sizes:
            return self._last.new_zeros(len(self._last), 0)
        return self._info["context"].float()

    def is_legal(self) -> Bool[Tensor, "B V"] | None:
        """Which first numbers of an action are possible now; None where all are."""
        if not self.environment.metadata.get("has_action_mask"):
            return None
        return self._info["action_mask"].bool()

    def step(self, actions: Float[Tensor, "B actions"]) -> Step:
        """Takes one action in each copy; a number beyond the bounds is moved to the nearest one."""
        native = _native(self.environment.single_action_space, actions)
        is_of_arrays = isinstance(self.environment, SyncVectorEnv)
        seen, rewards, is_terminated, is_truncated, self._info = self.environment.step(
            native.numpy() if is_of_arrays else native
        )
        is_running, device = ~self._is_over, self._last.device
        is_terminated = torch.as_tensor(is_terminated, device=device) & is_running
        is_truncated = torch.as_tensor(is_truncated, device=device) & is_running
        self._last = torch.where(is_running[:, None], self._rows(seen), self._last)
        self._is_over = self._is_over | is_terminated | is_truncated
        return Step(
            self._last,
            torch.as_tensor(rewards, device=device).float() * is_running,
            is_terminated,
            is_truncated & ~is_terminated,
        )

    def picture(self) -> Any:
        """The first copy as colours, uint8 [H, W, 3]; None if it draws nothing.

        ``ValueError`` where it cannot be drawn, as without a display.
        """
        try:
            if isinstance(self.environment, SyncVectorEnv):
                return self.environment.envs[0].render()  # not all the others too
            return (self.environment.render() or (None,))[0]
        except Exception as error:  # renderers raise whatever their libraries do
            raise ValueError(f"{self.spec.env} cannot be drawn here: {error}") from None

    def _rows(self, observations: Any) -> Float[Tensor, "B states"]:
        return torch.as_tensor(observations).reshape(self.environment.num_envs, -1).float()


def gymnasium_world(
    env: str, *, max_steps: int | None = None, repeat: int = 1, is_drawn: bool = False
) -> World:
    """Copies of a registered environment, stepped one after the other.

    Each action is done ``repeat`` times; ``max_steps`` is the environment's own count.
    ``ValueError`` for an environment that is not known or has no time limit.
    """
    make = _maker(env, max_steps, is_drawn)

    def made(num_copies: int) -> SyncVectorEnv:
        return SyncVectorEnv([lambda: _Repeated(make(), env, repeat)] * num_copies)

    world = World(env, made)
    assert isinstance(world.environment, SyncVectorEnv)
    spec = world.environment.envs[0].spec
    if spec is None or spec.max_episode_steps is None:
        raise ValueError(f"{env}: episodes have no time limit; give max_steps")
    return world


class _Repeated(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Repeats each action, at most until the episode ends; the reward is the sum."""

    def __init__(self, env: gymnasium.Env[Any, Any], name: str, times: int) -> None:
        super().__init__(env)
        self._name, self._times = name, times

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """``ValueError`` for a reward that is no finite number."""
        total = np.float32(0.0)
        for _ in range(self._times):
            seen, reward, is_terminated, is_truncated, info = self.env.step(action)
            if not np.isfinite(float(reward)):
                raise ValueError(f"{self._name}: got the reward {reward}, no finite number")
            total += np.float32(reward)
            if is_terminated or is_truncated:
                break
        return seen, float(total), is_terminated, is_truncated, info


def _maker(
    env: str, max_steps: int | None, is_drawn: bool
) -> Callable[[], gymnasium.Env[Any, Any]]:
    if env not in gymnasium.registry:
        close = difflib.get_close_matches(env, gymnasium.registry, n=3, cutoff=0.5)
        message = f"; did you mean {', '.join(close)}?" if close else ""
        raise ValueError(f"unknown environment {env!r}{message}")
    options: dict[str, Any] = {"render_mode": "rgb_array"} if is_drawn else {}

    def make() -> gymnasium.Env[Any, Any]:
        try:
            return gymnasium.make(env, max_episode_steps=max_steps, **options)
        except Exception as error:  # constructors raise whatever their authors and libraries do
            reason = (str(error) or type(error).__name__).splitlines()[0]
            raise ValueError(f"{env} cannot be made: {reason}") from None

    return make


def _spec(env: str, made: VectorEnv[Any, Any, Any]) -> Spec:
    states, _, _ = _numbers(env, "observation", made.single_observation_space)
    actions, low, high = _numbers(env, "action", made.single_action_space)
    if not all(np.isfinite([*low, *high])):
        raise ValueError(f"{env}: unbounded actions: {made.single_action_space}")
    context_space: spaces.MultiDiscrete | None = made.metadata.get("context_space")
    contexts = () if context_space is None else tuple(context_space.nvec.tolist())
    return Spec(env, states, actions, contexts, low, high)


def _numbers(
    env: str, what: str, space: Any
) -> tuple[tuple[int | None, ...], tuple[float, ...], tuple[float, ...]]:
    """The sizes, least and greatest values of a space's numbers."""
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


def _native(space: spaces.Space[Any], actions: Float[Tensor, "B actions"]) -> Tensor:
    """The actions as the environment takes them."""
    if isinstance(space, spaces.Box):
        values = actions.unflatten(1, space.shape).numpy()
        return torch.from_numpy(np.clip(values, space.low, space.high).astype(space.dtype))
    whole = actions.round().long()
    return whole[:, 0] if isinstance(space, spaces.Discrete) else whole
