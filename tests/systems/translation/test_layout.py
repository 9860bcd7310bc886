"""What stands around the texts of a line is kept, and the texts are translated by themselves."""

import pytest

from tokoban.systems.translation.layout import texts_apart
from tokoban.systems.translation.model import Translator
from tokoban.systems.translation.texts import translate_texts


@pytest.mark.parametrize(
    ("line", "gaps", "texts"),
    [
        ("Zwei  Äpfel. ", ["", ""], ["Zwei Äpfel."]),
        ("\t- [ ] zwei", ["\t- [ ] ", ""], ["zwei"]),
        ("\u2022 zwei", ["\u2022 ", ""], ["zwei"]),
        ("> ## a) zwei", ["> ## a) ", ""], ["zwei"]),
        ("1. den Apfel", ["1. ", ""], ["den Apfel"]),
        ("2. Heben Sie ab", ["2. ", ""], ["Heben Sie ab"]),
        ("12. Brot kaufen", ["12. ", ""], ["Brot kaufen"]),
        ("3. Oktober", ["", ""], ["3. Oktober"]),
        ("2. Liga", ["", ""], ["2. Liga"]),
        ("-5 Grad", ["", ""], ["-5 Grad"]),
        ("zwei\tdrei", ["", "\t", ""], ["zwei", "drei"]),
        ("| zwei | **drei** |", ["| ", " | **", "** |"], ["zwei", "drei"]),
        ("zwei \u2192 drei = `a | b`", ["", " \u2192 ", " = ", ""], ["zwei", "drei", "`a | b`"]),
        ("<p><i>Wo?</i></p>", ["<p><i>", "</i></p>"], ["Wo?"]),
        ("**Halt:** Da!", ["**", "** ", ""], ["Halt:", "Da!"]),
        ("Das ist <b>sehr</b> gut, *oder*?", ["", ""], ["Das ist sehr gut, oder?"]),
        ("Komm (*bald*)!", ["", "*", "*", ""], ["Komm (", "bald", ")!"]),
        ("Ruf [hier](a.de/b) an", ["", ""], ["Ruf hier (a.de/b) an"]),
        ("[Mehr](a.de)", ["[", "](a.de)"], ["Mehr"]),
        ("Kolleg*innen", ["", ""], ["Kolleg*innen"]),
        ("<b\x1b>zwei", ["<b>", ""], ["zwei"]),
        ("  ", ["", ""], [""]),
    ],
)
def test_a_line_is_texts_and_what_stands_around_them(
    line: str, gaps: list[str], texts: list[str]
) -> None:
    assert texts_apart(line) == (texts, gaps)


def test_layout_is_kept_around_translations(translator: Translator) -> None:
    lines = ["  - zwei\tdrei 🍏", "<i>zwei</i> | 12", "zwei", "drei"]
    (item, row, zwei, drei) = (found[0] for found in translate_texts(translator, lines, beam=2))
    assert item.text == f"  - {zwei.text}\t{drei.text} 🍏"
    assert row.text == f"<i>{zwei.text}</i> | 12"
    assert [each.source for each in item.sentences] == ["zwei", "drei"]
