"""Training examples: a goal, the boards of one game, and the labels of each board.

Axes: B games, T positions, A the five actions. Position 0 holds the goal board (the level with
every box on a goal and no player), position 1 the start, and each further one the board after an
action.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import torch
from jaxtyping import Bool, Float, Int, Int64
from torch import Tensor

from tokoban.sokoban.board import UNDO
from tokoban.sokoban.simulation import bitboards
from tokoban.sokoban.simulation.bitboards import Bitboards

NUM_ACTIONS = 5
NUM_BINS = 7
UNSOLVABLE_BIN = NUM_BINS - 1
NO_BIN = -1
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

    def has_right_action(self) -> Bool[Tensor, "B T"]:
        """Where an action counts in the loss."""
        return self.is_right.any(-1)


class TrainingBatch(NamedTuple):
    """Games to learn from, and the places b * T + t of what counts, in order.

    With the places at hand no size has to be asked of a GPU, which the host would wait for.
    """

    games: Episodes
    used: Int64[Tensor, "U"]  # the positions that are used
    with_right_action: Int64[Tensor, "M"]  # those where an action counts in the loss


def training_batches(parts: Sequence[Episodes]) -> Iterator[TrainingBatch]:
    """Each part without the positions at the end that no game uses; one wait for all of them."""
    sizes = [
        size
        for part in parts
        for size in (part.is_used.any(0).sum(), part.is_used.sum(), part.has_right_action().sum())
    ]
    for part, (length, num_used, num_right) in zip(
        parts, torch.stack(sizes).view(-1, 3).tolist(), strict=True
    ):
        games = part.at((slice(None), slice(length)))
        yield TrainingBatch(
            games,
            places(games.is_used, num_used),
            places(games.has_right_action(), num_right),
        )


def places(mask: Bool[Tensor, "*B"], count: int | None = None) -> Int64[Tensor, "M"]:
    """Where the flattened mask is True, in order; nobody waits if their number is known."""
    flat = mask.flatten()
    found = flat.nonzero() if count is None else flat.nonzero_static(size=count)
    return found[:, 0]


def steps_left_bin(distance: Int[Tensor, "*S"]) -> Int64[Tensor, "*S"]:
    """The post's bin of a number of moves to go, from 0; a negative distance means unsolvable.

    Bins: 0 moves; 1-3; 4-11; 12-32; 33-89; 90 and more; unsolvable.
    """
    bins = (distance.clamp(min=0) + 1).double().log().round().clamp(0, 5).long()
    return torch.where(distance < 0, UNSOLVABLE_BIN, bins)


def expected_moves_left(steps_left_logits: Float[Tensor, "*S 7"]) -> Float[Tensor, "*S"]:
    """The moves to go, if the board can be solved at all: a mean over what the bins stand for."""
    # A bin stands for its middle on the scale of its logarithm: 0, 1.7, 6.4, 19, 54, 147 moves.
    moves = torch.arange(UNSOLVABLE_BIN, device=steps_left_logits.device).exp() - 1
    return steps_left_logits[..., :UNSOLVABLE_BIN].softmax(-1) @ moves


def unsolvable_probability(steps_left_logits: Float[Tensor, "*S 7"]) -> Float[Tensor, "*S"]:
    """The probability that no moves solve the board."""
    return steps_left_logits.softmax(-1)[..., UNSOLVABLE_BIN]


def goal_boards(levels: Bitboards) -> Bitboards:
    """The goal board: every box on a goal, and no player."""
    return levels._replace(boxes=levels.goals, player=torch.zeros_like(levels.player))


class Game:
    """The boards of many games played side by side on a device, with undo.

    ``previous[b, t]`` is the position that an undo at position t goes back to: moves that change
    nothing are not remembered, and undoing again goes back further. At the start an undo changes
    nothing. The position itself is kept on the device, so that every step is the same to a compiler
    and to a captured graph; nobody checks that it stays below ``num_positions``.
    """

    def __init__(self, levels: Bitboards, num_positions: int) -> None:
        # Copies: to a compiler a view of something else is another kind of argument.
        self.levels = levels.map(torch.clone)
        shape = (len(levels.boxes), num_positions)
        self.boxes = levels.boxes.new_zeros(shape)
        self.player = levels.boxes.new_zeros(shape)
        self.previous = torch.full_like(self.boxes, FIRST_BOARD)
        goals = goal_boards(levels)
        self.boxes[:, 0], self.player[:, 0] = goals.boxes, goals.player
        self.boxes[:, FIRST_BOARD], self.player[:, FIRST_BOARD] = levels.boxes, levels.player
        self.position = levels.boxes.new_full((1,), FIRST_BOARD)

    def current(self) -> Bitboards:
        """The boards now, [B]."""
        return self.levels._replace(boxes=self._now(self.boxes), player=self._now(self.player))

    def all_boards(self, length: int | None = None) -> Bitboards:
        """The boards of the first ``length`` positions, or of all, [B, T]; goal boards first."""
        boxes, player = self.boxes[:, :length], self.player[:, :length]
        walls, goals = (
            word.unsqueeze(1).expand_as(boxes) for word in (self.levels.walls, self.levels.goals)
        )
        return Bitboards(walls, goals, boxes, player)

    def undone(self) -> Bitboards:
        """The boards that an undo would bring back, [B]."""
        back = self._now(self.previous).unsqueeze(1)
        return self.levels._replace(
            boxes=self.boxes.gather(1, back)[:, 0], player=self.player.gather(1, back)[:, 0]
        )

    def advance(self, actions: Int64[Tensor, "B"]) -> None:
        """Plays one action in each game: a direction, or ``UNDO``."""
        now, is_undo = self.current(), actions == UNDO
        stepped, undone = bitboards.step(now, actions % 4), self.undone()
        back = self._now(self.previous)
        further_back = self.previous.gather(1, back.unsqueeze(1))[:, 0]
        has_moved = stepped.player != now.player
        previous = torch.where(has_moved, self.position, back)
        self.position = self.position + 1
        for storage, if_undo, if_step in (
            (self.boxes, undone.boxes, stepped.boxes),
            (self.player, undone.player, stepped.player),
            (self.previous, further_back, previous),
        ):
            new = torch.where(is_undo, if_undo, if_step)
            storage.index_copy_(1, self.position, new.unsqueeze(1))

    def reorder(self, parents: Int64[Tensor, "B"]) -> None:
        """Game i becomes what game ``parents[i]`` was."""
        self.levels = self.levels.at(parents)
        self.boxes, self.player = self.boxes[parents], self.player[parents]
        self.previous = self.previous[parents]

    def _now(self, of_positions: Int64[Tensor, "B T"]) -> Int64[Tensor, "B"]:
        return of_positions.index_select(1, self.position)[:, 0]
