"""Batches of labelled positions, read lazily from the shards of ``tokoban label``."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Int16, Int64, UInt64

from tokoban.sokoban.encoding.boards import Boards
from tokoban.sokoban.encoding.encoded import Encoded
from tokoban.sokoban.labels.items import label_in_memory
from tokoban.sokoban.labels.shards import Shard
from tokoban.sokoban.puzzles.random_levels import sample
from tokoban.sokoban.search.bitboard.levels import Levels
from tokoban.sokoban.simulation.bitboards import from_planes
from tokoban.systems.push_policy.batches import Batch, shards_drawn
from tokoban.systems.push_policy.config import PushPolicyConfig
from tokoban.systems.push_policy.large_positions import LargePositions
from tokoban.systems.push_policy.positions import (
    FLOOR,
    positions_in,
    positions_of,
    results_of,
    tokens_of,
)
from tokoban.training.streams import Purpose, stream, torch_stream

# Batches that one drawing of shards gives, in groups within which boards of similar size come
# together, so that little is padded.
_BATCHES_A_DRAWING = 512
_BATCHES_A_GROUP = 16
_RANDOM_LEVELS, _RANDOM_STATES = 64, 32
_TOKENS_STEP = 4  # numbers of tokens are multiples of it: each number costs a compilation


@dataclass(frozen=True)
class LabelledPositions:
    """The shards of folders of labels; where there are none, small random levels."""

    shards: Sequence[Path]
    large: LargePositions = field(default_factory=lambda: LargePositions(()))

    def batches(
        self,
        config: PushPolicyConfig,
        *,
        start_step: int,
        rank: int,
        world_size: int,
    ) -> Iterator[Batch]:
        """Batches for a process, the first that of ``start_step``.

        Batch n depends on the seed, the rank, the number of processes and n alone.
        """
        drawing, skipped = divmod(start_step, _BATCHES_A_DRAWING)
        while True:
            place = drawing * world_size + rank
            large_rng = stream(config.data_seed, Purpose.LARGE_BOARDS, drawing, rank)
            num_large = round(config.large_share * _BATCHES_A_DRAWING)
            is_large = large_rng.permutation(_BATCHES_A_DRAWING) < num_large
            large = self.large.batches(
                place,
                large_rng,
                count=num_large,
                batch_positions=config.batch_positions,
                seed=config.data_seed,
            )
            exact = self._exact_batches(config, drawing, place, rank)
            for number in range(_BATCHES_A_DRAWING):
                read = next(large) if is_large[number] else next(exact)
                if number >= skipped:
                    yield read()
            drawing, skipped = drawing + 1, 0

    def _exact_batches(
        self, config: PushPolicyConfig, drawing: int, place: int, rank: int
    ) -> Iterator[Callable[[], Batch]]:
        """Reads the batches of one drawing from exact labels."""
        rng = stream(config.data_seed, Purpose.EXAMPLES, drawing, rank)
        words, classes = self._positions(place, config.data_seed)
        for chosen in _groups(rng, words, config.batch_positions):
            symmetries = rng.integers(8, size=len(chosen))
            yield partial(batch_of, words[chosen], classes[chosen], symmetries)

    def _positions(
        self, number: int, seed: int
    ) -> tuple[UInt64[np.ndarray, "P W"], Int16[np.ndarray, " P"]]:
        """The positions of the shards of one drawing."""
        if not self.shards:
            return positions_of(random_levels(seed, number))
        chosen = shards_drawn(self.shards, number, seed=seed)
        words, classes = zip(*map(positions_in, chosen), strict=True)
        if not sum(map(len, words)):
            raise ValueError(f"{chosen[0].parent}: no labelled positions")
        return np.concatenate(words), np.concatenate(classes)


def random_levels(seed: int, number: int) -> Shard:
    """Labels of random levels of two boxes in at most 6x6 squares: for tests and first tries."""
    generator = torch_stream(seed, Purpose.EXAMPLES, number)
    boards = from_planes(sample(_RANDOM_LEVELS, num_boxes=2, generator=generator))
    levels = Levels(*(word.numpy().view(np.uint64) for word in boards))
    return label_in_memory(levels, num_states=_RANDOM_STATES, seed=seed)


@cache
def prepare() -> None:
    """Makes a batch, so that no training's clock counts the seconds of a first compilation."""
    words, classes = positions_of(random_levels(seed=0, number=0))
    batch_of(words[:1], classes[:1], np.zeros(1, np.int64))


def _groups(
    rng: np.random.Generator, words: UInt64[np.ndarray, "P W"], batch_size: int
) -> Iterator[Int64[np.ndarray, " B"]]:
    """The positions of each batch of one drawing."""
    num_tokens = np.bitwise_count(words[:, FLOOR])
    order = rng.permutation(len(words))
    wanted = _BATCHES_A_DRAWING * batch_size
    order = np.resize(order, wanted)  # again from the beginning where there are too few
    for group in order.reshape(-1, _BATCHES_A_GROUP * batch_size):
        by_size = group[np.argsort(num_tokens[group], kind="stable")]
        batches = by_size.reshape(_BATCHES_A_GROUP, batch_size)
        yield from batches[rng.permutation(_BATCHES_A_GROUP)]


def batch_of(
    words: UInt64[np.ndarray, "B W"],
    classes: Int16[np.ndarray, " B"],
    symmetries: Int64[np.ndarray, " B"],
) -> Batch:
    """Labelled positions, each under a symmetry, as tensors."""
    most = int(np.bitwise_count(words[:, FLOOR]).max())
    num_tokens = -(-most // _TOKENS_STEP) * _TOKENS_STEP
    boards = Boards.of(Encoded(*tokens_of(words, symmetries, num_tokens)))
    results = torch.from_numpy(results_of(words, symmetries, num_tokens))
    return Batch(boards, results, torch.from_numpy(classes))
