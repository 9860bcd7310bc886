"""Apostrophes, pronouns, references and dates, as translators have read them."""

import html
import re
from calendar import monthrange

from tokoban.systems.translation.languages import num_words_by_language
from tokoban.systems.translation.number_words import MONTHS

_REFERENCE = re.compile(r"&(?!lt;|gt;)(?:#\d{1,7}|#x[0-9a-fA-F]{1,6}|[a-zA-Z]{2,8}\d?);")
_APOSTROPHE = re.compile(r"(?<=\w)[\u2018\u2019\u02bc`\u00b4](?=\w)")
_LAST = re.compile(r"(?<=\w)[\u2019\u02bc](?!\w)")  # an apostrophe, or it closes a quotation
WORD = re.compile(r"(?<![\w@./:'-])[^\W\d_][\w'-]*(?![\w@/]|\.\w|:/)")  # and no address
_LEFT_OUT = re.compile(  # where an apostrophe is
    r"(?<![\w@./-])(?:(?:do|does|did|is|are|was|were|have|has|had|could|would|should|ca|wo)n(?=t\b)"
    r"|(?:i|you|we|they)(?=ve\b)|(?:you|they)(?=(?:re|ll)\b)|i(?=d (?:like|love|rather)\b)"
    r"|(?:geht|he|here|she|that|there|what|where|who)(?=s\b)|(?<![\w,;] )let(?=s )"
    r"|it(?=s (?:a|an|been|going|my|not|so|the|too|very|your)\b)"
    r"|i(?=ll (?:ask|be|bring|call|check|come|do|get|give|have|let|see|send|take|tell|try)\b))",
    re.IGNORECASE,
)
_ENGLISH = (  # whole words; the first of a text without capitals is not sure
    (r"[Ii](?=m\b)", r"\g<0>'"),
    (r"i(?=[ ']|$)(?:(?<= i)|(?=.*[A-Z]))", "I"),
    ("u(?=[ ?!,]|$)", "you"),
)
_YOU = re.compile(r"\b(bist|kannst|kommst|machst|siehst|weißt|willst)e\b", re.IGNORECASE)
_NO_SUBJECT = re.compile(
    r"^(?i:(?:bin|habe?|kann|muss)(?= (?:dich|dir|gerade|gleich|grad|heute|im|jetzt|leider|morgen"
    r"|noch|nur|schon|was)\b)(?=[^?]*$)(?!.* werden\b)|habe(?= es\b))"  # no passive
)
_QUOTED = re.compile(r"[\u2018\u201a]")
_DATE = re.compile(
    r"(?<![\w.,:/-])(?P<day>\d\d?)\. ?(?P<month>\d\d?)\."
    r"(?: ?(?P<year>[12]\d{3})(?![\w-])|(?P<short>\d\d)(?![\w:-])|(?! ?\d|\w))(?!\.?\d)"
)
# Behind other words, "3.4." and "3.4.21" may be a chapter or a version.
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
    text = _LEFT_OUT.sub(r"\g<0>'", _APOSTROPHE.sub("'", text))
    words = num_words_by_language(text)
    for short, full in _ENGLISH if words["en"] >= words["de"] else ():
        text = re.sub(rf"(?<!\S){short}", full, text)
    if not _QUOTED.search(text):
        text = _LAST.sub("'", text)
    text = _NO_SUBJECT.sub(lambda verb: f"Ich {verb[0].lower()}", _YOU.sub(r"\1 du", text))
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
    if short := found["short"]:
        return f"{words} {19 if short > '39' else 20}{short}"
    return f"{words}." if _ENDS_SENTENCE.match(behind) else words  # its stop was that of both
