"""Units of measurement, whose spelling says what they are: 3 m is no 3 M. Fractions in one sign."""

import re
from unicodedata import normalize

_UNIT = (
    "[kmcdµ]?m[²³23]?|[kmµ]?g|[mcdh]?l|[km]?W|kWh|[kMG]?Hz|[kMGT]B|[kM]bit|GBit|[mk]?V|m?Ah?|dB|h?Pa|"
    "k?cal|k?J|min|ms"
)
_SINGLE = "¼½¾⅐-⅞"
_BEHIND_A_NUMBER = rf"(?:(?<=[0-9{_SINGLE}])|(?<=[0-9{_SINGLE}] ))(?:{_UNIT})(?![\w'])"
_MEASURED = re.compile(_BEHIND_A_NUMBER)
_IN_ANY_CASE = re.compile(_BEHIND_A_NUMBER, re.IGNORECASE)
_FRACTION = re.compile(f"[{_SINGLE}]")


def with_units_of(source: str, text: str) -> str:
    """The text with each unit behind a number, and each fraction, as it is in the source.

    Networks read and write the parts of m² and ½ (NFKC).
    """
    for fraction in _FRACTION.findall(source):
        text = re.sub(normalize("NFKC", fraction).replace("\u2044", " ?\u2044 ?"), fraction, text)
    spelled = {normalize("NFKC", unit).lower(): unit for unit in _MEASURED.findall(source)}
    if not spelled:
        return text
    return _IN_ANY_CASE.sub(lambda unit: spelled.get(unit[0].lower(), unit[0]), text)
