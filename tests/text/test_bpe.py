"""A tokenizer loses nothing of any text, invents no specials, and is the same wherever trained."""

import os
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
import tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st

from tokoban.text.bpe import BOS, EOS, PAD, SMALLEST_VOCABULARY, SPECIALS, UNK, Tokenizer, train_bpe

LINES = (
    "Der Hund sieht den Hund, und der Hund bellt.",
    "the dog sees the dog, and the dog barks.",
    "[EOS] [PAD] [EOS] [PAD] [EOS]",
    "zwanzig und dreißig sind fünfzig",
)
PLAIN = train_bpe(LINES, vocabulary_size=311)
SPACED = train_bpe(LINES, vocabulary_size=311, has_space_before=True)
BOTH = pytest.mark.parametrize("tokenizer", [PLAIN, SPACED], ids=["plain", "spaced"])

# Tables of Unicode differ in what is newer than both; what they had in 2002 is the same in all.
OLD = st.characters(exclude_categories=["Cs"]).filter(
    lambda char: unicodedata.ucd_3_2_0.category(char) != "Cn"
)
TEXTS = st.text(OLD | st.sampled_from([" ", "ﬁ", "…", "²", "\u0301", "🎉"]))


@BOTH
@settings(max_examples=150)
@given(text=TEXTS)
def test_decoding_gives_any_text_back_normalised(tokenizer: Tokenizer, text: str) -> None:
    assert tokenizer.decode(tokenizer.encode(text)) == unicodedata.normalize("NFKC", text)


@BOTH
@pytest.mark.parametrize("text", [" a", "  a ", "\ta\n\n b", "\u0301a", "漢字 🎉", "\x00", "", " "])
def test_no_space_is_won_or_lost(tokenizer: Tokenizer, text: str) -> None:
    assert tokenizer.decode(tokenizer.encode(text)) == text


@BOTH
@pytest.mark.parametrize("special", SPECIALS)
def test_a_special_in_a_text_is_text(tokenizer: Tokenizer, special: str) -> None:
    for text in (special, f"a {special} b", f"a{special}b"):
        tokens = tokenizer.encode(text)
        assert min(tokens) >= len(SPECIALS)
        assert tokenizer.decode(tokens) == text


def test_the_specials_are_where_models_expect_them_and_are_passed_over() -> None:
    assert (PAD, BOS, EOS, UNK) == (0, 1, 2, 3)
    word = SPACED.encode("Hund")
    assert SPACED.decode([BOS, *word, EOS, PAD, UNK]) == "Hund"


def test_a_first_word_is_the_token_that_it_is_in_other_places() -> None:
    assert SPACED.encode("Hund Hund")[0] == SPACED.encode("Hund Hund")[1]
    assert PLAIN.encode("Hund Hund")[0] != PLAIN.encode("Hund Hund")[-1]


@BOTH
@settings(max_examples=60)
@given(text=TEXTS)
def test_the_bytes_of_the_tokens_are_those_of_the_text(tokenizer: Tokenizer, text: str) -> None:
    found = b"".join(map(tokenizer.bytes_of, tokenizer.encode(text)))
    space = b" " if tokenizer is SPACED and text else b""
    assert found == space + unicodedata.normalize("NFKC", text).encode()
    assert tokenizer.bytes_of(EOS) == b""


def test_any_byte_has_a_token_and_half_a_character_is_marked() -> None:
    assert {PLAIN.bytes_of(token) for token in range(4, 260)} == {bytes([n]) for n in range(256)}
    first = next(token for token in range(4, 260) if PLAIN.bytes_of(token) == "ü".encode()[:1])
    assert PLAIN.decode([first]) == "\ufffd"


def test_a_frequent_word_is_one_token_and_the_vocabulary_is_filled() -> None:
    assert len(SPACED.encode("Hund")) == 1
    assert SPACED.vocabulary_size == 311
    # Few lines have few pairs to merge.
    assert train_bpe(["ab"], vocabulary_size=311).vocabulary_size == SMALLEST_VOCABULARY + 1


def test_training_is_the_same_in_every_process() -> None:
    code = (
        "import sys\n"
        "from tokoban.text.bpe import train_bpe\n"
        f"lines = {LINES!r}\n"
        "print(train_bpe(lines, vocabulary_size=311).to_json())\n"
    )
    for threads in ("1", "3"):
        environment = os.environ | {"RAYON_NUM_THREADS": threads, "PYTHONPATH": "."}
        ran = subprocess.run(
            [sys.executable, "-c", code],
            cwd=Path(__file__).parents[2],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        assert ran.stdout == PLAIN.to_json() + "\n"


@BOTH
def test_a_saved_tokenizer_is_the_same_and_open_to_others(tokenizer: Tokenizer) -> None:
    saved = tokenizer.to_json()
    text = "Der Hund [EOS] ﬁ"
    assert Tokenizer.from_json(saved).to_json() == saved
    assert Tokenizer.from_json(saved).encode(text) == tokenizer.encode(text)
    assert tokenizers.Tokenizer.from_str(saved).encode(text).ids == tokenizer.encode(text)


def test_what_is_no_tokenizer_is_refused() -> None:
    with pytest.raises(ValueError, match=r"not a tokenizer \("):
        Tokenizer.from_json("{}")
    other = tokenizers.Tokenizer(tokenizers.models.BPE())
    with pytest.raises(
        ValueError, match=r"the first tokens of the tokenizer are \(None, .*; expected \('\[PAD\]"
    ):
        Tokenizer(other)


def test_a_vocabulary_without_room_for_all_bytes_is_refused() -> None:
    with pytest.raises(ValueError, match=r"vocabulary_size must be at least 260, .* got 259"):
        train_bpe(LINES, vocabulary_size=259)


def test_what_is_not_unicode_is_refused() -> None:
    with pytest.raises(ValueError, match="half of a surrogate pair is not Unicode"):
        PLAIN.encode("\ud800")


@pytest.mark.parametrize("token", [311, 10**6])
def test_a_token_outside_the_vocabulary_has_no_bytes(token: int) -> None:
    with pytest.raises(ValueError, match=f"no token {token} in a vocabulary of 311"):
        PLAIN.bytes_of(token)
    assert PLAIN.decode([token]) == ""
