"""Rows of tokens, and the padded batches that are made of them.

Axes: B pairs of a batch, S source positions, T target positions, R all rows.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Int32, Int64
from torch import Tensor

from tokoban.text.bpe import BOS, EOS, PAD, Tokenizer
from tokoban.training.streams import Purpose, stream

_ENCODED_AT_ONCE = 10_000
# By so many tokens pairs of a batch may differ in the sum of their lengths, so that each epoch
# brings others together.
_ROUGHNESS = 4


class Batch(NamedTuple):
    """Pairs of sentences, padded on the right; each target token is predicted from those before."""

    source: Int64[Tensor, "B S"]  # with EOS behind it
    target_in: Int64[Tensor, "B T"]  # with BOS before it
    target_out: Int64[Tensor, "B T"]  # with EOS behind it


class TokenRows:
    """Sentences between BOS and EOS, one behind the other: lists would need ten times the room."""

    def __init__(self, tokens: Int32[Tensor, "tokens"], lengths: Int64[Tensor, "R"]) -> None:
        """``lengths`` are those of the sentences without BOS and with EOS, as a model sees them."""
        self.tokens, self.lengths = tokens, lengths
        self._starts = (lengths + 1).cumsum(0) - (lengths + 1)

    @classmethod
    def of(cls, tokenizer: Tokenizer, texts: Sequence[str]) -> "TokenRows":
        """The tokens of each text."""
        parts = [np.empty(0, np.int32)]
        lengths: list[int] = []
        for first in range(0, len(texts), _ENCODED_AT_ONCE):
            rows = tokenizer.encode_many(texts[first : first + _ENCODED_AT_ONCE])
            parts.append(np.array([x for row in rows for x in (BOS, *row, EOS)], np.int32))
            lengths += [len(row) + 1 for row in rows]
        return cls(
            torch.from_numpy(np.concatenate(parts)), torch.tensor(lengths, dtype=torch.int64)
        )

    def at(self, rows: Int64[Tensor, "B"]) -> "TokenRows":
        """Some of the rows, in the order asked for."""
        lengths = self.lengths[rows]
        sizes = lengths + 1  # with BOS
        moved_by = self._starts[rows] - (sizes.cumsum(0) - sizes)
        places = moved_by.repeat_interleave(sizes) + torch.arange(int(sizes.sum()))
        return TokenRows(self.tokens[places], lengths)

    def padded(self, rows: Int64[Tensor, "B"], *, is_input: bool = False) -> Int64[Tensor, "B T"]:
        """The rows with EOS behind them or, as input of a decoder, with BOS before them instead."""
        lengths = self.lengths[rows]
        place = torch.arange(int(lengths.max()))
        places = self._starts[rows][:, None] + place + (0 if is_input else 1)
        tokens = self.tokens[places.clamp(max=len(self.tokens) - 1)].long()
        return tokens.where(place < lengths[:, None], PAD)


class TranslationDataset:
    """Pairs as tokens, and batches of them: pairs of like length, up to so many tokens."""

    def __init__(
        self, sources: TokenRows, targets: TokenRows, *, batch_tokens: int, seed: int
    ) -> None:
        """``batch_tokens`` is the most that pairs times the longest sentence among them may be."""
        self.sources, self.targets, self.seed = sources, targets, seed
        self.lengths = torch.maximum(sources.lengths, targets.lengths)
        longest = int(self.lengths.max()) if len(self.lengths) else 0
        if longest > batch_tokens:
            raise ValueError(
                f"a sentence of {longest} tokens does not fit a batch of {batch_tokens}"
            )
        self._cuts = _cuts(self.lengths.sort().values.numpy(), batch_tokens)

    def __len__(self) -> int:
        """The number of pairs."""
        return len(self.lengths)

    def batches(self, *, start_step: int, rank: int = 0, world_size: int = 1) -> Iterator[Batch]:
        """Batches without end, of which each epoch has every pair once, over all ranks.

        Batch n of a rank is the same whatever ``start_step`` is. Every epoch has as many steps, in
        an order of its own, and a pair meets others of its length. In one step the ranks have
        batches of like length.
        """
        spans = self._spans(world_size)
        steps_an_epoch = len(spans) // world_size
        step = start_step
        while True:
            epoch, first = divmod(step, steps_an_epoch)
            random = stream(self.seed, Purpose.ORDER, epoch)
            order = self._by_length(random)
            steps = random.permutation(steps_an_epoch)
            for place in steps[first:]:
                start, end = spans[place * world_size + rank]
                yield self._batch(order[start:end])
                step += 1

    def once(self, *, rank: int = 0, world_size: int = 1) -> Iterator[Batch]:
        """Each pair in one batch of one rank, by length; some ranks may have one batch more."""
        order = self._by_length(np.random.default_rng(self.seed))
        for start, end in self._spans(1)[rank::world_size]:
            yield self._batch(order[start:end])

    def _batch(self, pairs: Int64[Tensor, "B"]) -> Batch:
        return Batch(
            source=self.sources.padded(pairs),
            target_in=self.targets.padded(pairs, is_input=True),
            target_out=self.targets.padded(pairs),
        )

    def _by_length(self, random: np.random.Generator) -> Int64[Tensor, "R"]:
        """All pairs by the longer side, on which the cuts depend, and roughly by the other one."""
        total = (self.sources.lengths + self.targets.lengths).numpy()
        rough = total + random.uniform(0, _ROUGHNESS, len(self))
        return torch.from_numpy(np.lexsort((rough, self.lengths.numpy())))

    def _spans(self, world_size: int) -> list[tuple[int, int]]:
        """The slices of batches in the order by length; all ranks have equally many."""
        if len(self) < world_size:
            raise ValueError(f"{len(self)} pairs are too few for {world_size} processes")
        spans = list(zip(self._cuts, self._cuts[1:], strict=False))
        while len(spans) % world_size:
            # In two, the batch of the most pairs: that costs the least.
            largest = max(range(len(spans)), key=lambda place: spans[place][1] - spans[place][0])
            start, end = spans[largest]
            middle = (start + end) // 2
            spans[largest : largest + 1] = [(start, middle), (middle, end)]
        return spans


def _cuts(lengths: np.ndarray, batch_tokens: int) -> list[int]:
    """The starts of batches, and the end of the last, among pairs sorted by length."""
    cuts = [0]
    while cuts[-1] < len(lengths):
        start = cuts[-1]
        end = min(len(lengths), start + batch_tokens // int(lengths[start]))
        while (end - start) * lengths[end - 1] > batch_tokens:
            end = start + batch_tokens // int(lengths[end - 1])
        cuts.append(end)
    return cuts
