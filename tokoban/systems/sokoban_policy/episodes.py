"""What a training example is: a goal, the boards of one game, and what each of them should answer.

Axes: B games, T positions, A the five actions. Position 0 holds the goal board (the level with
every box on a goal and no player), position 1 the start, and each further one the board after an
action.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from jaxtyping import Bool, Int, Int64
from torch import Tensor

from tokoban.sokoban import bitboards
from tokoban.sokoban.bitboards import Bitboards
from tokoban.sokoban.board import UNDO

NUM_ACTIONS = 5
NUM_BINS = 7
UNSOLVABLE_BIN = NUM_BINS - 1
BIN_NAMES = ("0", "1 to 3", "4 to 11", "12 to 32", "33 to 89", "90 or more")  # moves to go
FIRST_BOARD = 1  # the position of the start


class Episodes(NamedTuple):
    """A batch of games. What is not used is padding, at the end of a game."""

    boards: Bitboards  # words [B, T]
    is_used: Bool[Tensor, "B T"]
    is_right: Bool[Tensor, "B T A"]  # the actions to learn; all False: no action counts in the loss
    steps_left_bin: Int64[Tensor, "B T"]  # NO_BIN where it does not count in the loss

    def map(self, change: Callable[[Tensor], Tensor]) -> "Episodes":
        """The same games with ``change`` (a move to a device …) applied to each tensor."""
        boards, *others = self
        return Episodes(boards.map(change), *(change(other) for other in others))

    def at(self, place: Any) -> "Episodes":
        """The games, or positions of them, at an index, a slice or a mask of [B, T]."""
        return self.map(lambda tensor: tensor[place])

    def trimmed(self) -> "Episodes":
        """Without the positions at the end that no game uses."""
        length = int(self.is_used.any(0).sum())
        return self.at((slice(None), slice(length)))


NO_BIN = -1


def steps_left_bin(distance: Int[Tensor, "*S"]) -> Int64[Tensor, "*S"]:
    """The post's bin of a number of moves to go, from 0; a negative distance means unsolvable.

    Bins: 0 moves; 1-3; 4-11; 12-32; 33-89; 90 and more; unsolvable.
    """
    bins = (distance.clamp(min=0) + 1).double().log().round().clamp(0, 5).long()
    return torch.where(distance < 0, UNSOLVABLE_BIN, bins)


def goal_boards(levels: Bitboards) -> Bitboards:
    """What is to be reached: every box on a goal, and no player."""
    return levels._replace(boxes=levels.goals, player=torch.zeros_like(levels.player))


class Game:
    """The boards of many games played side by side on a device, with undo.

    ``previous[b, t]`` is the position that an undo at position t goes back to: moves that change
    nothing are not remembered, and undoing again goes back further. At the start an undo changes
    nothing.
    """

    def __init__(self, levels: Bitboards, num_positions: int) -> None:
        self.levels = levels
        shape = (len(levels.boxes), num_positions)
        self.boxes = levels.boxes.new_zeros(shape)
        self.player = levels.boxes.new_zeros(shape)
        self.previous = torch.full_like(self.boxes, FIRST_BOARD)
        goals = goal_boards(levels)
        self.boxes[:, 0], self.player[:, 0] = goals.boxes, goals.player
        self.boxes[:, FIRST_BOARD], self.player[:, FIRST_BOARD] = levels.boxes, levels.player
        self.position = FIRST_BOARD

    def current(self) -> Bitboards:
        """The boards now, [B]."""
        return self.levels._replace(
            boxes=self.boxes[:, self.position], player=self.player[:, self.position]
        )

    def all_boards(self) -> Bitboards:
        """All boards up to now, [B, T]; goal boards first."""
        length = self.position + 1
        walls, goals = (
            word.unsqueeze(1).expand(-1, length) for word in (self.levels.walls, self.levels.goals)
        )
        return Bitboards(walls, goals, self.boxes[:, :length], self.player[:, :length])

    def undone(self) -> Bitboards:
        """The boards that an undo would bring back, [B]."""
        back = self.previous[:, self.position, None]
        return self.levels._replace(
            boxes=self.boxes.gather(1, back)[:, 0], player=self.player.gather(1, back)[:, 0]
        )

    def advance(self, actions: Int64[Tensor, "B"]) -> None:
        """Plays one action in each game: a direction, or ``UNDO``."""
        now, is_undo = self.current(), actions == UNDO
        stepped, undone = bitboards.step(now, actions % 4), self.undone()
        here = torch.full_like(actions, self.position)
        back = self.previous[:, self.position]
        further_back = self.previous.gather(1, back[:, None])[:, 0]
        has_moved = stepped.player != now.player
        self.position += 1
        self.boxes[:, self.position] = torch.where(is_undo, undone.boxes, stepped.boxes)
        self.player[:, self.position] = torch.where(is_undo, undone.player, stepped.player)
        self.previous[:, self.position] = torch.where(
            is_undo, further_back, torch.where(has_moved, here, back)
        )

    def reorder(self, parents: Int64[Tensor, "B"]) -> None:
        """Game i becomes what game ``parents[i]`` was."""
        self.levels = self.levels.at(parents)
        self.boxes, self.player = self.boxes[parents], self.player[parents]
        self.previous = self.previous[parents]
