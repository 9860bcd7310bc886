"""Spellings that no network has read become those that it knows; others stay."""

import pytest

from tokoban.systems.translation.spelling import usual_spelling


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Am 24.12.2024.", "Am 24. Dezember 2024."),
        ("Vom 03.07. bis zum 17.7.", "Vom 3. Juli bis zum 17. Juli."),
        ("Mo., 29.2., frei", "Mo., 29. Februar, frei"),
        ("Bis zum 2.10. Danach am 3.5.", "Bis zum 2. Oktober. Danach am 3. Mai."),
        ("Datum: 1.1.2026", "Datum: 1. Januar 2026"),
        ("am 3.4.21, vom 05.06.98", "am 3. April 2021, vom 5. Juni 1998"),
        ("Version 3.4.21, am 3.4. 20 Leute, am 3.4.21:30", None),
        ("am 31.4. und 30.2.2024 und 1.13.", None),
        ("Version 2.11.0, Zimmer 3.14, um 9.15 Uhr, Kapitel 3.4. auch", None),
        ("1.000, am 10.12.24.1, 2024-12-24 und 12/24/2024", None),
        ("It\u2019s Tom\u2019s, my parents\u2019 car", "It's Tom's, my parents' car"),
        ("\u2018Don\u2019t go\u2019, \u201ashe\u2018", "\u2018Don't go\u2019, \u201ashe\u2018"),
        ("&quot;A &amp; B&#39;s&quot;&nbsp;&lt;", '"A & B\'s"\u00a0&lt;'),
        ("AT&T; und &nichts;", None),
        ("I dont know if theyre here, Im not", "I don't know if they're here, I'm not"),
        ("Lets go, shes ill and ill be late", "Let's go, she's ill and I'll be late"),
        ("Can u see if i can?", "Can you see if I can?"),
        ("im here and i see if Tom is", "I'm here and I see if Tom is"),
        ("i see Tom", "I see Tom"),
        ("im not here", "i'm not here"),
        ("i see it", None),  # its capitals come together
        ("https://a.de/u/i/dont, a@im.de", None),
        ("i. A. mit der U 2 und u-bahn, ist im Haus", None),
        ("Muss noch weg", "Ich muss noch weg"),
        ("Muss noch geputzt werden", None),
        ("Kann im Sommer besucht werden.", None),
        ("Bin ich da, ich muss noch weg. Kann dich wer holen?", None),
        ("its not in its box, he lets us", "it's not in its box, he lets us"),
        ("Er ist im Haus", None),
        ("Kannste gehen, weil du Karneste magst?", "Kannst du gehen, weil du Karneste magst?"),
    ],
)
def test_only_what_is_sure_is_written_in_the_usual_way(text: str, expected: str | None) -> None:
    assert usual_spelling(text) == (text if expected is None else expected)
