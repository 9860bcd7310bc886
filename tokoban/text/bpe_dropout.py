"""BPE-dropout: a word's merges are left out by chance, so that it is spelled in many ways.

A translator that has few sentences sees each of them anew every time, and learns of what pieces
words are made. https://arxiv.org/abs/1910.13267
"""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Int64

from tokoban.text.bpe import Tokenizer

_NEVER = np.iinfo(np.int64).max


class BPEDropout:
    """Spells texts by a tokenizer's merges, each left out with probability ``rate`` at a time.

    At every step the pairs of a word that could be merged are dropped by chance; of those that are
    left the one that was learned first is merged, and a word without any is done. With rate 0
    that is the tokenizer's own spelling, with rate 1 a word stays in bytes.
    """

    def __init__(self, tokenizer: Tokenizer, rate: float) -> None:
        """Raises ``ValueError`` for a rate outside [0, 1]."""
        if not 0 <= rate <= 1:
            raise ValueError(f"rate must be in [0, 1], got {rate}")
        self.rate = rate
        self._size = tokenizer.vocabulary_size
        first, second, merged = np.array(tokenizer.merges(), np.int64).reshape(-1, 3).T
        pairs = first * self._size + second
        order = np.argsort(pairs)
        # A last pair that no text has, so that a search always finds a place.
        self._pairs = np.append(pairs[order], _NEVER)
        self._ranks = np.append(order, _NEVER)
        self._merged = np.append(merged[order], 0)

    def spell(
        self, words: Sequence[Int64[np.ndarray, "_"]], random: np.random.Generator
    ) -> list[Int64[np.ndarray, "_"]]:
        """The tokens of each word, which is given as tokens of single bytes, at least one."""
        if not words:
            return []
        tokens = np.concatenate(words)
        word = np.repeat(np.arange(len(words)), [len(letters) for letters in words])
        is_open = np.ones(len(words), bool)  # words that may still be merged
        while True:
            left = np.flatnonzero((word[:-1] == word[1:]) & is_open[word[:-1]])
            pairs = tokens[left] * self._size + tokens[left + 1]
            places = np.searchsorted(self._pairs, pairs)
            may_merge = (self._pairs[places] == pairs) & (random.random(len(left)) >= self.rate)
            left, places = left[may_merge], places[may_merge]
            is_open[:] = False
            if not len(left):
                break
            is_open[word[left]] = True
            # Of each word the pair that was learned first, of its equals the first from the left
            best = np.lexsort((left, self._ranks[places], word[left]))
            best = best[np.diff(word[left][best], prepend=-1) > 0]
            left, places = left[best], places[best]
            tokens[left] = self._merged[places]
            tokens, word = np.delete(tokens, left + 1), np.delete(word, left + 1)
        return np.split(tokens, np.flatnonzero(np.diff(word)) + 1)
