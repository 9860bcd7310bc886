"""The domain of each shipped translator, and the score below which a sentence is out of domain."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tokoban.systems.translation.texts import Translation


@dataclass(frozen=True)
class Domain:
    """The texts that some weights were trained on.

    A sentence is out of domain if the mean log-probability of a token of its best translation
    (found by beam search, its end counted) is below ``least_nats``.
    """

    texts: str
    least_nats: float

    def is_far(self, best: "Translation", length_penalty: float) -> bool:
        """Whether the sentence of this best translation is out of domain."""
        from tokoban.systems.translation.translate import gnmt_penalty

        length = len(best.tokens) + 1
        return best.score * gnmt_penalty(length_penalty)(length) / length < self.least_nats


# Fewer than 2 % of Multi30k's validation and test captions are below, and more than 80 % of news:
# docs/results.md, "Sentences that are no captions".
DOMAINS = {
    "translation-de-en": Domain("captions of pictures", -0.8),
    "translation-en-de": Domain("captions of pictures", -0.9),
}
