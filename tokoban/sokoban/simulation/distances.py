"""Exact distances of all states of many one-box levels at once, in tensor code on any device.

Retrograde analysis (Thompson 1986, "Retrograde analysis of certain endgames"): breadth-first search
from the solved states backwards, by moves and pulls, until no new state is reached. States never
reached are unsolvable. Axes: B levels, ``*R`` any further axes of states, A the four moves.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Int64
from torch import Tensor

from tokoban.sokoban.board import OFFSETS
from tokoban.sokoban.simulation.bitboards import SIDE, Bitboards, index, shift, successors

NUM_CELLS = SIDE * SIDE
UNSOLVABLE = -1


@dataclass(frozen=True)
class OneBoxTables:
    """For each level and each cell of its box: sets of player cells, as words of one bit a cell."""

    solvable: Int64[Tensor, "B 64"]  # the player cells from which the level can be solved
    digits: Int64[Tensor, "B 64 P"]  # … those whose distance has binary digit p set

    def rows(self, levels: Int64[Tensor, "B"]) -> "OneBoxTables":
        """The tables of these levels, in this order."""
        return OneBoxTables(self.solvable[levels], self.digits[levels])

    def distance(self, boards: Bitboards) -> Int64[Tensor, "B *R"]:
        """The fewest moves to solve each state, or ``UNSOLVABLE``.

        ``boards`` are states [B, *R]; row b holds states of level b.
        """
        shape = boards.boxes.shape
        box = index(boards.boxes).reshape(shape[0], -1)  # [B, R]
        player = boards.player.reshape(shape[0], -1)
        level = torch.arange(shape[0], device=box.device).unsqueeze(1)
        is_solvable = (self.solvable[level, box] & player) != 0
        has_digit = (self.digits[level, box] & player.unsqueeze(-1)) != 0  # [B, R, P]
        weights = 1 << torch.arange(has_digit.shape[-1], device=box.device)
        distance = (has_digit * weights).sum(-1)
        return torch.where(is_solvable, distance, UNSOLVABLE).reshape(shape)

    def is_optimal(self, boards: Bitboards) -> Bool[Tensor, "B *R A"]:
        """Which of the four moves begin a shortest solution; none if solved or unsolvable."""
        return self.is_optimal_given(self.distance(boards), self.distance(successors(boards)))

    @staticmethod
    def is_optimal_given(
        distance: Int64[Tensor, "*S"], after: Int64[Tensor, "*S A"]
    ) -> Bool[Tensor, "*S A"]:
        """``is_optimal`` from the distances of the states and of their four successors."""
        # An impossible move leaves the distance unchanged, so it never counts as optimal.
        return (after == distance.unsqueeze(-1) - 1) & (distance.unsqueeze(-1) > 0)


def one_box_tables(levels: Bitboards) -> OneBoxTables:
    """Exact tables of levels [B] with one box and one goal each, for all positions of the box.

    ``ValueError`` for a level with another number of goals or boxes.
    """
    for name, words in (("goals", levels.goals), ("boxes", levels.boxes)):
        if not bool(((words != 0) & ((words & (words - 1)) == 0)).all()):
            raise ValueError(f"expected levels with exactly one box and one goal; check the {name}")
    device = levels.walls.device
    cell = torch.ones(1, dtype=torch.int64, device=device) << torch.arange(NUM_CELLS, device=device)
    pulls = [_Pull(direction, cell) for direction in range(4)]
    free = ~levels.walls.unsqueeze(1) & ~cell  # [B, 64]: cells of the player, by box
    frontier = torch.where(cell == levels.goals.unsqueeze(1), free, 0)
    solvable = frontier.clone()
    digits = [torch.zeros_like(solvable)]
    # The levels still being searched; finished ones are dropped once they are the majority.
    rows = torch.arange(len(free), device=device)
    distance = 0
    # One synchronisation with the device for each distance.
    while num_going := int((is_going := (frontier != 0).any(1)).sum()):
        if 2 * num_going < len(rows):
            going = is_going.nonzero_static(size=num_going)[:, 0]
            rows, free, frontier = rows[going], free[going], frontier[going]
        distance += 1
        before = torch.zeros_like(frontier)
        for direction in range(4):
            before |= shift(frontier, direction) | pulls[direction](frontier)
        frontier = before & free & ~solvable[rows]
        solvable[rows] |= frontier
        if distance.bit_length() > len(digits):
            digits.append(torch.zeros_like(solvable))
        for digit in range(distance.bit_length()):
            if distance >> digit & 1:
                digits[digit][rows] |= frontier
    return OneBoxTables(solvable, torch.stack(digits, dim=-1))


class _Pull:
    """The inverse of a push in one direction: sets of states after it -> before it."""

    def __init__(self, direction: int, cell: Int64[Tensor, "64"]) -> None:
        row_step, column_step = OFFSETS[direction]
        self.player_before = shift(shift(cell, (direction + 2) % 4), (direction + 2) % 4)
        self.player_after = shift(cell, (direction + 2) % 4)
        self.row_step, self.column_step = row_step, column_step

    def __call__(self, after: Int64[Tensor, "B 64"]) -> Int64[Tensor, "B 64"]:
        # After the push the box is on cell b and the player on b - 1 step; before it, the box
        # was where the player is now and the player on b - 2 steps.
        player = torch.where((after & self.player_after) != 0, self.player_before, 0)
        square = player.unflatten(1, (SIDE, SIDE))
        moved = torch.zeros_like(square)
        rows, columns = _overlap(self.row_step), _overlap(self.column_step)
        moved[:, rows[0], columns[0]] = square[:, rows[1], columns[1]]
        return moved.flatten(1)


def _overlap(step: int) -> tuple[slice, slice]:
    """The overlap of a line of cells and the same line moved by ``-step``."""
    low, high = slice(0, SIDE - 1), slice(1, SIDE)
    return {0: (slice(None), slice(None)), 1: (low, high), -1: (high, low)}[step]
