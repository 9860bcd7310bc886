"""Units and fractions of one sign are spelled as in the source."""

import pytest

from tokoban.systems.translation.units import with_units_of


@pytest.mark.parametrize(
    ("source", "text", "expected"),
    [
        ("78 m² und 3 m³", "78 M2 and 3 m3", "78 m² and 3 m³"),
        ("78 m2 und 5 mg", "78 M2 and 5 MG", "78 m2 and 5 mg"),
        ("½ l, 2 ¾ kg", "1\u20442 L, 2 3 \u20444 KG", "½ l, 2 ¾ kg"),
        ("ein Haus", "1\u20442 M", "1\u20442 M"),
    ],
)
def test_units_and_fractions_are_those_of_the_source(source: str, text: str, expected: str) -> None:
    assert with_units_of(source, text) == expected
