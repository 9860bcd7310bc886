"""No word stands four times running, however the translation was found."""

from typing import Any

import pytest

from tokoban.systems.translation import translate as translate_module
from tokoban.systems.translation.model import Translator
from tokoban.systems.translation.repetition import repeats, token_too_many
from tokoban.systems.translation.texts import tokenizer_of, translate_texts

SPACED = {1, 2, 3}  # the tokens that begin a word


@pytest.mark.parametrize(
    ("tokens", "expected"),
    [
        ([], None),
        ([1, 1], None),
        ([1, 1, 1], 1),
        ([2, 1, 1, 1], 1),
        ([1, 1, 1, 2], None),
        ([8, 8, 8, 8], None),  # dots may go on
        ([1, 8, 1, 8, 1, 8], None),
        ([1, 8, 1, 8, 1, 8, 1], 8),  # a word of two tokens
        ([5, 2, 8, 9, 2, 8, 9, 2, 8, 9, 2, 8], 9),
        ([3, 8, 9, 2, 8, 9, 2, 8, 9, 2, 8], None),
    ],
)
def test_the_token_that_would_be_too_many(tokens: list[int], expected: int | None) -> None:
    assert token_too_many(tokens, SPACED.__contains__) == expected
    for token in (1, 8, 9):
        assert repeats([*tokens, token, 5], SPACED.__contains__) == (token == expected)


WAYS: dict[str, dict[str, Any]] = {
    "greedy": {"beam": 1, "batch_size": 1},
    "greedy, together": {"beam": 1},
    "beam": {"beam": 3, "nbest": 3},
}


@pytest.mark.parametrize("way", WAYS)
def test_a_translator_that_comes_to_a_loop_leaves_it(
    translator: Translator, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = ["zwei Äpfel", "halb vier", "Am achten Mai fährt der Zug.", "zwölf"]

    def starts_word(token: int) -> bool:
        return tokenizer_of(translator).bytes_of(token).startswith(b" ")

    def are_looping() -> bool:
        found = translate_texts(translator, texts, **WAYS[way])
        return any(repeats(each.tokens, starts_word) for ranked in found for each in ranked)

    assert not are_looping()
    monkeypatch.setattr(translate_module, "repeats", lambda tokens, starts_word: False)
    assert are_looping()
