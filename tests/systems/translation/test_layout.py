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
        ("Habt 3 <b>neue</b>, a < b?", ["", ""], ["Habt 3 neue, a < b?"]),
        ("Das ist _sehr_ gut, __so__ gut", ["", ""], ["Das ist sehr gut, so gut"]),
        ("_zwei Äpfel_ ~~ein Ei~~", ["_", "_ ~~", "~~"], ["zwei Äpfel", "ein Ei"]),
        ("a_b _c __d__.py", ["", ""], ["a_b _c __d__.py"]),
        ("Ort;Alter;;Land", ["", ";", ";;", ""], ["Ort", "Alter", "Land"]),
        ('"Ort, Land",5,"Ja."', ["", ",", ",", ""], ['"Ort, Land"', "5", '"Ja."']),
        ("Ort,Preis,5", ["", ",", ",", ""], ["Ort", "Preis", "5"]),
        ("hallo,wie 1,5;) &lt;b", ["", ""], ["hallo,wie 1,5;) &lt;b"]),
        ("12.03.24, 14:05 - Ida: Da", ["12.03.24, 14:05 - ", ""], ["Ida: Da"]),
        ("[3/2/24, 2:05 PM] Da", ["[3/2/24, 2:05 PM] ", ""], ["Da"]),
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
