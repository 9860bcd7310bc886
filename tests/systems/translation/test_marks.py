"""Marks around and at the end of a sentence are not left to the network."""

from typing import Any

import pytest

from tokoban.systems.translation import texts
from tokoban.systems.translation.marks import marks_apart, with_marks_of, with_one_mark
from tokoban.systems.translation.model import Translator
from tokoban.systems.translation.texts import tokenizer_of, translate_texts
from tokoban.systems.translation.translate import Hypothesis


@pytest.mark.parametrize(
    ("sentence", "parts"),
    [
        ("Er ruft: „Komm!“", ["", "Er ruft:", ' "', "Komm!", '"']),
        ('She says, "Go."', ["", "She says:", ' "', "Go.", '"']),
        ('Er ruft: "Komm.', ["", "Er ruft:", ' "', "Komm.", ""]),
        ('Geh."', ["", "Geh.", '"']),
        ("»Nein«.", ['"', "Nein", '".']),
        ("(lacht)", ["(", "lacht", ")"]),
        ("Bitte: Komm.", ["", "Bitte", ": ", "Komm.", ""]),
        ("Der Preis: Null (ohne Salz)", ["", "Der Preis", ": ", "Null", " (", "ohne Salz", ")"]),
        ("Hof: 089 123", ["", "Hof", ": ", "089 123", ""]),
        ("Brot (auch ohne Salz).", ["", "Brot", " (", "auch ohne Salz", ")."]),
        *(
            (whole, ["", whole, ""])
            for whole in [
                "„Komm!“, ruft er.",
                "Das Wort „Haus“ ist da.",
                "Das Haus: „Haus“",
                "Ida Berg (ABC).",
                "Ida (er heißt so) ist da.",
                "Bis bald :-)",
                "Preis: 2,50 €",
                "ab 8: Uhr",
                "Wir brauchen heute drei: Ida, Emil und Karl",
                "(1)",
                '"?"',
                "Ja.",
            ]
        ),
    ],
)
def test_a_quotation_and_what_is_in_brackets_stand_apart(sentence: str, parts: list[str]) -> None:
    assert marks_apart(sentence) == parts


@pytest.mark.parametrize(
    ("source", "read", "translation", "text"),
    [
        ("Wo?!", "Wo?", "Where?", "Where?!"),
        ("Da!!!", "Da!", "There.", "There!!!"),
        ("Na....", "Na...", "Well...", "Well...."),
        ("Na...", "Na...", "Well.", "Well."),
        ("Da!", "Da!", "There.", "There!"),
        ("Da,", "Da,", "There.", "There,"),
        ("Da", "Da", "there,", "There"),
        ("da", "da", "there", "there"),
        ("Da.", "Da.", "There", "There."),
        ("Da", "Da", "There!", "There"),
        ("Komm!", "Komm!", "Will you come?", "Will you come?"),
        ("Wir gehen jetzt los", "Wir gehen jetzt los.", "We're going now.", "We're going now"),
        ("zwei und drei ist fünf", "zwei und drei ist fünf", "It's five.", "It's five"),
        ("Das alte Haus", "Das alte Haus", "The old house", "The old house"),
        ("Wo ist er", "Wo ist er?", "Where is he?", "Where is he?"),
        ("Is it far", "Is it far?", "Ist es weit?", "Ist es weit?"),
        ("Was für ein Tag", "Was für ein Tag.", "What a day!", "What a day"),
        ("How to cook rice", "How to cook rice.", "Reis kochen.", "Reis kochen"),
        ("Um 9", "Um 9", "At 9 a.m.", "At 9 a.m."),
        ("At 9 p.m.", "At 9 p.m.", "Um 21 Uhr", "Um 21 Uhr"),
        ("5 €.", "5 €.", "€5", "€5"),
    ],
)
def test_a_translation_ends_as_its_source(
    source: str, read: str, translation: str, text: str
) -> None:
    assert with_one_mark(source) == read
    assert with_marks_of(source, translation) == text


def test_marks_are_put_back_around_what_is_translated_without_them(translator: Translator) -> None:
    lines = ["zwei (drei)", "zwei", "drei", "zwei?!", "zwei?", "???"]
    found = [best.text for [best] in translate_texts(translator, lines)]
    assert found[0] == f"{found[1]} ({found[2]})"
    assert found[3] == f"{found[4].rstrip('.!?')}?!"
    assert found[5] == "???"


def test_a_forced_prefix_keeps_its_own_marks(
    translator: Translator, monkeypatch: pytest.MonkeyPatch
) -> None:
    beam = [Hypothesis(tokenizer_of(translator).encode("two."), -1.0, -1.0)]
    monkeypatch.setattr(texts, "translate", lambda *_, **__: [beam])
    for prefix, text in {"two.": "two.", "": "two"}.items():
        [[best]] = translate_texts(translator, ["zwei"], forced_prefix=prefix)
        assert best.text == text


class _AsItIs:
    """A reranker that keeps the order of the beam."""

    def reranked(self, found: Any, *, length_penalty: float) -> Any:
        return found


def test_a_translation_without_what_is_copied_is_the_last_choice(
    translator: Translator, monkeypatch: pytest.MonkeyPatch
) -> None:
    tokens = map(tokenizer_of(translator).encode, ["two", "three B7", "four B7"])
    beam = [Hypothesis(each, -1.0, -1.0) for each in tokens]
    monkeypatch.setattr(texts, "translate", lambda *_, **__: [beam])
    [[best]] = translate_texts(translator, ["zwei a_b.pdf"], reranker=_AsItIs())  # type: ignore[arg-type]
    assert best.text == "three a_b.pdf"
