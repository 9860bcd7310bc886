"""One level at a time as a Gymnasium environment, by the reference rules.

The default rewards are those of gym-sokoban (Schrader 2018, github.com/mpSchrader/gym-sokoban).

Axes: A actions, C the planes of ``tensor_boards``, H rows and W columns, one ring of wall included.
"""

import math
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, SupportsIndex, get_args

import gymnasium
import numpy as np
import torch
from gymnasium import spaces
from jaxtyping import Int8, UInt8

from tokoban.sokoban import rules
from tokoban.sokoban.board import OFFSETS, Board, Square
from tokoban.sokoban.render import MIN_SQUARE_PX, SQUARE_PX, render, render_rgb
from tokoban.sokoban.simulation import tensor_boards
from tokoban.sokoban.simulation.level_pool import (
    GeneratedLevels,
    LevelSource,
    as_int64,
    draw_levels,
    load_boards,
    streams,
)
from tokoban.sokoban.simulation.tensor_boards import Plane
from tokoban.sokoban.simulation.vector_arguments import check_whole, checked_seed, is_whole_number

# Moves: one of the four directions. Pushes: a cell of the interior and a direction; the player
# walks to the box there and pushes it once, all in one step.
ActionSet = Literal["moves", "pushes"]
RENDER_MODES = ["ansi", "rgb_array"]
MAX_STEPS = 120
MAX_SQUARE_PX = 512
NUM_DIRECTIONS = len(OFFSETS)
NOT_RESET = "the environment was not reset yet; reset() comes before step()"


@dataclass(frozen=True, kw_only=True)
class Rewards:
    """The reward of a step, a sum of terms; the defaults are those of gym-sokoban."""

    step: float = -0.1  # for every step, also the last and those without effect
    box_on_goal: float = 1.0
    box_off_goal: float = -1.0
    solved: float = 10.0

    def __post_init__(self) -> None:
        for field in fields(self):
            reward = getattr(self, field.name)
            is_number = isinstance(reward, int | float | np.number) and not isinstance(reward, bool)
            if not (is_number and math.isfinite(reward)):
                raise ValueError(f"the reward {field.name} is {reward!r}; expected a finite number")

    def of(self, gain: int, is_solved: bool) -> float:
        """``gain`` is the change in the number of boxes on goals: -1, 0 or 1."""
        return (
            self.step
            + (0.0, self.box_on_goal, self.box_off_goal)[gain]
            + (self.solved if is_solved else 0.0)
        )


DEFAULT_LEVELS = GeneratedLevels()
DEFAULT_REWARDS = Rewards()


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
        levels: LevelSource = DEFAULT_LEVELS,
        *,
        actions: ActionSet = "moves",
        max_steps: int = MAX_STEPS,
        rewards: Rewards = DEFAULT_REWARDS,
        render_mode: str | None = None,
        square_px: int = SQUARE_PX,
    ) -> None:
        check_arguments(
            actions=actions,
            max_steps=max_steps,
            rewards=rewards,
            render_mode=render_mode,
            square_px=square_px,
        )
        self._is_closed = False
        self._boards = load_boards(levels)
        self._actions = actions
        self._max_steps = max_steps
        self._rewards = rewards
        self.render_mode = render_mode
        self._square_px = square_px
        self.observation_space = observation_space(self._boards)
        self.action_space: spaces.Discrete = action_space(self._boards, actions)
        # Drawn from ``np_random`` if the first reset has no seed.
        self._stream: torch.Tensor | None = None
        self._episode = self._num_steps = self._level = 0
        self._board: Board
        self._is_solved: bool
        self._is_truncated: bool
        self._start(self._boards[0])

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[UInt8[np.ndarray, "C H W"], dict[str, Any]]:
        """Starts the next episode of this seed, or the first one of a new seed."""
        check_open(self._is_closed)
        seed = None if seed is None else checked_seed(seed)
        super().reset(seed=seed)
        if seed is not None:
            self._stream, self._episode = streams(torch.tensor([as_int64(seed)])), 0
        elif self._stream is None:
            self._stream = torch.from_numpy(self.np_random.integers(2**63, size=1))
        drawn = draw_levels(
            self._stream, torch.tensor([self._episode]), num_levels=len(self._boards)
        )
        chosen = chosen_levels(options, num_levels=len(self._boards), known=["level"])
        if len(chosen) > 1:
            raise ValueError(f"got {len(chosen)} levels for one environment")
        (self._level,) = chosen or drawn.tolist()
        self._episode += 1
        self._num_steps = 0
        self._start(self._boards[self._level])
        return self._observation(), self._info()

    def step(
        self, action: SupportsIndex
    ) -> tuple[UInt8[np.ndarray, "C H W"], float, bool, bool, dict[str, Any]]:
        """Plays one move or push; an impossible one changes nothing but counts as a step.

        After the end of the episode the reward is 0, and the flags stay.
        """
        check_open(self._is_closed)
        if self._stream is None:
            raise ValueError(NOT_RESET)
        try:
            number = operator.index(action)  # also of an array or a tensor without axes
        except TypeError:
            number = -1
        if not 0 <= number < self.action_space.n:
            most = self.action_space.n - 1
            raise ValueError(f"the action is {action!r}; expected a whole number from 0 to {most}")
        before, has_ended = self._board, self._is_solved or self._is_truncated
        self._board = self._after(number)
        self._mask = self._legal_actions()
        reward = 0.0
        if not has_ended:
            self._num_steps += 1
            gain = _num_boxes_on_goals(self._board) - _num_boxes_on_goals(before)
            self._is_solved = self._board.is_solved
            self._is_truncated = not self._is_solved and self._num_steps >= self._max_steps
            reward = self._rewards.of(gain, self._is_solved)
        return self._observation(), reward, self._is_solved, self._is_truncated, self._info()

    def render(self) -> Any:
        """The board as XSB for "ansi", as an RGB array for "rgb_array"."""
        check_open(self._is_closed)
        return draw(self._board, self.render_mode, self._square_px)

    def close(self) -> None:
        """Closes it: every later call raises ``ClosedEnvironmentError``."""
        self._is_closed = True

    def _start(self, board: Board) -> None:
        self._board = board
        self._is_solved = self._is_truncated = False
        self._mask = self._legal_actions()
        self._static_planes = tensor_boards.planes(tensor_boards.from_boards([board]))[0].numpy()
        self._static_planes[[Plane.BOX, Plane.PLAYER]] = False

    def _after(self, action: int) -> Board:
        if self._actions == "moves":
            return rules.step(self._board, action)
        cell, direction = divmod(action, NUM_DIRECTIONS)
        if not self._mask[action]:
            return self._board
        row, column = divmod(cell, self._board.width - 2)
        return rules.push(self._board, Square(row + 1, column + 1), direction)

    def _legal_actions(self) -> Int8[np.ndarray, "A"]:
        board = self._board
        mask = np.zeros(self.action_space.n, dtype=np.int8)
        if self._actions == "moves":
            mask[:] = [rules.step(board, direction) != board for direction in range(NUM_DIRECTIONS)]
            return mask
        for box, direction in rules.pushes(board):
            cell = (box.row - 1) * (board.width - 2) + box.column - 1
            mask[NUM_DIRECTIONS * cell + direction] = True
        return mask

    def _observation(self) -> UInt8[np.ndarray, "C H W"]:
        planes = self._static_planes.astype(np.uint8)
        planes[Plane.PLAYER, *self._board.player] = 1
        for row, column in self._board.boxes:
            planes[Plane.BOX, row, column] = 1
        return planes

    def _info(self) -> dict[str, Any]:
        return {
            "action_mask": self._mask.copy(),
            "level": self._level,
            "is_solved": self._board.is_solved,
        }


