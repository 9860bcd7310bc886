"""What the post did before: the network on the device, the boards stepped by a loop on the host.

A board is its cells in one row of bytes, each a bitfield of what is there, as in the post; the
whole sequence is read for each move, of which the new boards alone go to the device. The loop is
plain Python; compiled by numba it is what the post's Julia would be. Like everything that it is
compared with, it does not choose moves that change nothing.

Axes: B games, S positions, T moves, A the four moves, C planes, H rows, W columns.
"""

from collections.abc import Callable
from typing import cast, no_type_check

import numpy as np
import torch
from jaxtyping import Bool, Float, Int64
from numba import njit
from torch import Tensor

from benchmarks.posted import NUM_MOVES, first_inputs, move_logits
from tokoban.sokoban.board import OFFSETS
from tokoban.sokoban.simulation import bitboards
from tokoban.sokoban.simulation.bitboards import SIDE, Bitboards
from tokoban.sokoban.simulation.tensor_boards import Plane
from tokoban.systems.sokoban_policy.episodes import FIRST_BOARD
from tokoban.systems.sokoban_policy.model import SokobanPolicy

WALL, GOAL, BOX, PLAYER = (1 << p for p in (Plane.WALL, Plane.GOAL, Plane.BOX, Plane.PLAYER))
BLOCKED = WALL | BOX
STEPS = tuple(SIDE * row_step + column_step for row_step, column_step in OFFSETS)
BITS = np.arange(len(Plane), dtype=np.uint8)[:, None]

StepAll = Callable[[np.ndarray, np.ndarray, np.ndarray], None]


@no_type_check
def step_all(tiles: np.ndarray, actions: np.ndarray, is_legal: np.ndarray) -> None:
    """Moves the players of ``tiles`` [B, H * W] in place and notes which moves they have next.

    An action of -1 moves nobody. Trusts the ring of walls around each board.
    """
    for board in range(len(tiles)):
        cells = tiles[board]
        here = 0
        while not cells[here] & PLAYER:
            here += 1
        action = actions[board]
        if action >= 0:
            step = STEPS[action]
            ahead = here + step
            if not cells[ahead] & WALL:
                beyond = ahead + step
                is_push = cells[ahead] & BOX
                if not is_push or not cells[beyond] & BLOCKED:
                    if is_push:
                        cells[ahead] ^= BOX
                        cells[beyond] ^= BOX
                    cells[here] ^= PLAYER
                    cells[ahead] ^= PLAYER
                    here = ahead
        for direction in range(4):
            ahead = here + STEPS[direction]
            is_legal[board, direction] = not cells[ahead] & WALL and not (
                cells[ahead] & BOX and cells[ahead + STEPS[direction]] & BLOCKED
            )


# The same loop compiled.
compiled_step_all = cast(StepAll, njit(step_all))


class HostBoards:
    """Boards in the host's memory; storage, changed in place."""

    def __init__(self, levels: Bitboards, step: StepAll) -> None:
        planes = bitboards.planes(levels).flatten(2).cpu().numpy().astype(np.uint8)
        self.tiles = (planes << BITS).sum(1, dtype=np.uint8)
        self.is_legal = np.zeros((len(self.tiles), NUM_MOVES), dtype=bool)
        self.step, self.device = step, levels.boxes.device
        self.advance(np.full(len(self.tiles), -1))

    def advance(self, actions: np.ndarray) -> None:
        """One move of each board."""
        self.step(self.tiles, actions, self.is_legal)

    def legal_moves(self) -> Bool[Tensor, "B A"]:
        """Which moves change the boards, on the device."""
        return torch.from_numpy(self.is_legal).to(self.device)

    def planes(self) -> Bool[Tensor, "B C H W"]:
        """The boards as the network reads them, on the device."""
        planes = (self.tiles[:, None] >> BITS & 1).astype(bool)
        return torch.from_numpy(planes).unflatten(2, (SIDE, SIDE)).to(self.device)

    def is_solved(self) -> np.ndarray:
        """The boards whose boxes are exactly on the goals."""
        return ((self.tiles & BOX > 0) == (self.tiles & GOAL > 0)).all(1)


@torch.inference_mode()
def rollouts(
    model: SokobanPolicy, levels: Bitboards, noise: Float[Tensor, "T B A"] | None, step: StepAll
) -> Int64[Tensor, "B T"]:
    """The actions of ``posted.rollouts``: -1 after the end of a game."""
    inputs, boards = first_inputs(levels, model.max_positions), HostBoards(levels, step)
    num_games, num_positions = inputs.shape[:2]
    actions = np.full((num_games, num_positions - 2), -1)
    is_over = boards.is_solved()
    for position in range(FIRST_BOARD, num_positions - 1):
        move = position - FIRST_BOARD
        preferences = _log_probs(model, inputs, position, boards)
        if noise is not None:
            preferences = preferences + noise[move, :, :NUM_MOVES]
        best, likeliest = preferences.max(1)
        is_over |= (best == -torch.inf).cpu().numpy()  # walled in
        chosen = likeliest.cpu().numpy()
        boards.advance(chosen)
        inputs[:, position + 1] = boards.planes()
        actions[:, move] = np.where(is_over, -1, chosen)
        is_over |= boards.is_solved()
    return torch.from_numpy(actions)


def _log_probs(
    model: SokobanPolicy,
    inputs: Bool[Tensor, "B S C H W"],
    position: int,
    boards: HostBoards,
) -> Float[Tensor, "B A"]:
    logits = move_logits(model, inputs)[:, position]
    logits = logits.masked_fill(~boards.legal_moves(), -torch.inf)
    return logits - logits.logsumexp(-1, keepdim=True).nan_to_num(neginf=0.0)
