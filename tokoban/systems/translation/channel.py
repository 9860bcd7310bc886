"""The translator of the other direction chooses among translations: noisy-channel reranking.

A translation that leaves out or changes what its source says makes the source improbable. Yee et
al. 2019, "Simple and Effective Noisy Channel Modeling for Neural Machine Translation"
(arXiv:1908.05731), without their language model.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch

from tokoban.inference.engine import MOST_BYTES, Engine
from tokoban.systems.translation.model import Translator
from tokoban.systems.translation.stepper import FREE
from tokoban.systems.translation.texts import Translation
from tokoban.systems.translation.translate import gnmt_penalty
from tokoban.text.bpe import EOS
from tokoban.text.saved import tokenizer_of

_WEIGHT = 0.4  # of the source's log-probability; 0.3 to 0.7 choose about as well
_ROWS_AT_ONCE = 128


@dataclass(frozen=True, eq=False)
class Channel:
    """A translator of the other direction, and an engine of it."""

    model: Translator
    engine: Engine

    def reranked(
        self, found: Sequence[Sequence[Translation]], *, length_penalty: float
    ) -> list[list[Translation]]:
        """The translations of each sentence by their new scores, the best first.

        A score grows by ``_WEIGHT`` times the log-probability of the source given the translation,
        divided by the length penalty of the source. Nothing is added to what has no tokens.
        """
        penalty = gnmt_penalty(length_penalty)
        log_probs_nats = iter(
            self._log_probs_nats([each for some in found for each in some if each.tokens])
        )

        def rescored(each: Translation) -> Translation:
            nats = next(log_probs_nats) if each.tokens else 0.0
            score = each.score + _WEIGHT * nats / penalty(len(each.source_tokens) + 1)
            return replace(each, score=score, channel_log_prob_nats=nats)

        return [
            sorted(map(rescored, some), key=lambda each: each.score, reverse=True) for some in found
        ]

    def _log_probs_nats(self, translations: Sequence[Translation]) -> list[float]:
        """The log-probabilities of the sources' tokens and ends, given the translations."""
        if not translations:
            return []
        # What is longer than the model reads is cut off.
        tokenizer, most = tokenizer_of(self.model), self.model.max_positions - 1
        given, wanted = (
            [tokens[:most] for tokens in tokenizer.encode_many([*texts])]
            for texts in zip(*((each.text, each.source) for each in translations), strict=True)
        )
        may_follow = torch.ones(self.model.embedding.num_embeddings, dtype=torch.bool)
        longest = 1 + max(map(len, (*given, *wanted)))
        size = max(1, min(_ROWS_AT_ONCE, MOST_BYTES // self.engine.network.row_bytes(longest)))
        order = sorted(range(len(given)), key=lambda row: (len(wanted[row]), len(given[row])))
        found = [0.0] * len(given)
        for first in range(0, len(order), size):
            rows = order[first : first + size]
            forced = torch.full((len(rows), len(wanted[rows[-1]]) + 1), FREE)
            for place, row in zip(forced, rows, strict=True):
                place[: len(wanted[row]) + 1] = torch.tensor([*wanted[row], EOS])
            prompts = [[*given[row], EOS] for row in rows]
            _, nats = self.engine.greedy(prompts, forced, may_follow=may_follow, end=EOS)
            for row, value in zip(rows, nats, strict=True):
                found[row] = value
        return found
