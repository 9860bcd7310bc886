"""Short forms of German and English, which a small translator hardly knows, in full."""

import re
import tomllib
from pathlib import Path

from tokoban.systems.translation.languages import BEGINNING
from tokoban.systems.translation.number_words import DAYS, MONTHS

_LISTED = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def _pattern(short: str) -> str:
    """Of a short form of the list."""
    first, rest = short[0], re.escape(short[1:]).replace(r"\.", r"\. ?").removesuffix(" ?")
    return (
        (f"[{first}{first.upper()}]" if first.islower() else first)
        + rest
        + r"\b" * (short[-1] != ".")
    )


_INSIDE = {  # no sentence ends with these
    **{_pattern(short): full for short, full in _LISTED["inside"].items()},
    r"(?<=[0-9¼½¾] )g(?= [A-ZÄÖÜ][a-zäöü])": "Gramm",
    r"(?<=[0-9¼½¾] )g(?= of\b)": "grams",
    r"(?<=[0-9¼½¾] )l(?= [A-ZÄÖÜ][a-zäöü])": "Liter",
    r"(?<=[0-9¼½¾] )l(?= of\b)": "litres",
    r"(?<!\w )(?:LG|MfG|VG)(?= aus\b| [A-ZÄÖÜ]|,|\W*$)": "Viele Grüße",
    r"(?<=\w )'?ne\b": "eine",
    r"(?<=\w )'?nen\b": "einen",
    r"[nN]ix\b(?! (?:a|it|that|the|this)\b)": "nichts",  # "to nix the plan" is English
    r"[mM]ind\.(?= [0-9.,]+ [€%A-ZÄÖÜ])": "mindestens",
    r"[nN]o\.(?= [0-9])": "Nr.",  # which the translators copy; "Number 5" they do not
}
_LAST = {  # some do with these
    **{_pattern(short): full for short, full in _LISTED["last"].items()},
    r"(?<=[02-9] )Min\.": "Minuten",
    r"(?<=[02-9] )Std\.": "Stunden",
    **{rf"(?<=\bon )(?i:{day[:3]})\b\.?": day for _, day in DAYS},
    **{rf"(?:(?<=\b[Aa]m )|(?<=\b(?:bis|und|vom) )){day[:2]}\.": day for day, _ in DAYS},
    **{rf"(?<=[0-9]\. ){month[:3]}t?\.": month for month, _ in MONTHS if month[3:]},
    **{
        rf"(?:(?<=[0-9] ){month[:3]}t?\.|{month[:3]}t?\.(?= [0-9]))": month
        for _, month in MONTHS
        if month[3:]
    },
}
_FULL = [*((full, False) for full in _INSIDE.values()), *((full, True) for full in _LAST.values())]
_ABBREVIATION = re.compile(
    rf"(?<![\w.@/-])(?:{'|'.join(f'({each})' for each in (*_INSIDE, *_LAST))})(?![\w@/])"
    r"|(?<=[a-zäöüß])str\.(?! [A-ZÄÖÜ])"
)
_END = re.compile(rf"[\"“”»«)]*$| {BEGINNING}")


def without_abbreviations(text: str) -> str:
    """The text with the common abbreviations in full; a stop that ends a sentence too stays."""

    def in_full(found: re.Match[str]) -> str:
        full, may_end = _FULL[found.lastindex - 1] if found.lastindex else ("straße", True)
        before = text[max(0, found.start() - 2) : found.start()].strip()[-1:]
        if found.lastindex and before in ("", *'.!?…:"„“'):
            full = full[0].upper() + full[1:]
        may_end = may_end and found[0].endswith(".")
        return full + "." * (may_end and _END.match(text, found.end()) is not None)

    return _ABBREVIATION.sub(in_full, text)
