"""Characters as tokens: what comes back, and what is refused."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tokoban.text.characters import CharacterTokenizer


@settings(max_examples=50)
@given(text=st.text(min_size=1))
def test_a_text_comes_back_and_so_do_its_bytes(text: str) -> None:
    tokenizer = CharacterTokenizer.of(text)
    tokens = tokenizer.encode(text)
    assert tokenizer.decode(tokens) == text
    assert set(tokens) == set(range(tokenizer.vocabulary_size))
    assert b"".join(tokenizer.bytes_of(token) for token in tokens) == text.encode()


def test_numbers_follow_the_order_of_unicode_whatever_the_texts_order() -> None:
    tokenizer = CharacterTokenizer.of("banana\n")
    assert tokenizer.characters == "\nabn"
    assert tokenizer.encode_many(["nab", ""]) == [[3, 1, 2], []]


def test_a_character_that_is_missing_is_named() -> None:
    with pytest.raises(ValueError, match=r"'é' \(U\+00E9\) is not among the 3 of this vocabulary"):
        CharacterTokenizer("caf").encode("café")


@pytest.mark.parametrize("text", ["{}", "[]", '{"characters": 7}', "3"])
def test_what_is_no_vocabulary_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a vocabulary of characters"):
        CharacterTokenizer.from_json(text)
