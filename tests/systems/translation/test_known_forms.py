"""Words are read as the vocabulary has them; acronyms and umlauts are left alone."""

import pytest

from tokoban.systems.translation.known_forms import (
    known_forms,
    known_word,
    with_capitals,
    with_umlauts,
    without_capitals,
)
from tokoban.systems.translation.marks import with_one_mark
from tokoban.systems.translation.number_words import examples
from tokoban.systems.translation.spelling import usual_spelling
from tokoban.text.bpe import train_bpe

LINES = ["Ein Mann sitzt auf der Straße im Park der USA.", "ein Hund und ein Mann."] * 9
TOKENIZER = train_bpe(LINES, vocabulary_size=330, has_space_before=True)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("EIN MANN SITZT AUF DER STRASSE.", "Ein Mann sitzt auf der Straße."),
        ("EIN HUND. EIN MANN IM PARK!", "Ein Hund. Ein Mann im Park!"),
        ("EIN MANN DER USA", "Ein Mann der USA"),
        ("Ein HUND und EIN MANN!", "Ein Hund und ein Mann!"),
        ("EIN HUND IM PARK: der Mann", "Ein Hund im Park: der Mann"),
        ("Der UFO der NATO", "Der UFO der NATO"),
        ("Ein Mann IM, der", "Ein Mann im, der"),  # its comma does not count
        ("DER STRAßE", "Der Straße"),
        ("I", "I"),
        ('EIN HUND IM "OK"!', 'Ein Hund im "OK"!'),
        ("3 X 4 = 12", "3 X 4 = 12"),
        ("Ein Mann der USA", "Ein Mann der USA"),
        ("ein hund", "ein hund"),
        ("", ""),
    ],
)
def test_each_word_gets_the_form_that_the_vocabulary_knows_best(text: str, expected: str) -> None:
    assert without_capitals(TOKENIZER, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Auf", "auf"),
        ("Auf:", "auf:"),
        ("Auf!", "auf!"),
        *((kept, kept) for kept in ("Auf, auf", "Mann", "Ein", "Auf der", "AUF", "auf", "")),
    ],
)
def test_a_word_alone_is_small_if_the_vocabulary_knows_it_so(text: str, expected: str) -> None:
    assert known_word(TOKENIZER, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ein mann auf der straße.", "Ein Mann auf der Straße."),
        ("ein hund! und ein mann?", "Ein Hund! Und ein Mann?"),
        ("Ich sehe das mann-im-park-haus nicht", None),  # no word that is known
        ("Ist das ein mann im park?", "Ist das ein Mann im Park?"),
        ("Is that a mann im park?", None),  # English has few capitals
        ("Ist er der? Nicht mann, ja", None),  # a verb, perhaps
        ("Ein mann im Park", None),
        ("ein's und I und I'm und mann", "Ein's und I und I'm und Mann"),
        ("I like that mann", None),
        ("und zwei und drei", None),  # "Und" is no better known
        ("www.mann.de und https://mann.de da", None),
        ("ein mann", None),  # the cell of a table, perhaps
        ("ein mann auf mann@park.de und mann.", "Ein Mann auf mann@park.de und Mann."),
        ("", None),
    ],
)
def test_a_text_without_capitals_gets_those_of_the_vocabulary(
    text: str, expected: str | None
) -> None:
    assert with_capitals(TOKENIZER, text) == (text if expected is None else expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Fuer uns sind die Strassen groesser.", "Für uns sind die Strassen größer."),
        ("Die neue Frau ist da.", None),
        ("Dass fuer ein Wort", "Dass für ein Wort"),
        ("Da: www.fuer.de/fuer und fuer@fuer.de", None),
        ("Die größer ist fuer uns.", None),  # who has umlauts uses them
        ("They are here fuer us.", None),
    ],
)
def test_umlauts_are_put_where_they_make_known_words(text: str, expected: str | None) -> None:
    lines = ["Für uns größer, für uns alle größer, daß", "Die neue Frau ist neu"] * 9
    tokenizer = train_bpe(lines, vocabulary_size=320, has_space_before=True)
    assert with_umlauts(tokenizer, text) == (text if expected is None else expected)


def test_the_texts_that_a_vocabulary_was_made_of_are_read_as_they_are() -> None:
    texts = [text for pair in examples(2000, seed=0) for text in pair]
    tokenizer = train_bpe(texts, vocabulary_size=512, has_space_before=True)
    for text in texts:
        assert with_one_mark(known_forms(tokenizer, usual_spelling(text))) == text
