"""The arguments of environments: what they may be, their validation, their conversion to tensors.

The default rewards are those of gym-sokoban (Schrader 2018, github.com/mpSchrader/gym-sokoban).

Axes: B environments.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, get_args

import gymnasium
import numpy as np
import torch
from gymnasium import spaces
from jaxtyping import Bool, Int, Int64
from torch import Tensor

from tokoban.sokoban.board import OFFSETS, Board
from tokoban.sokoban.render import MIN_SQUARE_PX, render, render_rgb
from tokoban.sokoban.simulation.level_pool import GeneratedLevels, as_int64
from tokoban.sokoban.simulation.tensor_boards import Plane

# Moves: one of the four directions. Pushes: a cell of the interior and a direction; the player
# walks to the box there and pushes it once, all in one step.
ActionSet = Literal["moves", "pushes"]
RENDER_MODES = ["ansi", "rgb_array"]
MAX_STEPS = 120
MAX_SQUARE_PX = 512
NUM_DIRECTIONS = len(OFFSETS)


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


def chosen_levels(options: Mapping[str, Any] | None, *, num_levels: int) -> list[int]:
    """The levels in ``options["level"]`` of a reset, one or several; or none."""
    if not isinstance(options, Mapping | None):
        raise ValueError(f"the options are {options!r}; expected a dictionary")
    levels: list[Any] = np.atleast_1d((options or {}).get("level", [])).tolist()
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


def actions_of_arrays(actions: Any, *, num_envs: int) -> Int64[Tensor, "B"]:
    """The actions of a numpy array of integers; ``ValueError`` for others."""
    array = np.asarray(actions)
    _check_shape(array.shape, array.dtype, num_envs, np.issubdtype(array.dtype, np.integer))
    # A copy, since torch supports neither all integer types nor all strides.
    return torch.from_numpy(np.array(array, dtype=np.int64))


def actions_on_device(actions: Any, *, num_envs: int, device: torch.device) -> Int[Tensor, "B"]:
    """The actions unchanged; their range is for the caller to check, as it synchronises."""
    if not isinstance(actions, Tensor):
        raise ValueError(f"the actions are {type(actions).__name__}; expected a tensor on {device}")
    is_whole = not (
        actions.is_floating_point() or actions.is_complex() or actions.dtype == torch.bool
    )
    _check_shape(actions.shape, actions.dtype, num_envs, is_whole)
    if actions.device.type != device.type:
        raise ValueError(f"the actions are on {actions.device}; expected a tensor on {device}")
    return actions


def check_range(actions: Int[Tensor, "B"], num_actions: int) -> None:
    """``ValueError`` for an action out of range; synchronises with the device."""
    lowest, highest = (int(bound) for bound in torch.aminmax(actions))
    if lowest < 0 or highest >= num_actions:
        wrong = lowest if lowest < 0 else highest
        raise ValueError(f"one of the actions is {wrong}; expected 0 to {num_actions - 1}")


def seeds_of(
    seed: int | np.integer | Sequence[int | None], *, num_envs: int
) -> tuple[Int64[Tensor, "B"], Bool[Tensor, "B"]]:
    """The seed of each environment, on the CPU, and which of them were given one.

    A single seed is that of the first environment; environment i has seed + i. ``ValueError`` for
    an invalid seed.
    """
    if isinstance(seed, int | np.integer):
        return torch.arange(num_envs) + as_int64(checked_seed(seed)), torch.ones(num_envs).bool()
    if isinstance(seed, str | bytes) or not isinstance(seed, Sequence | np.ndarray):
        raise _no_seed(seed)
    if len(seed) != num_envs:
        raise ValueError(f"got {len(seed)} seeds for {num_envs} environments")
    seeds = [as_int64(0 if one is None else checked_seed(one)) for one in seed]
    return torch.tensor(seeds), torch.tensor([one is not None for one in seed])


def reset_mask_of(mask: Any, *, num_envs: int) -> Bool[Tensor, "B"]:
    """The environments to reset; ``ValueError`` unless there is a boolean for each."""
    try:
        tensor = torch.as_tensor(mask)
    except (TypeError, ValueError, RuntimeError):
        message = f"the reset mask is {mask!r}; expected {num_envs} booleans"
        raise ValueError(message) from None
    if tensor.shape != (num_envs,) or tensor.dtype != torch.bool:
        got = f"{tensor.dtype} {[*tensor.shape]}"
        raise ValueError(f"the reset mask is {got}; expected {num_envs} booleans")
    return tensor


def device_of(device: Any) -> torch.device:
    """The device by its name, the CPU for None; ``ValueError`` for an unusable one."""
    try:
        found = torch.device("cpu" if device is None else device)
        if found.type == "meta":
            raise ValueError("the device is meta, which holds no numbers; expected cpu or cuda")
        if found.type == "cuda" and not torch.cuda.is_available():
            raise ValueError(f"the device is {device}, but torch finds no CUDA device")
        torch.empty(0, device=found)
    except (TypeError, RuntimeError, AssertionError, NotImplementedError):
        message = f"the device is {device!r}, which torch cannot use; expected cpu or cuda"
        raise ValueError(message) from None
    return found


def check_whole(name: str, number: Any, *, least: int, most: int) -> None:
    """``ValueError`` unless it is a whole number in range."""
    if not is_whole_number(number) or not least <= number <= most:
        raise ValueError(f"{name} is {number!r}; expected a whole number, {least} to {most}")


def is_whole_number(number: Any) -> bool:
    """Whether it is an integer of Python or numpy, and no bool."""
    return isinstance(number, int | np.integer) and not isinstance(number, bool)


def checked_seed(seed: Any) -> int:
    """The seed; ``ValueError`` for an invalid one."""
    if not is_whole_number(seed) or seed < 0:
        raise _no_seed(seed)
    return int(seed)


def _no_seed(seed: Any) -> ValueError:
    return ValueError(f"a seed is {seed!r}; expected a whole number, 0 or more")


def _check_shape(shape: Sequence[int], dtype: Any, num_envs: int, is_whole: bool) -> None:
    if tuple(shape) != (num_envs,) or not is_whole:
        raise ValueError(f"the actions are {dtype} {[*shape]}; expected {num_envs} whole numbers")
