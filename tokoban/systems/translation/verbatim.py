"""What is copied and not translated: addresses, placeholders, code, identifiers, other scripts.

A name that networks of everyday sentences copy stands for each of them in the translation.
"""

import re
from collections.abc import Mapping

# What hardly any everyday sentence has: some signs, with those of mathematics, and other scripts.
_SIGNS = r"=<>|{}~^\\\u00d7\u00f7\u2190-\u22ff"
_UNREAD = _SIGNS + r"\u00b5\u0370-\u1dff\u2e80-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff"
TAG = r"</?[A-Za-z][^<>]{0,500}>"
LONE_SIGN = rf"(?<!\S)(?:[{_SIGNS}_\u00b7\u2022]|-+(?=>))+(?!\S)"
_TERM = r"(?:\d[\d.,]*\b|\b[a-z]\b)(?: ?[-+*/] ?(?:\d[\d.,]*\b|[a-z]\b))*"
_TOP_DOMAINS = "com|org|net|de|at|ch|eu|uk|io|info|edu|gov|fr|it|es|nl"
_SUFFIXES = (
    "pdf|docx?|xlsx?|pptx?|odt|txt|csv|md|rtf|jpe?g|png|gif|svg|mp[34]|wav|mov|avi|zip|gz|tar|exe"
    "|html?|css|js|py|json|xml|ya?ml|toml|sql|log|srt"
)
_ADDRESS = (
    r"(?i:https?://|www\.)[^\s<>()\"“”„']*[^\s<>()\"“”„'.,;:!?]"
    r"|(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[^\W\d]{2,}"
    rf"|(?<![\w.-])[\w-]+(?:\.[\w-]+)*\.(?:{_TOP_DOMAINS})(?:/[\w./?=&%#-]*\w)?(?![\w-]|\.\w)"
)
# Those within which signs of layout have no meaning.
_AM_PM = r" ?[AaPp](?:[Mm]\b|\.[Mm]\.)"
_HOUR = rf"\d\d?(?::\d\d(?:{_AM_PM})?|{_AM_PM})"
SPAN = (
    r"`{3,}\w*|`[^`]+`"
    r"|\$?\{+[^{}]{1,80}\}+|%(?:\(\w+\)|\d\$)?[sdif]\b"
    rf"|(?<![\w.:]){_HOUR} ?[-\u2013] ?{_HOUR}(?!\w)"
    rf"|(?<!\S){_TERM}(?: ?(?!{TAG})[=<>\u00d7\u00f7\u2248\u2260\u2264\u2265]+ ?{_TERM})+"
    r"|&lt;[^\s&]{1,80}&gt;|&[lg]t;"
    rf"|{_ADDRESS}|(?<![\w.~/-])(?:[\w.~-]*/)*[\w-]+(?:\.[\w-]+)*\.(?:{_SUFFIXES})(?![\w-]|\.\w)"
)
_START, _IN_WORD = r"(?<![^\s\"“”„(|>])", rf"(?:(?!{TAG})[^\s\"“”„()|])"
# What may end emphasis behind a word is none of it.
UNREAD_WORD = (
    rf"{_START}(?=[^\s\"“”„()|_{_UNREAD}]*(?:(?!~~)[{_UNREAD}]|_\w)){_IN_WORD}+(?<![.,;:!?])"
)
_NUMBER = (
    r"(?<![\w+])(?:\+\d|0)\d*(?:[ /-]?\(0\))?(?:[ /-]\d{2,})+(?![\w-])"  # of a telephone
    r"|\b[A-Z]{2}\d{2}(?: ?[A-Z\d]{4}){3,7}(?: [A-Z\d]{1,3})?\b"  # of a bank account
    r"|(?<![\w.,:/+-])\w+(?:[-/]\w+)*(?![\w:/-]|[.,]\d)"
)
_VERBATIM = re.compile(rf"{SPAN}|{UNREAD_WORD}(?: {UNREAD_WORD})*|(?P<number>{_NUMBER})")
_RANGE = re.compile(r"(\d+)[-/](\d+)")
_NAMES = ("B7", "D4", "H6", "F3", "K5", "G2")


def hide_verbatim(text: str) -> tuple[str, dict[str, str]]:
    """The text with names in place of what is copied, and what each name stands for.

    It stays where all names are taken or are words of the text.
    """
    names = [name for name in _NAMES if name not in text]
    chosen: dict[str, str] = {}  # by what is copied

    def name_of(found: re.Match[str]) -> str:
        span = found[0]
        if found["number"] and not _is_identifier(span):
            return span
        if span not in chosen and names:
            chosen[span] = names.pop(0)
        return chosen.get(span, span)

    hidden = _VERBATIM.sub(name_of, text)
    return hidden, {name: span for span, name in chosen.items()}


def show_verbatim(text: str, hidden: Mapping[str, str]) -> str:
    """Puts the hidden spans back; one whose name the translation lacks follows in brackets."""
    missing = [f"({span})" for name, span in hidden.items() if name not in text]
    if hidden:
        text = re.sub("|".join(hidden), lambda name: hidden[name[0]], text)
    return " ".join([text, *missing])


def _is_identifier(number: str) -> bool:
    """Whether it names a thing: neither a quantity nor a range, nor a word with a number."""
    digits = "".join(filter(str.isdecimal, number))
    if re.search("[^A-Z0-9 ()+/-]{2}", number) or not digits:
        return False
    if any(map(str.isalpha, number)):
        return " " in number or (len(digits) >= 4 and sum(map(str.isalnum, number)) >= 6)
    bounds = _RANGE.fullmatch(number)
    if bounds and int(bounds[1]) < int(bounds[2]) and len(bounds[2]) <= len(bounds[1]) + 1:
        return False
    return len(digits) >= (7 if len(digits) < len(number) else 8)
