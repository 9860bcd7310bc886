"""Noisy-channel reranking: two other networks choose among the translations of a beam.

The channel is a translator of the other direction. A translation that leaves out or changes what
its source says makes the source improbable for it; a translation that nobody would say is
improbable for a language model. Yee et al. 2019, "Simple and Effective Noisy Channel Modeling for
Neural Machine Translation" (arXiv:1908.05731).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import torch

from tokoban.inference.engine import MOST_BYTES, Engine
from tokoban.systems.translation.clock_times import changes_a_time
from tokoban.systems.translation.confidence import loses_a_number, loses_a_sign
from tokoban.systems.translation.model import Translator
from tokoban.systems.translation.stepper import FREE
from tokoban.systems.translation.texts import Translation
from tokoban.systems.translation.translate import gnmt_penalty
from tokoban.systems.translation.units import with_units_of
from tokoban.text.bpe import EOS
from tokoban.text.saved import tokenizer_of

# Of the log-probabilities; 0.3 to 0.7 and 0.1 to 0.3 choose about as well.
_CHANNEL_WEIGHT, _LANGUAGE_WEIGHT = 0.4, 0.2
_ROWS_AT_ONCE = 128


@dataclass(frozen=True, eq=False)
class Reranker:
    """The two networks: the channel with its engine, and the language model as a function.

    That function takes lines and gives the log-probability of each, in nats.
    """

    channel: Translator
    engine: Engine
    language_model: Callable[[Sequence[str]], Sequence[float]]

    def reranked(
        self, found: Sequence[Sequence[Translation]], *, length_penalty: float
    ) -> list[list[Translation]]:
        """The translations of each sentence by their new scores, the best first.

        To the score are added, weighted, the log-probabilities of the source given the translation
        and of the translation, each divided by its length penalty. What has no tokens stays first,
        and what loses a number, changes a time or loses a currency or percent comes last. Units
        are spelled as in the source.
        """
        penalty = gnmt_penalty(length_penalty)
        found = [
            [replace(each, text=with_units_of(each.source, each.text)) for each in some]
            for some in found
        ]
        said = [each for some in found for each in some if each.tokens]
        channel_log_probs_nats = iter(self._channel_log_probs_nats(said))
        language_log_probs_nats = iter(self.language_model([each.text for each in said]))

        def ranked(each: Translation) -> Translation:
            if not each.tokens:
                return replace(each, channel_log_prob_nats=0.0)
            nats = next(channel_log_probs_nats)
            score = each.score + (
                _CHANNEL_WEIGHT * nats / penalty(len(each.source_tokens) + 1)
                + _LANGUAGE_WEIGHT * next(language_log_probs_nats) / penalty(len(each.tokens) + 1)
            )
            return replace(each, score=score, channel_log_prob_nats=nats)

        def place(each: Translation) -> tuple[bool, bool, bool, float]:
            texts = each.source, each.text
            wrong = loses_a_number(*texts), changes_a_time(*texts), loses_a_sign(*texts)
            return *wrong, -each.score

        return [sorted(map(ranked, some), key=place) for some in found]

    def _channel_log_probs_nats(self, translations: Sequence[Translation]) -> list[float]:
        """Of each, log p(source | translation), the end of the source included."""
        if not translations:
            return []
        # What is longer than the channel reads is cut off.
        tokenizer, most = tokenizer_of(self.channel), self.channel.max_positions - 1
        given, wanted = (
            [tokens[:most] for tokens in tokenizer.encode_many([*texts])]
            for texts in zip(*((each.text, each.source) for each in translations), strict=True)
        )
        may_follow = torch.ones(self.channel.embedding.num_embeddings, dtype=torch.bool)
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
