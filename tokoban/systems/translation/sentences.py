"""Where a text is divided into the sentences that are translated one by one."""

import re

# Words before a stop that ends no sentence, and single letters.
_ABBREVIATED = r"bzw ca Dr evtl Fr Hr inkl Mio Mr Mrd Mrs Ms Nr Prof St vgl vs \w"
_NOT_ABBREVIATED = "".join(rf"(?<!\b{word}\.)" for word in _ABBREVIATED.split(" "))
BETWEEN_SENTENCES = re.compile(rf"(?<=[a-zäöüß][.!?]){_NOT_ABBREVIATED} (?=[A-ZÄÖÜ])")


def sentences_of(reading: str) -> list[str]:
    """Its sentences, each with the stop that ends it; "Dr. Weber" and "z. B. Salz" are in one."""
    return BETWEEN_SENTENCES.split(reading)
