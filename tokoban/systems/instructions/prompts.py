"""Plays and sentences as arrays that the network reads.

Axes: B examples, T tokens of squares (padded), S words (padded), H features of the history, F floor
squares of one level.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Bool, Int16, Int64, UInt8
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from tokoban.sokoban.board import Board, Direction
from tokoban.sokoban.encoding.boards import Boards
from tokoban.sokoban.encoding.encoded import Encoded, collated, seen
from tokoban.sokoban.encoding.features import CAN_PUSH, DIRECTIONS
from tokoban.sokoban.encoding.tokens import Tokens
from tokoban.sokoban.instructions.meaning import ROLES
from tokoban.sokoban.instructions.play import Play
from tokoban.systems.instructions.words import PADDING, Words

# Features of a square, all of which any reader of the play knows: where boxes and the player began,
# the player, of a box whether it was pushed, first of all and last, and whether a box was pushed
# onto the square.
NUM_HISTORY = 7
HAS_PLAYER_NOW = 2

MARKED_CLAUSES = 2  # of a sentence: those whose names are marked
NUM_MARKS = MARKED_CLAUSES * len(ROLES)

# The symmetries, as ``seen`` numbers them, that do not exchange rows with columns.
MIRRORS = (0, 2, 4, 6)

# What becomes of a push: the sentence can no longer be obeyed; it can, but in more pushes than
# before; in as few.
LOST, LONGER, BEST = range(3)


class Prompt(NamedTuple):
    """What precedes an answer."""

    boards: Boards
    history: UInt8[Tensor, "B T 7"]
    origins: Int16[Tensor, "B T 2"]  # the row and the column where a box began, else its own
    words: Int64[Tensor, "B S"]

    @property
    def is_legal(self) -> Bool[Tensor, "B T 4"]:
        """Which pushes are legal."""
        return self.boards.features[:, :, CAN_PUSH : CAN_PUSH + 4] != 0


class EncodedPlay(NamedTuple):
    """A play of one level, not padded."""

    tokens: Tokens
    features: UInt8[np.ndarray, "F 17"]
    history: UInt8[np.ndarray, "F 7"]
    origins: Int16[np.ndarray, "F 2"]
    bound: int  # of the pushes that the board alone needs


class Encoder:
    """The squares of one level."""

    def __init__(self, board: Board) -> None:
        self._tokens = Tokens.of(board)
        self.squares = self._tokens.squares
        # Answers name rows and columns of the board, whose first are walls.
        places = np.array(self.squares.squares, np.int16).reshape(-1, 2) - 1
        self._tokens.coordinates = places

    def encode(self, plays: Sequence[Play]) -> list[EncodedPlay]:
        """Plays of the level."""
        features, bounds = self._tokens.features_of([play.board for play in plays])
        return [
            EncodedPlay(self._tokens, own, *self._history(play), bound)
            for own, play, bound in zip(features, plays, bounds.tolist(), strict=True)
        ]

    def _history(self, play: Play) -> tuple[UInt8[np.ndarray, "F 7"], Int16[np.ndarray, "F 2"]]:
        number, first = self.squares.number, play.pushed[:1]
        history = np.zeros((len(number), NUM_HISTORY), np.uint8)
        origins = self._tokens.coordinates.copy()
        for box, origin in play.origins:
            is_last = origin == play.last
            history[number[box], 3:6] = origin in play.pushed, origin in first, is_last
            origins[number[box]] = self._tokens.coordinates[number[origin]]
        sets = {origin for _, origin in play.origins}, {play.start.player}, {play.board.player}
        for feature, squares in (*enumerate(sets), (6, play.trail)):
            history[[number[square] for square in squares], feature] = 1
        return history, origins


def prompt_of(plays: Sequence[EncodedPlay], words: Sequence[Sequence[int]]) -> Prompt:
    """Plays with their sentences, padded."""
    boards = collated([play.tokens for play in plays], [play.features[None] for play in plays])
    return Prompt(
        Boards.of(boards),
        padded([play.history for play in plays]),
        padded([play.origins for play in plays]),
        padded([np.array(text, np.int64) for text in words]),
    )


def hidden(prompt: Prompt) -> Prompt:
    """Prompts that show of a board the floor alone."""
    features = torch.zeros_like(prompt.boards.features)
    features[:, :, 0] = prompt.boards.features[:, :, 0]
    nothing = torch.zeros_like(prompt.history), torch.zeros_like(prompt.origins)
    return Prompt(prompt.boards._replace(features=features), *nothing, prompt.words)


def mirrored(prompt: Prompt, view: int, words: Words) -> Prompt:
    """The prompts under one of ``MIRRORS``, sides in words included; tokens keep their order."""
    directions = DIRECTIONS[view].tolist()
    image = Boards.of(seen(Encoded(*(part.numpy() for part in prompt.boards)), view))
    # The floor keeps its bounding box; ``seen`` would shift it by what is padded.
    is_turned = torch.tensor([directions[way] != way for way in (Direction.UP, Direction.LEFT)])
    places, is_square = prompt.boards.coordinates, prompt.boards.is_square[:, :, None]
    far = torch.iinfo(places.dtype).max
    ends = places.where(is_square, far).amin(1) + places.where(is_square, 0).amax(1)
    coordinates, origins = (
        torch.where(is_turned, ends[:, None] - squares, squares)
        for squares in (places, prompt.origins)
    )
    said = torch.tensor(words.mirrored(directions))[prompt.words]
    return Prompt(image._replace(coordinates=coordinates), prompt.history, origins, said)


def joined(prompts: Sequence[Prompt]) -> Prompt:
    """Prompts of equal sizes as one batch."""
    boards = Boards(*map(torch.cat, zip(*(prompt.boards for prompt in prompts), strict=True)))
    return Prompt(boards, *map(torch.cat, zip(*(prompt[1:] for prompt in prompts), strict=True)))


def padded(rows: Sequence[np.ndarray]) -> Tensor:
    """Stacks arrays of unequal lengths, padded at the end, as [B, longest, ...]."""
    return pad_sequence(
        [torch.from_numpy(row) for row in rows], batch_first=True, padding_value=PADDING
    )
