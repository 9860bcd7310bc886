"""Rows of tokens, and the padded batches that are made of them.

Axes: B pairs of a batch, S source positions, T target positions, R all rows.
"""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
import torch
from jaxtyping import Int32, Int64
from torch import Tensor

from tokoban.text.bpe import BOS, EOS, PAD, Tokenizer
from tokoban.text.bpe_dropout import BPEDropout

_ENCODED_AT_ONCE = 10_000
_SPELLED_AT_ONCE = 1000
# By so many tokens pairs of a batch may differ in the sum of their lengths, so that each epoch
# brings others together.
_ROUGHNESS = 4


@dataclass(frozen=True)
class Batch:
    """Pairs of sentences, padded on the right; each target token is predicted from those before."""

    source: Int64[Tensor, "B S"]  # with EOS behind it
    target_in: Int64[Tensor, "B T"]  # with BOS before it
    target_out: Int64[Tensor, "B T"]  # with EOS behind it

    def to(self, device: torch.device) -> "Batch":
        """The same on ``device``."""
        return Batch(self.source.to(device), self.target_in.to(device), self.target_out.to(device))


class TokenRows:
    """Sentences between BOS and EOS, one behind the other: lists would need ten times the room."""

    def __init__(self, tokens: Int32[Tensor, "tokens"], lengths: Int64[Tensor, "R"]) -> None:
        """``lengths`` are those of the sentences without BOS and with EOS, as a model sees them."""
        self.tokens, self.lengths = tokens, lengths
        self._starts = (lengths + 1).cumsum(0) - (lengths + 1)

    @classmethod
    def of(cls, tokenizer: Tokenizer, texts: Sequence[str]) -> "TokenRows":
        """The tokens of each text."""
        return cls.of_lists(
            row
            for first in range(0, len(texts), _ENCODED_AT_ONCE)
            for row in tokenizer.encode_many(texts[first : first + _ENCODED_AT_ONCE])
        )

    @classmethod
    def of_lists(cls, rows: Iterable[Sequence[int]]) -> "TokenRows":
        """Tokens as lists, without BOS and EOS."""
        tokens, lengths = array("i"), array("q")
        for row in rows:
            tokens.extend((BOS, *row, EOS))
            lengths.append(len(row) + 1)
        return cls(
            torch.from_numpy(np.array(tokens, np.int32)),
            torch.from_numpy(np.array(lengths, np.int64)),
        )

    def lists(self) -> list[list[int]]:
        """The inverse of ``of_lists``."""
        tokens = self.tokens.numpy()
        starts, sizes = self._starts.tolist(), self.lengths.tolist()
        return [
            tokens[start + 1 : start + size].tolist()
            for start, size in zip(starts, sizes, strict=True)
        ]

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


class VariedRows:
    """Sentences that are spelled anew whenever they are asked for."""

    def __init__(
        self, rows: TokenRows, tokenizer: Tokenizer, dropout: BPEDropout, *, max_tokens: int
    ) -> None:
        """A sentence that came to over ``max_tokens``, EOS included, stays as it is in ``rows``."""
        self._usual, self._dropout, self._max_tokens = rows.lists(), dropout, max_tokens
        letters: dict[tuple[int, ...], Int64[np.ndarray, "_"]] = {}  # a word is kept once
        self._words = [
            [letters.setdefault(tuple(word), np.array(word)) for word in tokenizer.spelled(text)]
            for text in map(tokenizer.decode, self._usual)
        ]

    def drawn(self, random: np.random.Generator) -> TokenRows:
        """All sentences in another spelling."""
        return TokenRows.of_lists(
            spelled if len(spelled) < self._max_tokens else usual
            for spelled, usual in zip(self._spelled(random), self._usual, strict=True)
        )

    def _spelled(self, random: np.random.Generator) -> Iterator[list[int]]:
        for first in range(0, len(self._words), _SPELLED_AT_ONCE):
            rows = self._words[first : first + _SPELLED_AT_ONCE]
            words = iter(self._dropout.spell([word for row in rows for word in row], random))
            for row in rows:
                yield [token for word in islice(words, len(row)) for token in word.tolist()]


class TranslationDataset:
    """Pairs as tokens, and batches of them: pairs of like length, up to so many tokens."""

    def __init__(
        self,
        sources: TokenRows,
        targets: TokenRows,
        *,
        batch_tokens: int,
        seed: int,
        varied: tuple[VariedRows, VariedRows] | None = None,
    ) -> None:
        """``batch_tokens`` is the most that pairs times the longest sentence among them may be.

        ``varied`` are the same sentences, spelled anew for each epoch. A batch then has as many
        pairs as it has without, and as many more tokens as the spelling has.
        """
        self.sources, self.targets, self.seed = sources, targets, seed
        self.varied = varied
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
            random = np.random.default_rng([self.seed, epoch])
            sides = self.sources, self.targets
            if self.varied:
                sides = tuple(side.drawn(random) for side in self.varied)
            order = _by_length(*sides, random)
            steps = random.permutation(steps_an_epoch)
            for place in steps[first:]:
                start, end = spans[place * world_size + rank]
                yield _batch(*sides, order[start:end])
                step += 1

    def once(self, *, rank: int = 0, world_size: int = 1) -> Iterator[Batch]:
        """Each pair in one batch of one rank, by length; some ranks may have one batch more."""
        sides = self.sources, self.targets
        order = _by_length(*sides, np.random.default_rng(self.seed))
        for start, end in self._spans(1)[rank::world_size]:
            yield _batch(*sides, order[start:end])

    def _spans(self, world_size: int) -> list[tuple[int, int]]:
        """Where each batch lies in the order by length; all ranks have equally many."""
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


def _by_length(
    sources: TokenRows, targets: TokenRows, random: np.random.Generator
) -> Int64[Tensor, "R"]:
    """All pairs by the longer side, on which the cuts depend, and roughly by the other one."""
    total = (sources.lengths + targets.lengths).numpy()
    rough = total + random.uniform(0, _ROUGHNESS, len(total))
    longer = torch.maximum(sources.lengths, targets.lengths)
    return torch.from_numpy(np.lexsort((rough, longer.numpy())))


def _batch(sources: TokenRows, targets: TokenRows, pairs: Int64[Tensor, "B"]) -> Batch:
    return Batch(
        source=sources.padded(pairs),
        target_in=targets.padded(pairs, is_input=True),
        target_out=targets.padded(pairs),
    )


def _cuts(lengths: np.ndarray, batch_tokens: int) -> list[int]:
    """Where batches begin, and the last one ends, among pairs of ascending lengths."""
    cuts = [0]
    while cuts[-1] < len(lengths):
        start = cuts[-1]
        end = min(len(lengths), start + batch_tokens // int(lengths[start]))
        while (end - start) * lengths[end - 1] > batch_tokens:
            end = start + batch_tokens // int(lengths[end - 1])
        cuts.append(end)
    return cuts
