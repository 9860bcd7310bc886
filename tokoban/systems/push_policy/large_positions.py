"""Batches of labelled positions of levels beyond 8x8, from the large shards of ``tokoban label``.

Such positions make batches of their own, padded to the largest board among them.
Axes: P positions of one level, F floor squares of it.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Bool, Int64

from tokoban.sokoban.encoding.boards import Boards
from tokoban.sokoban.encoding.encoded import collated, inverse, seen
from tokoban.sokoban.encoding.features import DIRECTIONS
from tokoban.sokoban.encoding.tokens import Tokens
from tokoban.sokoban.labels.large import After, LargeOrigin, LargePosition
from tokoban.sokoban.labels.large_shards import LargeShard, read_large_shard
from tokoban.sokoban.search.level.flood import flood
from tokoban.sokoban.search.level.ground import Squares, build_ground
from tokoban.systems.push_policy.batches import Batch, shards_drawn
from tokoban.systems.push_policy.results import (
    DEADLOCK_CLASS,
    ILLEGAL,
    MOST_EXCESS,
    NO_CLASS,
    TOO_FEW_PUSHES,
    UNKNOWN,
)

_POSITIONS_A_GROUP = 1024  # within which boards of similar size come together
_TOKENS_STEP = 32  # numbers of tokens are multiples of it
_SQUARES = 36  # of a position of the other shards, about

# By ``After``; the codes of labels are those of the network, but for these.
_RESULTS = {After.UNKNOWN: UNKNOWN, After.ILLEGAL: ILLEGAL}


@dataclass(frozen=True)
class LargePositions:
    """The large shards of folders of labels, perhaps none."""

    shards: Sequence[Path]

    def batches(
        self,
        place: int,
        rng: np.random.Generator,
        *,
        count: int,
        batch_positions: int,
        seed: int,
    ) -> Iterator[Callable[[], Batch]]:
        """Readers of ``count`` batches of the drawing ``place``.

        A batch has about as many squares as ``batch_positions`` of 8x8 interiors.
        """
        chosen = shards_drawn(self.shards, place, seed=seed)
        levels = Levels(chosen, [_read(path) for path in chosen])
        positions = levels.every_position()
        if not len(positions):
            raise ValueError(f"{chosen[0].parent}: no labelled positions of levels beyond 8x8")
        most_squares = batch_positions * _SQUARES
        left = count
        while left > 0:
            order = rng.permutation(len(positions))
            for first in range(0, len(order), _POSITIONS_A_GROUP):
                group = positions[order[first : first + _POSITIONS_A_GROUP]]
                batches = [*_cut(group, most_squares)]
                for number in rng.permutation(len(batches))[:left]:
                    yield partial(levels.batch, batches[number], int(rng.integers(8)))
                left -= min(left, len(batches))


def _read(path: Path) -> LargeShard:
    """A shard; ``ValueError`` as of ``read_large_shard``, or for arrays that do not fit."""
    shard = read_large_shard(path)
    if not shard.is_consistent:
        raise ValueError(f"{path}: labels whose arrays do not fit each other")
    return shard


# The columns of a table of positions.
_NUM_TOKENS, _SHARD, _LEVEL, _STATE = range(4)


def _cut(positions: Int64[np.ndarray, "P 4"], most_squares: int) -> Iterator[np.ndarray]:
    """Parts of similar size of board, each of at most so many squares, or of one position."""
    rest = positions[np.argsort(-positions[:, _NUM_TOKENS], kind="stable")]
    while len(rest):
        count = max(most_squares // int(rest[0, _NUM_TOKENS]), 1)
        yield rest[:count]
        rest = rest[count:]


class Levels:
    """The levels of some shards, prepared when they are first needed."""

    def __init__(self, paths: Sequence[Path], shards: Sequence[LargeShard]) -> None:
        self._paths, self._shards = paths, shards
        self._tokens: dict[tuple[int, int], Tokens] = {}

    def every_position(self) -> Int64[np.ndarray, "P 4"]:
        """Squares of the level, shard, level in it, and number of each position."""
        tables = []
        for number, shard in enumerate(self._shards):
            state = np.arange(len(shard))
            level = np.searchsorted(shard.level_ends, state, side="right")
            num_squares = np.diff(shard.level_floor_ends, prepend=0)[level]
            tables.append(np.stack([num_squares, np.full_like(state, number), level, state], 1))
        return np.concatenate(tables)

    def batch(self, positions: Int64[np.ndarray, "B 4"], symmetry: int) -> Batch:
        """These positions under a symmetry, as tensors."""
        num_tokens = -(-int(positions[:, _NUM_TOKENS].max()) // _TOKENS_STEP) * _TOKENS_STEP
        results = np.full((len(positions), num_tokens, 4), ILLEGAL, np.int8)
        levels, features, values = [], [], []
        for row, (_, shard, level, state) in enumerate(positions.tolist()):
            tokens = self._level(shard, level)
            position = self._shards[shard].position(state)
            own, bound = tokens.features(*_squares(tokens, position))
            is_solvable = position.origin != LargeOrigin.DEADLOCKED
            if is_solvable and position.pushes_left < bound[0]:
                raise ValueError(f"{self._paths[shard]}: {TOO_FEW_PUSHES}")
            levels.append(tokens)
            features.append(own)
            codes = [_RESULTS.get(code, int(code)) for code in position.after]
            results[row, list(position.boxes)] = np.array(codes, np.int8).reshape(-1, 4)
            values.append(_class_of(position, int(bound[0])))
        boards = seen(collated(levels, features, num_tokens=num_tokens), symmetry)
        return Batch(
            Boards.of(boards),
            torch.from_numpy(results[:, :, inverse(DIRECTIONS[symmetry].tolist())]),
            torch.tensor(values, dtype=torch.int16),
        )

    def _level(self, shard: int, level: int) -> Tokens:
        key = shard, level
        if key not in self._tokens:
            own = self._shards[shard]
            floor = own.floor(level)
            rows, columns = own.floor_row[floor], own.floor_column[floor]
            # Of connected squares no board is larger; a stranger's could be of any size.
            is_connected = int(np.ptp(rows)) + int(np.ptp(columns)) < len(rows)
            board = own.board(int(own.level_ends[level]) - 1) if is_connected else None
            squares = None if board is None else Squares(board)
            if board is None or squares is None or len(squares.squares) != len(rows):
                sentence = "labels of a level whose squares are not connected"
                raise ValueError(f"{self._paths[shard]}: {sentence}")
            self._tokens[key] = Tokens(squares, build_ground(board, squares))
        return self._tokens[key]


def _squares(
    tokens: Tokens, position: LargePosition
) -> tuple[Bool[np.ndarray, "1 F"], Bool[np.ndarray, "1 F"]]:
    """The boxes and the player's zone of one position."""
    neighbours = tokens.ground.neighbours
    is_blocked = np.zeros(len(neighbours), np.bool_)
    is_blocked[[*position.boxes, -1]] = True
    marks = np.zeros(len(neighbours), np.int64)
    flood(neighbours, is_blocked, position.player, marks, 1, np.empty_like(marks, np.int32))
    return is_blocked[None, :-1], marks[None, :-1] == 1


def _class_of(position: LargePosition, bound: int) -> int:
    if position.origin == LargeOrigin.DEADLOCKED:
        return DEADLOCK_CLASS
    if position.origin == LargeOrigin.BOUND:
        return NO_CLASS
    return min((position.pushes_left - bound) // 2, MOST_EXCESS)
