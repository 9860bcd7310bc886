"""Many levels at once as a Gymnasium vector environment, on packed boards on any device.

Axes: B environments, A actions, C the planes of ``tensor_boards``, H rows and W columns, one ring
of wall included.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from jaxtyping import Bool, Int, Int8, Int64, UInt8
from torch import Tensor

from tokoban.sokoban.board import Board
from tokoban.sokoban.render import SQUARE_PX
from tokoban.sokoban.simulation import environment, tensor_boards, vector_arguments
from tokoban.sokoban.simulation.environment import NUM_DIRECTIONS, ActionSet, Rewards, SokobanEnv
from tokoban.sokoban.simulation.level_pool import LevelSource, draw_levels, load_boards, streams
from tokoban.sokoban.simulation.simulators import simulator_for
from tokoban.sokoban.simulation.tensor_boards import Plane

_MOST_ENVS = 2**24

# A numpy array, or a tensor where a device is given.
Array = Any


class SokobanVectorEnv(VectorEnv[Array, Array, Array]):
    """``num_envs`` games that step together, game i exactly as ``SokobanEnv`` with seed + i.

    Takes and returns numpy arrays; with ``device``, tensors on it. Then moves, resets and infos
    never synchronise: on a GPU actions out of range are not reported, nor steps after the end in
    the mode DISABLED, which pay nothing and leave the flags; and in the mode SAME_STEP "final_obs"
    and "final_info" have every row, with "_final_obs" as the mask of valid ones.
    (Pushes synchronise: the flood fill checks whether it is done.) ``has_action_mask=False`` leaves
    "action_mask" out of the info, which saves a third of the time.
    """

    # Gymnasium's class attribute; each instance has its own, with its mode.
    metadata = SokobanEnv.metadata | {"autoreset_mode": AutoresetMode.NEXT_STEP}

    def __init__(
        self,
        num_envs: int = 1,
        levels: LevelSource = environment.DEFAULT_LEVELS,
        *,
        actions: ActionSet = "moves",
        max_steps: int = environment.MAX_STEPS,
        rewards: Rewards = environment.DEFAULT_REWARDS,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        device: torch.device | str | None = None,
        has_action_mask: bool = True,
        render_mode: str | None = None,
        square_px: int = SQUARE_PX,
    ) -> None:
        environment.check_arguments(
            actions=actions,
            max_steps=max_steps,
            rewards=rewards,
            render_mode=render_mode,
            square_px=square_px,
        )
        vector_arguments.check_whole(
            "the number of environments", num_envs, least=1, most=_MOST_ENVS
        )
        if not isinstance(has_action_mask, bool):
            raise ValueError(f"has_action_mask is {has_action_mask!r}; expected True or False")
        self.device = vector_arguments.device_of(device)
        boards = load_boards(levels)
        self.num_envs = num_envs
        self.autoreset_mode = _autoreset_mode(autoreset_mode)
        self.metadata = self.metadata | {"autoreset_mode": self.autoreset_mode}
        self.single_observation_space = environment.observation_space(boards)
        self.single_action_space: spaces.Discrete = environment.action_space(boards, actions)
        self.render_mode = render_mode
        self._is_numpy = device is None
        self._square_px = square_px
        self._actions = actions
        self._max_steps = max_steps
        self._has_action_mask = has_action_mask

        self._height, self._width = boards[0].height - 2, boards[0].width - 2
        self._simulator = simulator_for(boards)
        self._starts = self._simulator.pack(boards, device=self.device, margin=0)
        static_planes = tensor_boards.planes(tensor_boards.from_boards(boards))
        static_planes[:, [Plane.BOX, Plane.PLAYER]] = False
        self._static_planes = static_planes.to(self.device, torch.uint8)
        # By gain and whether the level is solved; a gain of -1 is the last row.
        table = [
            [rewards.of(gain, is_solved) for is_solved in (False, True)] for gain in (0, 1, -1)
        ]
        dtype = torch.float64 if self._is_numpy else torch.float32
        self._rewards = torch.tensor(table, dtype=dtype, device=self.device).flatten()

        self._streams: Tensor | None = None
        self._episodes, self._levels, self._num_steps = (
            torch.zeros(num_envs, dtype=torch.int64, device=self.device) for _ in range(3)
        )
        self._is_finished = self._was_solved = self._all(False)
        self._set_boards(self._starts.at(self._levels))

    # Cached on demand: gymnasium stores both bounds of every number of the batch.
    @cached_property
    def observation_space(self) -> spaces.Space[Any]:  # type: ignore[override]
        return batch_space(self.single_observation_space, self.num_envs)

    @cached_property
    def action_space(self) -> spaces.Space[Any]:  # type: ignore[override]
        return batch_space(self.single_action_space, self.num_envs)

    def reset(
        self,
        *,
        seed: int | np.integer | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Array, dict[str, Any]]:
        """Starts the next episode of each environment, or the first one of a new seed.

        ``options`` may have a "level" for all or one for each, and a "reset_mask" of the
        environments to reset (default: all).
        """
        environment.check_open(self.closed)
        if vector_arguments.is_whole_number(seed):
            super().reset(seed=vector_arguments.checked_seed(seed))
        num_levels, known = len(self._static_planes), ["level", "reset_mask"]
        levels = environment.chosen_levels(options, num_levels=num_levels, known=known)
        mask = (options or {}).get("reset_mask", self._all(True))
        rows = vector_arguments.reset_mask_of(mask, num_envs=self.num_envs).to(self.device)
        if len(levels) not in (0, 1, self.num_envs):
            raise ValueError(f"got {len(levels)} levels for {self.num_envs} environments")
        self._reseed(rows, seed)
        chosen = torch.tensor(levels, device=self.device).expand(self.num_envs) if levels else None
        self._restart(rows, chosen)
        self._is_finished = self._is_finished & ~rows
        return self._out(self._observation(self._boards, self._levels)), self._info(rows)

    def step(self, actions: Array) -> tuple[Array, Array, Array, Array, dict[str, Any]]:
        """Plays an action in each environment, and resets as the autoreset mode says."""
        environment.check_open(self.closed)
        before, after = self._boards, self._after(self._checked(actions))
        self._set_boards(after)
        self._num_steps = self._num_steps + 1
        is_solved = self._simulator.is_solved(after)
        is_truncated = (self._num_steps >= self._max_steps) & ~is_solved
        filled = _has_cells(after.boxes & ~before.boxes & after.goals)
        emptied = _has_cells(before.boxes & ~after.boxes & after.goals)
        gain = (filled & ~emptied) * 1 + (emptied & ~filled) * 2  # 2 stands for -1
        rewards = self._rewards[2 * gain + is_solved]

        final: dict[str, Any] = {}
        if self.autoreset_mode is not AutoresetMode.SAME_STEP:
            rewards = rewards.masked_fill(self._is_finished, 0.0)
        if self.autoreset_mode is AutoresetMode.NEXT_STEP:
            # Environments whose episode ended in the last step are reset in this one.
            resets = self._is_finished
            is_solved, is_truncated = is_solved & ~resets, is_truncated & ~resets
            self._restart(resets)
        elif self.autoreset_mode is AutoresetMode.SAME_STEP:
            final = self._final(is_solved | is_truncated)
            self._restart(is_solved | is_truncated)
        else:
            is_solved = torch.where(self._is_finished, self._was_solved, is_solved)
            is_truncated = torch.where(self._is_finished, ~self._was_solved, is_truncated)
        self._was_solved, self._is_finished = is_solved.clone(), is_solved | is_truncated
        observation = self._observation(self._boards, self._levels)
        outputs = (self._out(part) for part in (observation, rewards, is_solved, is_truncated))
        return *outputs, self._info(self._all(True)) | final

    def board(self, row: int) -> Board:
        """The board of one environment, with its ring of wall."""
        environment.check_open(self.closed)
        if not vector_arguments.is_whole_number(row) or not 0 <= row < self.num_envs:
            raise ValueError(f"the environment is {row}; expected 0 to {self.num_envs - 1}")
        index = slice(row, row + 1)
        planes = self._observation(self._boards.at(index), self._levels[index])
        return tensor_boards.to_board(tensor_boards.from_planes(planes.bool().cpu()))

    def render(self, rows: Sequence[int] | None = None) -> tuple[Any, ...] | None:
        """The frames of these environments, or of all, in the render mode."""
        environment.check_open(self.closed)
        if not isinstance(rows, Sequence | np.ndarray | None):
            raise ValueError(f"the environments are {rows!r}; expected a list of their numbers")
        if self.render_mode is None:
            return None
        boards = map(self.board, range(self.num_envs) if rows is None else rows)
        return tuple(environment.draw(board, self.render_mode, self._square_px) for board in boards)

    def _after(self, actions: Int[Tensor, "B"]) -> Any:
        if self._actions == "moves":
            return self._simulator.step(self._boards, actions)
        cells, directions = actions // NUM_DIRECTIONS, actions % NUM_DIRECTIONS
        rows, columns = cells // self._width, cells % self._width
        squares = self._boards.size[1] * rows + columns
        return self._simulator.push(self._boards, squares, directions, self._zones())

    def _set_boards(self, boards: Any) -> None:
        self._boards = boards
        self._cached_zones: Tensor | None = None

    def _zones(self) -> Int64[Tensor, "*words"]:
        """The players' zones, computed once for the action mask and the next push."""
        if self._cached_zones is None:
            self._cached_zones = self._simulator.reachable(self._boards)
        return self._cached_zones

    def _action_mask(self, boards: Any) -> Int8[Tensor, "B A"]:
        if self._actions == "moves":
            return self._simulator.is_legal(boards).view(torch.int8)
        zone = self._zones() if boards is self._boards else None
        cells = self._cells(boards, self._simulator.pushes(boards, zone))
        return cells.permute(0, 2, 3, 1).flatten(1).view(torch.int8)

    def _observation(self, boards: Any, levels: Int64[Tensor, "B"]) -> UInt8[Tensor, "B C H W"]:
        planes = self._static_planes.index_select(0, levels)
        moving = self._cells(boards, torch.stack([boards.boxes, boards.player_words], dim=-1))
        planes[:, Plane.BOX :, 1:-1, 1:-1] = moving.view(torch.uint8)
        return planes

    def _cells(self, boards: Any, words: Int64[Tensor, "*words"]) -> Bool[Tensor, "B _ H W"]:
        """The cells of the interior; the rules of one word have 8x8 of them for any board."""
        return boards.cells(words)[..., : self._height, : self._width]

    def _restart(self, rows: Bool[Tensor, "B"], levels: Int64[Tensor, "B"] | None = None) -> None:
        """Starts the next episode of ``rows``, without selecting rows, which would synchronise."""
        assert self._streams is not None
        if levels is None:
            num_levels = len(self._static_planes)
            levels = draw_levels(self._streams, self._episodes, num_levels=num_levels)
        self._episodes = self._episodes + rows
        self._levels = torch.where(rows, levels, self._levels)
        self._num_steps = self._num_steps.masked_fill(rows, 0)
        self._set_boards(self._simulator.select(rows, self._starts.at(levels), self._boards))

    def _reseed(
        self, rows: Bool[Tensor, "B"], seed: int | np.integer | Sequence[int | None] | None
    ) -> None:
        if self._streams is None:
            drawn = self.np_random.integers(2**63, size=self.num_envs)
            self._streams = torch.from_numpy(drawn).to(self.device)
        if seed is None:
            return
        seeds, is_given = vector_arguments.seeds_of(seed, num_envs=self.num_envs)
        seeds, rows = seeds.to(self.device), rows & is_given.to(self.device)
        self._streams = torch.where(rows, streams(seeds), self._streams)
        self._episodes = self._episodes.masked_fill(rows, 0)

    def _checked(self, actions: Array) -> Int[Tensor, "B"]:
        if self._streams is None:
            raise ValueError(environment.NOT_RESET)
        num_actions = int(self.single_action_space.n)
        if self._is_numpy:
            tensor = vector_arguments.actions_of_arrays(actions, num_envs=self.num_envs)
        else:
            tensor = vector_arguments.actions_on_device(
                actions, num_envs=self.num_envs, device=self._levels.device
            )
        if self.device.type == "cpu":
            vector_arguments.check_range(tensor, num_actions)
            if self.autoreset_mode is AutoresetMode.DISABLED and self._is_finished.any():
                raise ValueError("a finished environment must be reset, by options['reset_mask']")
        return tensor

    def _info_values(self, boards: Any, levels: Int64[Tensor, "B"]) -> dict[str, Tensor]:
        """The values of ``SokobanEnv``'s info."""
        info = {"level": levels.clone(), "is_solved": self._simulator.is_solved(boards)}
        if self._has_action_mask:
            info["action_mask"] = self._action_mask(boards)
        return info

    def _info(
        self, rows: Bool[Tensor, "B"], info: dict[str, Tensor] | None = None
    ) -> dict[str, Array]:
        """The values, and under "_name" the mask of their rows, as in gymnasium."""
        info = self._info_values(self._boards, self._levels) if info is None else info
        masks = {f"_{name}": rows.clone() for name in info}
        return {name: self._out(value) for name, value in (info | masks).items()}

    def _final(self, is_last: Bool[Tensor, "B"]) -> dict[str, Any]:
        """The last observations and infos of the episodes that are about to be reset."""
        masks = {name: self._out(is_last.clone()) for name in ("_final_obs", "_final_info")}
        if not self._is_numpy:
            observation = self._observation(self._boards, self._levels)
            return masks | {"final_obs": observation, "final_info": self._info(is_last)}
        rows = is_last.nonzero().squeeze(1)
        if not len(rows):
            return {}
        boards, levels = self._boards.at(rows), self._levels[rows]
        observations = np.full(self.num_envs, None, dtype=object)
        for row, observation in zip(rows, self._observation(boards, levels).numpy(), strict=True):
            observations[row] = observation
        info = {
            name: values.new_zeros(self.num_envs, *values.shape[1:]).index_copy_(0, rows, values)
            for name, values in self._info_values(boards, levels).items()
        }
        return masks | {"final_obs": observations, "final_info": self._info(is_last, info)}

    def _all(self, value: bool) -> Bool[Tensor, "B"]:
        return torch.full((self.num_envs,), value, device=self.device)

    def _out(self, tensor: Tensor) -> Array:
        return tensor.numpy() if self._is_numpy else tensor


def _has_cells(words: Int64[Tensor, "*words B"]) -> Bool[Tensor, "B"]:
    """Whether any bit is set, in one word or in several."""
    return (words != 0).reshape(-1, words.shape[-1]).any(0)


def _autoreset_mode(mode: AutoresetMode | str) -> AutoresetMode:
    known = [each.value for each in AutoresetMode]
    if mode not in (*known, *AutoresetMode):
        raise ValueError(f"the autoreset mode is {mode!r}; expected one of {known}")
    return AutoresetMode(mode)
