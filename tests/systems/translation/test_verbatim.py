"""Addresses, identifiers and what no network has read come out as they went in."""

import time

import pytest

from tokoban import pretrained
from tokoban.systems.translation.layout import texts_apart
from tokoban.systems.translation.model import Translator
from tokoban.systems.translation.spelling import usual_spelling
from tokoban.systems.translation.texts import num_tokens, translate_texts
from tokoban.systems.translation.verbatim import hide_verbatim, show_verbatim


@pytest.mark.parametrize(
    ("text", "spans"),
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
        ("Auf B7 steht www.a.example", ["www.a.example"]),
        ("Kein @ und kein www, aber 3.5 und z.B.", []),
        ("Auf b.de/c_d, nicht müde.Es regnet.", ["b.de/c_d"]),
        ("a_1.pdf (b.tar.gz).", ["a_1.pdf", "b.tar.gz"]),
        ("Hallo {name}, %s hat %d `a | b`!", ["{name}", "%s", "%d", "`a | b`"]),
        ("Was &lt;b&gt; heißt, a &lt; b", ["&lt;b&gt;", "&lt;"]),
        (
            "In C:\\Ä\\b.txt, \u65e5\u672c und 5 \u00b5g.",
            ["C:\\Ä\\b.txt", "\u65e5\u672c", "\u00b5g"],
        ),
        ("Ist a < b wahr? Hier a <b>", ["a < b"]),
        ("Offen: 9:00 AM - 5:00 PM. Und 9am-5pm.", ["9:00 AM - 5:00 PM", "9am-5pm"]),
        ("Seite 8-12, 8:30", []),
        ("```python", ["```python"]),
        ("Es ist x = 5, nicht 2 + 2 = 5.", ["x = 5", "2 + 2 = 5"]),
        ("Nr. 4711-0815, +44 20 7946 0958.", ["4711-0815", "+44 20 7946 0958"]),
        ("AB-123456-X, 12/24/2024", ["AB-123456-X", "12/24/2024"]),
        ("IBAN DE89 3704 0044 0532 0130 00", ["DE89 3704 0044 0532 0130 00"]),
        ("1.000.000 um 18:30, 1914-1918, 1990er, 1990s, 2023/24", []),
        ("Der 42-jährige mit X10-Gerät, COVID-19, M1911, 150000 km, 1 000 000, 10115 B.", []),
    ],
)
def test_what_is_hidden_is_shown_again(text: str, spans: list[str]) -> None:
    hidden, found = hide_verbatim(text)
    assert sorted(found.values()) == sorted(spans)
    assert not any(span in hidden for span in spans)
    assert show_verbatim(hidden, found) == text


def test_an_address_that_a_translation_lost_stands_at_its_end() -> None:
    hidden, found = hide_verbatim("Schreib an a@b.example und an c@d.example.")
    assert hidden == "Schreib an B7 und an D4."
    assert show_verbatim("Write to D4.", found) == "Write to c@d.example. (a@b.example)"


def test_more_addresses_than_names_stay() -> None:
    text = " ".join(f"a{number}@b.example" for number in range(8))
    hidden, found = hide_verbatim(text)
    assert len(found) == 6 and hidden.endswith("a6@b.example a7@b.example")


@pytest.mark.parametrize(
    "word",
    [
        "a",
        "a.",
        "a@",
        "www.",
        "https://",
        "@b.",
        "b.",
        "1-",
        "1 = ",
        "<a",
        "*a",
        "[",
        "{",
        "`",
        "_",
    ],
)
def test_no_text_takes_long_to_read(word: str) -> None:
    text = "x@" + word * (50_000 // len(word))
    started_s = time.process_time()
    hide_verbatim(text)
    texts_apart(text)
    usual_spelling(text)
    assert time.process_time() - started_s < 5  # a second of other work at most; else minutes


def test_a_text_is_measured_as_it_is_translated(translator: Translator) -> None:
    text = " ".join(f"das steht auf www.a{number}.example da. Ja" for number in range(8))
    alone = "Ja das steht auf B7 da."
    [most, least] = num_tokens(translator, [text, alone], is_divided=True)
    assert most <= least + 2


@pytest.mark.usefixtures("shipped_once")
@pytest.mark.parametrize(
    ("direction", "text"),
    [
        ("de-en", "Ich habe das Buch auf www.buch.example bestellt. Schreib an k@l.example!"),
        ("en-de", "Have you seen the pictures on https://photos.example/family?"),
        ("en-de", "Hello {name}, the file a_b.pdf and the order 4711-0815 are in \u65e5\u672c."),
    ],
)
def test_shipped_weights_copy_what_is_hidden(direction: str, text: str) -> None:
    model, _ = pretrained.load(f"translation-{direction}", system="translation")
    assert isinstance(model, Translator)
    [[best]] = translate_texts(model, [text])
    for span in hide_verbatim(text)[1].values():
        assert best.text.count(span) == best.source.count(span) == 1
