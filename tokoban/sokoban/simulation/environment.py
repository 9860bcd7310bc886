"""One level at a time as a Gymnasium environment: ``SokobanVectorEnv`` with a single game.

Axes: A actions, C the planes of ``tensor_boards``, H rows and W columns, one ring of wall included.
"""

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from jaxtyping import UInt8

from tokoban.sokoban.render import SQUARE_PX
from tokoban.sokoban.simulation.level_pool import Levels
from tokoban.sokoban.simulation.vector_arguments import (
    DEFAULT_LEVELS,
    DEFAULT_REWARDS,
    MAX_STEPS,
    RENDER_MODES,
    ActionSet,
    Rewards,
    check_open,
    checked_seed,
)
from tokoban.sokoban.simulation.vector_environment import SokobanVectorEnv


class SokobanEnv(gymnasium.Env[np.ndarray, np.int64]):
    """Sokoban for one player; ``SokobanVectorEnv`` plays many at once with the same results.

    Observations are the five planes of ``tensor_boards.Plane`` as 0 and 1; smaller levels are
    padded with wall. Each reset draws a level by the seed, or takes ``options["level"]``. An
    episode is terminated when solved, and truncated after ``max_steps``.
    ``info`` has "action_mask" (1: the action changes the board), "level" and "is_solved".
    """

    metadata = {"render_modes": RENDER_MODES, "render_fps": 8}  # noqa: RUF012 (gymnasium's name)

    def __init__(
        self,
        levels: Levels = DEFAULT_LEVELS,
        *,
        actions: ActionSet = "moves",
        max_steps: int = MAX_STEPS,
        rewards: Rewards = DEFAULT_REWARDS,
        render_mode: str | None = None,
        square_px: int = SQUARE_PX,
    ) -> None:
        self._game = SokobanVectorEnv(
            1,
            levels,
            actions=actions,
            max_steps=max_steps,
            rewards=rewards,
            autoreset_mode=AutoresetMode.DISABLED,
            render_mode=render_mode,
            square_px=square_px,
        )
        self.render_mode = render_mode
        self.observation_space = self._game.single_observation_space
        self.action_space: spaces.Discrete = self._game.single_action_space

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[UInt8[np.ndarray, "C H W"], dict[str, Any]]:
        """Starts the next episode of this seed, or the first one of a new seed."""
        check_open(self._game.closed)
        super().reset(seed=None if seed is None else checked_seed(seed))
        self._game.np_random = self.np_random  # by which it draws if the first reset has no seed
        observations, infos = self._game.reset(seed=seed, options=options)
        return observations[0], _first(infos)

    def step(
        self, action: int | np.integer
    ) -> tuple[UInt8[np.ndarray, "C H W"], float, bool, bool, dict[str, Any]]:
        """Plays one move or push; an impossible one changes nothing but counts as a step.

        After the end of the episode the reward is 0, and the flags stay.
        """
        check_open(self._game.closed)
        if action not in self.action_space:
            raise ValueError(f"the action is {action}; expected 0 to {self.action_space.n - 1}")
        played = self._game.play(np.array([action]))
        (observation,), (reward,), (is_solved,), (is_truncated,), infos = played
        return observation, float(reward), bool(is_solved), bool(is_truncated), _first(infos)

    def render(self) -> Any:
        """The board as XSB for "ansi", as an RGB array for "rgb_array"."""
        frames = self._game.render()
        return None if frames is None else frames[0]

    def close(self) -> None:
        """Closes it: every later call raises ``ClosedEnvironmentError``."""
        self._game.close()


def _first(infos: dict[str, Any]) -> dict[str, Any]:
    """The info of the one game."""
    return {
        "action_mask": infos["action_mask"][0],
        "level": int(infos["level"][0]),
        "is_solved": bool(infos["is_solved"][0]),
    }
