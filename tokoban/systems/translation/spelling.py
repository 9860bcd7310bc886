"""Apostrophes, references, fractions, hours and German dates, as translators have read them."""

import html
import re
from calendar import monthrange

from tokoban.systems.translation.number_words import MONTHS

_REFERENCE = re.compile(r"&(?!lt;|gt;)(?:#\d{1,7}|#x[0-9a-fA-F]{1,6}|[a-zA-Z]{2,8}\d?);")
_APOSTROPHE = re.compile(r"(?<=\w)[\u2018\u2019\u02bc`\u00b4](?=\w)")
_LAST = re.compile(r"(?<=\w)[\u2019\u02bc](?!\w)")  # an apostrophe, or it closes a quotation
_QUOTED = re.compile(r"[\u2018\u201a]")
_FRACTION = re.compile("(?<=[0-9])(?=[¼½¾⅐-⅞])")
_HOURS = re.compile(r"(\d\d?)[:.](\d\d ?[-\u2013] ?\d\d?)[:.](\d\d) Uhr\b")  # is copied
_DATE = re.compile(
    r"(?<![\w.,:/-])(?P<day>\d\d?)\. ?(?P<month>\d\d?)\."
    r"(?: ?(?P<year>[12]\d{3})(?![\w-])|(?! ?\d|\w))(?!\.?\d)"
)
# Behind other words, "3.4." may be a chapter or a version.
_BEFORE_DATE = re.compile(
    r"(?:\b(?:am|vom|zum|bis|ab|seit|de[rmn]|und|oder|(?:mo|di|mi|do|fr|sa|so|\w+tag)[.,]*)"
    r"|[-:(\u2013]) ?$",
    re.IGNORECASE,
)
_ENDS_SENTENCE = re.compile(r"\s*$| [A-ZÄÖÜ]")


def usual_spelling(text: str) -> str:
    """The text with ' in and after words, no character references, and months in words.

    "Am 2.10. regnet&#39;s" is "Am 2. Oktober regnet's". References to < and > stay.
    """
    text = _REFERENCE.sub(lambda found: html.unescape(found[0]), text)
    text = _APOSTROPHE.sub("'", text)
    text = _HOURS.sub(r"\1:\2:\3", _FRACTION.sub(" ", text))
    if not _QUOTED.search(text):
        text = _LAST.sub("'", text)
    return _DATE.sub(_date_in_words, text)


def _date_in_words(found: re.Match[str]) -> str:
    day, month = int(found["day"]), int(found["month"])
    if not (1 <= month <= 12 and 1 <= day <= monthrange(2000, month)[1]):  # a leap year
        return found[0]
    words = f"{day}. {MONTHS[month - 1][0]}"
    if found["year"]:
        return f"{words} {found['year']}"
    before, behind = found.string[: found.start()], found.string[found.end() :]
    if not _BEFORE_DATE.search(before):
        return found[0]
    return f"{words}." if _ENDS_SENTENCE.match(behind) else words  # its stop was that of both
