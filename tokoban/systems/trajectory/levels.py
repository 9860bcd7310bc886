"""One-box Sokoban as a Gymnasium vector environment of two squares, with the walls as context.

Axes: B games, H rows and W columns of pixels.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from jaxtyping import Bool, Int64, UInt8
from torch import Tensor

from tokoban.sokoban import rules
from tokoban.sokoban.board import Board, Square
from tokoban.sokoban.puzzles.random_levels import sample
from tokoban.sokoban.render import render_rgb
from tokoban.sokoban.simulation.bitboards import (
    Bitboards,
    from_planes,
    image,
    keys,
    pack,
    push_keys,
    to_boards,
    to_corner,
)
from tokoban.sokoban.simulation.distances import OneBoxTables, one_box_tables
from tokoban.sokoban.symmetry import SYMMETRIES
from tokoban.systems.trajectory.environments import FIRST_TRAINING_SEED, World
from tokoban.systems.trajectory.rollouts import History, Policy
from tokoban.systems.trajectory.trajectories import Trajectories

SIDE = 4  # of the interior
MAX_STEPS = 20
LATE = -20.0  # besides the last move, for who has not solved it when the time is up

_INTERIOR = [Square(row, column) for row in range(1, SIDE + 1) for column in range(1, SIDE + 1)]
_WALL, _FLOOR, _GOAL = range(3)
_NUM_DRAWS = {0: 12_000, 1: 4_000}  # by the seed: of training and of evaluation
_LONGEST = 12  # moves of a level's shortest solution


class SokobanLevelsEnv(VectorEnv[Tensor, Tensor, Tensor]):
    """One-box levels; the observation is the player's and the box's square, a move costs 1.

    By the reference rules. A game ends when it is solved, and is lost when the time is up; all
    begin and are reset together. ``info`` has the "context": wall, floor or goal, square by square.
    A level of a seed below ``FIRST_TRAINING_SEED`` is none of a higher seed, also not rotated,
    reflected, moved, or with the player elsewhere in its zone.
    """

    def __init__(self, num_envs: int) -> None:
        squares = SIDE * SIDE
        self.num_envs = num_envs
        self.metadata = {
            "autoreset_mode": AutoresetMode.DISABLED,
            "context_space": spaces.MultiDiscrete([3] * squares),
        }
        self.single_observation_space = spaces.MultiDiscrete([squares, squares])
        self.single_action_space = spaces.Discrete(4)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.boards: list[Board] = []
        self._tables: OneBoxTables | None = None  # of the levels, computed on demand
        self._num_steps = 0

    def reset(
        self,
        *,
        seed: Sequence[int] | int | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Int64[Tensor, "B 2"], dict[str, Any]]:
        """Starts every level; one seed for each, or the seed of the first, counted up."""
        first = seed if isinstance(seed, int) else 0
        seeds = seed if isinstance(seed, Sequence) else range(first, first + self.num_envs)
        self.boards = [_level_of(seed) for seed in seeds]
        self._tables, self._num_steps = None, 0
        return self._observations(), self._info()

    def step(
        self, actions: Int64[Tensor, "B"]
    ) -> tuple[Tensor, Tensor, Tensor, Tensor, dict[str, Any]]:
        """One move in each game; one into a wall changes nothing."""
        self._num_steps += 1
        was_over = torch.tensor([board.is_solved for board in self.boards])
        self.boards = [
            board if is_over else rules.step(board, int(action))
            for board, action, is_over in zip(self.boards, actions, was_over, strict=True)
        ]
        is_solved = torch.tensor([board.is_solved for board in self.boards])
        is_late = ~is_solved & (self._num_steps >= MAX_STEPS)
        rewards = -(~was_over).float() + LATE * is_late
        return self._observations(), rewards, is_solved & ~was_over, is_late, self._info()

    def render(self) -> tuple[UInt8[np.ndarray, "H W 3"], ...]:
        """The picture of the first board."""
        return (render_rgb(self.boards[0]),)

    def optimal_moves(self) -> Int64[Tensor, "B"]:
        """The first move of a shortest solution; up where there is none any more."""
        now = pack(self.boards)
        if self._tables is None:
            self._tables = one_box_tables(now)
        return self._tables.is_optimal(now).int().argmax(dim=1)

    def _observations(self) -> Int64[Tensor, "B 2"]:
        return torch.tensor(
            [[_INTERIOR.index(x) for x in (board.player, *board.boxes)] for board in self.boards]
        )

    def _info(self) -> dict[str, Any]:
        kinds = [[_kind(board, square) for square in _INTERIOR] for board in self.boards]
        return {"context": torch.tensor(kinds)}


def expert(world: World) -> Policy:
    """Plays shortest solutions in a world of ``SokobanLevelsEnv``."""

    def act(history: History) -> Tensor:
        environment = world.environment
        assert isinstance(environment, SokobanLevelsEnv)
        return environment.optimal_moves()[:, None].float()

    return act


def shortest(seeds: Sequence[int]) -> list[int]:
    """The fewest moves that solve each seed's level."""
    boards = pack([_level_of(seed) for seed in seeds])
    return one_box_tables(boards).distance(boards).tolist()


def is_solved(played: Trajectories, seeds: Sequence[int]) -> Bool[Tensor, "B"]:
    """Whether the moves of each episode solve its seed's level, by the reference rules."""
    moves = played.actions[:, 0].int().split(played.lengths.tolist())
    games = [
        rules.play(_level_of(seed), chosen.tolist())
        for seed, chosen in zip(seeds, moves, strict=True)
    ]
    return torch.tensor([game[-1].is_solved for game in games])


@cache
def _pool(seed: int) -> Bitboards:
    """Levels that can be solved, each once, in the order of drawing."""
    generator = torch.Generator().manual_seed(seed)
    drawn = from_planes(
        sample(_NUM_DRAWS[seed], rows=SIDE + 2, columns=SIDE + 2, generator=generator)
    )
    distance = one_box_tables(drawn).distance(drawn)
    kept = drawn.at((distance > 0) & (distance <= _LONGEST))
    return kept.at(_firsts(keys(kept)))


@cache
def _evaluation_pool() -> Bitboards:
    drawn = _pool(1)
    fresh = drawn.at(~torch.isin(_names(drawn), _names(_pool(0))))
    return fresh.at(_firsts(_names(fresh)))


def _names(boards: Bitboards) -> Int64[Tensor, "B"]:
    """Equal for images of one level, moved or not, wherever the player is in its zone."""
    images = (to_corner(image(boards, symmetry)) for symmetry in SYMMETRIES)
    return torch.stack([push_keys(moved) for moved in images]).amin(0)


def _firsts(names: Int64[Tensor, "B"]) -> Int64[Tensor, "different"]:
    """The index of the first occurrence of each name, ascending."""
    _, places = np.unique(names.numpy(), return_index=True)
    return torch.from_numpy(np.sort(places))


def _level_of(seed: int) -> Board:
    pool = _pool(0) if seed >= FIRST_TRAINING_SEED else _evaluation_pool()
    return to_boards(pool.at([seed % len(pool.walls)]))[0]


def _kind(board: Board, square: Square) -> int:
    if square in board.walls:
        return _WALL
    return _GOAL if square in board.goals else _FLOOR
