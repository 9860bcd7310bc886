"""BPE-dropout spells every text, changes none, and has the chances of the published algorithm."""

import itertools
import unicodedata
from collections import Counter

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tokoban.text.bpe import SPECIALS, train_bpe
from tokoban.text.bpe_dropout import BPEDropout

LINES = (
    "Der Hund sieht den Hund, und der Hund bellt.",
    "the dog sees the dog, and it barks: nan, anan, ananan.",
)
TOKENIZER = train_bpe(LINES, vocabulary_size=320, has_space_before=True)
TEXTS = st.text(st.sampled_from("aDdehnrstuH ,.'ü漢\n"), min_size=1, max_size=60)


def _words(text: str) -> list[np.ndarray]:
    return [np.array(letters) for letters in TOKENIZER.spelled(text)]


def _spelled(text: str, rate: float, seed: int = 0) -> list[int]:
    words = BPEDropout(TOKENIZER, rate).spell(_words(text), np.random.default_rng(seed))
    return [token for word in words for token in word.tolist()]


@settings(max_examples=150, deadline=None)
@given(text=TEXTS)
@example(text="it'san")  # the words it, 's and an: nothing is merged over their borders
def test_without_dropout_it_is_the_tokenizer_s_own_spelling(text: str) -> None:
    assert _spelled(text, 0.0) == TOKENIZER.encode(text)


@settings(max_examples=60, deadline=None)
@given(text=TEXTS, rate=st.sampled_from([0.1, 0.5, 0.9, 1.0]), seed=st.integers(0, 99))
def test_another_spelling_is_the_same_text(text: str, rate: float, seed: int) -> None:
    tokens = _spelled(text, rate, seed)
    assert TOKENIZER.decode(tokens) == unicodedata.normalize("NFKC", text)
    assert tokens == _spelled(text, rate, seed)
    assert min(tokens) >= len(SPECIALS)


def test_all_left_out_is_bytes() -> None:
    assert len(_spelled("Hund bellt", 1.0)) == len(" Hund bellt")


def _chances(letters: tuple[int, ...], rate: float) -> Counter[tuple[int, ...]]:
    """Of each spelling, by following every choice of Algorithm 1 of the paper."""
    merges = {(a, b): (rank, c) for rank, (a, b, c) in enumerate(TOKENIZER.merges())}
    chances = Counter[tuple[int, ...]]()

    def follow(word: tuple[int, ...], chance: float) -> None:
        pairs = list(itertools.pairwise(word))
        could = sorted((merges[pair][0], k) for k, pair in enumerate(pairs) if pair in merges)
        for num_dropped, (_, k) in enumerate(could):
            merged = (*word[:k], merges[pairs[k]][1], *word[k + 2 :])
            follow(merged, chance * rate**num_dropped * (1 - rate))
        chances[word] += chance * rate ** len(could)

    follow(letters, 1.0)
    return chances


@pytest.mark.parametrize("text", ["Hund", "und", "the", "ananan"])
@pytest.mark.parametrize("rate", [0.1, 0.4])
def test_each_spelling_is_as_likely_as_published(text: str, rate: float) -> None:
    (word,) = _words(text)
    chances = _chances(tuple(word.tolist()), rate)
    assert len(chances) > 3
    num_draws = 20_000
    drawn = BPEDropout(TOKENIZER, rate).spell([word] * num_draws, np.random.default_rng(7))
    found = Counter(tuple(spelling.tolist()) for spelling in drawn)
    assert set(found) <= set(chances)
    for spelling, chance in chances.items():
        deviation = (num_draws * chance * (1 - chance)) ** 0.5
        assert abs(found[spelling] - num_draws * chance) <= 5 * deviation + 1


def test_no_words_and_wrong_rates() -> None:
    assert BPEDropout(TOKENIZER, 0.5).spell([], np.random.default_rng(0)) == []
    for rate in (-0.1, 1.5):
        with pytest.raises(ValueError, match=r"rate must be in \[0, 1\]"):
            BPEDropout(TOKENIZER, rate)