def check_arguments(
    *, actions: str, max_steps: int, rewards: Rewards, render_mode: str | None, square_px: int
) -> None:
    """Raises ``ValueError`` for invalid arguments."""
    if actions not in get_args(ActionSet):
        raise ValueError(f"the action set is {actions!r}; expected one of {get_args(ActionSet)}")
    check_whole("the step cap", max_steps, least=1, most=2**63 - 1)
    if not isinstance(rewards, Rewards):
        raise ValueError(f"the rewards are {rewards!r}; expected Rewards(step=..., solved=...)")
    check_whole("the square size in px", square_px, least=MIN_SQUARE_PX, most=MAX_SQUARE_PX)
    if render_mode not in (None, *RENDER_MODES):
        known = ", ".join(map(repr, [None, *RENDER_MODES]))
        raise ValueError(f"the render mode is {render_mode!r}; expected one of {known}")


def check_open(is_closed: bool) -> None:
    """Raises ``ClosedEnvironmentError`` if the environment was closed."""
    if is_closed:
        raise gymnasium.error.ClosedEnvironmentError("the environment is closed; make a new one")


def observation_space(boards: Sequence[Board]) -> spaces.Box:
    """The five planes of boards of one size."""
    return spaces.Box(0, 1, (len(Plane), boards[0].height, boards[0].width), np.uint8)


def action_space(boards: Sequence[Board], actions: ActionSet) -> spaces.Discrete:
    """Moves: the directions 0 to 3. Pushes: cell * 4 + direction, cells row by row."""
    num_cells = (boards[0].height - 2) * (boards[0].width - 2)
    return spaces.Discrete(NUM_DIRECTIONS * (num_cells if actions == "pushes" else 1))


def chosen_levels(
    options: Mapping[str, Any] | None, *, num_levels: int, known: Sequence[str]
) -> list[int]:
    """The levels in ``options["level"]`` of a reset, one or several; or none."""
    if not isinstance(options, Mapping | None):
        raise ValueError(f"the options are {options!r}; expected a dictionary")
    for name in options or ():
        if name not in known:
            raise ValueError(f"the option is {name!r}; expected {' or '.join(known)}")
    given: Any = (options or {}).get("level", [])
    levels = list(given) if isinstance(given, list | tuple) else np.atleast_1d(given).tolist()
    for level in levels:
        if not is_whole_number(level) or level not in range(num_levels):
            raise ValueError(f"the level is {level}; expected 0 to {num_levels - 1}")
    return levels


def draw(board: Board, render_mode: str | None, square_px: int) -> Any:
    """The frame of a board in a render mode; ``None`` without one."""
    match render_mode:
        case "ansi":
            return render(board, has_colour=False)
        case "rgb_array":
            return render_rgb(board, square_px=square_px)
        case _:
            return None


def _num_boxes_on_goals(board: Board) -> int:
    return len(board.boxes & board.goals)
