"""Sentences go in and come out as text, whatever their spaces, in their order."""

from dataclasses import replace

import pytest

from tokoban.decoding import Sampling
from tokoban.systems.translation.model import Translator
from tokoban.systems.translation.texts import tokenizer_of, translate_texts

TEXTS = ["zwei Äpfel", "", "halb vier", "  ", "Am achten Mai fährt der Zug."]


def test_every_text_has_its_translation_and_an_empty_one_an_empty_one(
    translator: Translator,
) -> None:
    found = translate_texts(translator, TEXTS, beam=2)
    assert [len(translations) for translations in found] == [1] * 5
    assert [not translations[0].tokens for translations in found] == [
        False,
        True,
        False,
        True,
        False,
    ]
    assert found[1][0].text == ""
    for text, (best,) in zip(TEXTS, found, strict=True):
        alone = translate_texts(translator, [text], beam=2)[0][0]
        assert best == replace(alone, score=best.score)
        assert best.score == pytest.approx(alone.score, rel=1e-5)
        assert tokenizer_of(translator).decode(best.source_tokens) == text.strip()
    assert translate_texts(translator, []) == []


def test_every_translation_begins_with_the_prefix(translator: Translator) -> None:
    found = translate_texts(translator, TEXTS[:1], beam=3, nbest=3, forced_prefix="two pears")
    assert len(found[0]) == 3
    assert all(translation.text.startswith("two pears") for translation in found[0])
    spaced = "  two\tpears "
    assert translate_texts(translator, TEXTS[:1], beam=3, nbest=3, forced_prefix=spaced) == found


def test_a_translation_is_one_line(translator: Translator) -> None:
    """Whatever tokens are drawn: at this temperature line breaks are as likely as all others."""
    drawn = translate_texts(
        translator, TEXTS[:1], nbest=40, sampling=Sampling(seed=0, temperature=1e6)
    )
    tokens = [token for translation in drawn[0] for token in translation.tokens]
    assert tokenizer_of(translator).encode("\n")[-1] in tokens
    assert not any("\n" in translation.text for translation in drawn[0])
