"""Addresses come out of a translation as they went in."""

import time

import pytest

from tokoban import pretrained
from tokoban.systems.translation.addresses import hide_addresses, show_addresses
from tokoban.systems.translation.model import Translator
from tokoban.systems.translation.texts import num_tokens, translate_texts


@pytest.mark.parametrize(
    ("text", "addresses"),
    [
        ("Siehe https://a.example/b?c=1&d=2.", ["https://a.example/b?c=1&d=2"]),
        ("(www.a-b.example), oder?", ["www.a-b.example"]),
        ("An k.l+m@n.example, o_p@q-r.example!", ["k.l+m@n.example", "o_p@q-r.example"]),
        ("Sie kennt http://a.example und http://a.example.", ["http://a.example"]),
        ("http://a.example, http://a.example/b", ["http://a.example", "http://a.example/b"]),
        ("k@l.example oder jk@l.example", ["k@l.example", "jk@l.example"]),
        ("www.x.example, https://www.x.example", ["www.x.example", "https://www.x.example"]),
        ("HTTPS://X.example und WWW.y.example", ["HTTPS://X.example", "WWW.y.example"]),
        ("Ich war 2@3.5 dort", []),
        ("Auf Facebook steht www.a.example", ["www.a.example"]),
        ("Kein @ und kein www, aber 3.5 und z.B.", []),
    ],
)
def test_what_is_hidden_is_shown_again(text: str, addresses: list[str]) -> None:
    hidden, found = hide_addresses(text)
    assert [*found.values()] == addresses
    assert not any(address in hidden for address in addresses)
    assert show_addresses(hidden, found) == text


def test_an_address_that_a_translation_lost_stands_at_its_end() -> None:
    hidden, found = hide_addresses("Schreib an a@b.example und an c@d.example.")
    assert hidden == "Schreib an Facebook und an Wikipedia."
    assert show_addresses("Write to Wikipedia.", found) == "Write to c@d.example. (a@b.example)"


def test_more_addresses_than_names_stay() -> None:
    text = " ".join(f"a{number}@b.example" for number in range(6))
    hidden, found = hide_addresses(text)
    assert len(found) == 4 and hidden.endswith("a4@b.example a5@b.example")


@pytest.mark.parametrize("word", ["a", "a.", "a@", "www.", "https://", "@b.", "b."])
def test_no_text_takes_long_to_look_for_addresses(word: str) -> None:
    started_s = time.process_time()
    hide_addresses("x@" + word * (200_000 // len(word)))
    assert time.process_time() - started_s < 5  # a second of other work at most; else hours


def test_a_text_is_measured_as_it_is_translated(translator: Translator) -> None:
    text = " ".join(f"das steht auf www.a{number}.example da. Ja" for number in range(8))
    alone = "Ja das steht auf Facebook da."
    [most, least] = num_tokens(translator, [text, alone], is_divided=True)
    assert most <= least + 2


@pytest.mark.parametrize(
    ("direction", "text"),
    [
        ("de-en", "Ich habe das Buch auf www.buch.example bestellt. Schreib an k@l.example!"),
        ("en-de", "Have you seen the pictures on https://photos.example/family?"),
    ],
)
def test_shipped_weights_copy_addresses(direction: str, text: str) -> None:
    model, _ = pretrained.load(f"translation-{direction}", system="translation")
    assert isinstance(model, Translator)
    [[best]] = translate_texts(model, [text])
    for address in hide_addresses(text)[1].values():
        assert best.text.count(address) == best.source.count(address) == 1
