"""Gymnasium's vector environments as the player sees them: tensors, with a state to be saved.

Axes: B games.
"""

import importlib
import warnings
from typing import Any, NamedTuple

import gymnasium
import numpy as np
import torch
from gymnasium.vector import AutoresetMode, SyncVectorEnv, VectorEnv
from jaxtyping import Bool, Float, UInt8
from torch import Tensor

from tokoban.systems.memory_ppo.rules_env import RulesVectorEnv
from tokoban.systems.memory_ppo.spaces import check_space, is_discrete

# What registers the environments whose names begin so, as it is called in Python and by pip.
_PACKAGES = {
    "popgym-": ("popgym", "popgym"),
    "MiniGrid-": ("minigrid", "minigrid"),
    "tokoban/": ("tokoban.sokoban.simulation.registration", "tokoban"),
}


class Step(NamedTuple):
    """The result of an action; at the end of an episode it has the last observation."""

    observations: Tensor  # [B, ...]
    rewards: Float[Tensor, "B"]
    is_terminated: Bool[Tensor, "B"]  # over by the rules: no reward follows
    is_truncated: Bool[Tensor, "B"]  # over by the clock alone


class TensorEnv:
    """A vector environment of ``AutoresetMode.NEXT_STEP`` on tensors; storage.

    The step after an end ignores its action, has the reward 0, and shows the first observation of
    the next episode. An environment of others cannot be saved. But it does the same again after the
    same seed and the same actions, and so it is restored by playing them once more.
    """

    def __init__(
        self,
        environment: VectorEnv[Any, Any, Any],
        *,
        seed: int,
        device: torch.device,
        takes_tensors: bool = False,
    ) -> None:
        """Game i of the n-th reset, from 0, has the seed ``seed + n * B + i``.

        With ``takes_tensors`` the environment itself is on ``device``.
        """
        mode = environment.metadata.get("autoreset_mode")
        if mode is not AutoresetMode.NEXT_STEP:
            raise ValueError(f"expected an environment that resets on the next step, got {mode}")
        self.environment = environment
        self.observation_space = environment.single_observation_space
        self.action_space = environment.single_action_space
        for space in (self.observation_space, self.action_space):
            check_space(space)
        self.num_games = environment.num_envs
        # Of every episode, where all are equally long; else None.
        self.episode_steps: int | None = environment.metadata.get("episode_steps")
        # Whether no action matters to a later reward.
        self.is_judged_at_once: bool = environment.metadata.get("is_judged_at_once", False)
        self.is_to_be_saved = True  # else no action is kept
        self._has_bare_actions = environment.single_action_space.shape == ()
        self._takes_tensors = takes_tensors
        self._device = device
        self._seed = seed
        self._num_resets = 0
        self._actions: list[Tensor] = []

    @property
    def num_to_replay(self) -> int:
        """Steps of every game since the last reset, which restoring would play again."""
        return len(self._actions)

    def reset(self) -> Tensor:
        """Starts every game with a seed of its own."""
        observations, _ = self.environment.reset(
            seed=self._seed + self._num_resets * self.num_games
        )
        self._num_resets += 1
        self._actions = []
        return self._seen(observations)

    def step(self, actions: Tensor) -> Step:
        """Plays one action in every game; NaN and infinite rewards are the player's to refuse."""
        bare = actions[:, 0] if self._has_bare_actions else actions
        if self.is_to_be_saved and not isinstance(self.environment, RulesVectorEnv):
            self._actions.append(bare)
        return self._step(bare)

    def _step(self, actions: Tensor) -> Step:
        given = actions if self._takes_tensors else actions.numpy(force=True)
        observations, rewards, is_terminated, is_truncated, _ = self.environment.step(given)
        return Step(
            self._seen(observations),
            torch.as_tensor(rewards, dtype=torch.float32, device=self._device),
            torch.as_tensor(is_terminated, dtype=torch.bool, device=self._device),
            torch.as_tensor(is_truncated, dtype=torch.bool, device=self._device),
        )

    def _seen(self, observations: Any) -> Tensor:
        # Copied, since an environment may write the next observations into the same place.
        seen = torch.as_tensor(observations, device=self._device).clone()
        if is_discrete(self.observation_space):
            return seen.long().reshape(self.num_games, -1)
        return seen if seen.dtype == torch.uint8 else seen.float()

    def state_dict(self) -> dict[str, Any]:
        """The number of resets, and the environment's own state or the actions since then."""
        own = None
        if isinstance(self.environment, RulesVectorEnv):
            own = self.environment.state_dict()
        done = torch.stack(self._actions) if self._actions else None
        return {"num_resets": self._num_resets, "own": own, "actions": done}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Goes on from its own state, or plays it all again, with the same observations."""
        if isinstance(self.environment, RulesVectorEnv):
            self._num_resets = state["num_resets"]
            self.environment.load_state_dict(state["own"])
            return
        self._num_resets = state["num_resets"] - 1
        self.reset()
        if state["actions"] is not None:
            self._actions = list(state["actions"].to(self._device))
            for played in self._actions:
                self._step(played)

    def picture(self) -> UInt8[Tensor, "H W 3"]:
        """The first game as its environment renders it.

        ``ValueError`` where it cannot, as without a package that it draws with.
        """
        try:
            if isinstance(self.environment, SyncVectorEnv):
                frame = self.environment.envs[0].render()  # not all the others too
            else:
                frame = (self.environment.render() or (None,))[0]
        except NotImplementedError:
            frame = None
        except Exception as error:  # renderers raise whatever their libraries do
            raise ValueError(f"this environment cannot be drawn here: {error}") from None
        if not isinstance(frame, np.ndarray):
            raise ValueError("this environment draws no pictures")
        return torch.from_numpy(frame.copy())


def open_environment(
    name: str, num_games: int, *, is_alone: bool = False, is_drawn: bool = False
) -> VectorEnv[Any, Any, Any]:
    """``num_games`` of the environments that are registered as ``name``.

    With ``is_alone`` each is one by itself, with a seed of its own, even of a kind that Gymnasium
    plays many of at once, by one seed; what is drawn is always so.
    ValueError where there is none, saying what is near or what is missing.
    """
    prefix = next((prefix for prefix in _PACKAGES if name.startswith(prefix)), "")
    if prefix:
        module, package = _PACKAGES[prefix]
        try:
            importlib.import_module(module)
        except ImportError as error:
            is_missing = isinstance(error, ModuleNotFoundError) and error.name == module
            reason = f"pip install {package}" if is_missing else _first_line(error)
            raise ValueError(f"{name} needs the package {package}: {reason}") from None
    options: dict[str, Any] = {}
    if is_alone or is_drawn:  # what Gymnasium itself plays many of at once it does not draw
        options["vectorization_mode"] = "sync"
    if is_drawn:
        options["render_mode"] = "rgb_array"
    wrappers = [_flat_grid] if prefix == "MiniGrid-" else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of its checker, about the code of others
        try:
            return gymnasium.make_vec(name, num_envs=num_games, wrappers=wrappers, **options)
        except Exception as error:  # constructors raise whatever their authors and libraries do
            message = _first_line(error)
            if ":" in name and isinstance(error, ModuleNotFoundError):
                # Gymnasium took what is before the colon for a module, and goes on about that.
                message = message.split(". ")[0]
                raise ValueError(f"unknown environment {name!r} ({message})") from None
            raise ValueError(f"{name}: {message}") from None


def _first_line(error: Exception) -> str:
    return (str(error) or type(error).__name__).splitlines()[0]


def _flat_grid(environment: gymnasium.Env[Any, Any]) -> gymnasium.Wrapper[Any, Any, Any, Any]:
    """MiniGrid's view as choices (kind, colour and state of each cell), without the mission.

    Its numbers are names of things, which lie nowhere on a line.
    """
    from gymnasium import spaces
    from gymnasium.wrappers import TransformObservation
    from minigrid.core.constants import COLOR_TO_IDX, OBJECT_TO_IDX

    cells = environment.observation_space["image"].shape  # type: ignore[index]  # a Dict
    num_states = 4  # of a door: open, closed, locked; of the player: its direction
    counts = [len(OBJECT_TO_IDX), len(COLOR_TO_IDX), num_states] * (cells[0] * cells[1])
    return TransformObservation(
        environment,
        lambda seen: seen["image"].flatten().astype(np.int64),
        spaces.MultiDiscrete(counts),
    )
