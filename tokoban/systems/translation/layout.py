"""What stands around the texts of a line, is not read, and is kept as it is.

That is the indent, the sign of a list, the "Re:" of a mail, what separates the cells of a table,
signs that stand alone and tags, or stars, around texts.
"""

import re

from tokoban.systems.translation.number_words import MONTHS
from tokoban.systems.translation.verbatim import LONE_SIGN, SPAN, TAG, UNREAD_WORD
from tokoban.text.invisible import without_invisible

_LIST_SIGNS = re.compile(
    r"(?:(?:[-*\u2022\u00b7\u2013\u2014>]|#+|\d{1,3}\)|\(?[a-zA-Z]\)|\(\d\)|\[[ xX]?\]"
    r"|(?:Re|RE|AW|Aw|WG|Fwd?|FWD?):"
    # Chats have years of two digits, which networks break.
    r"|\[?\d\d?[./]\d\d?[./]\d\d, \d\d?:\d\d(?::\d\d)?(?: [AP]M)?(?: -|\])) )+(?=\S)"
)
_MONTHS = "|".join(month for month, _ in MONTHS)  # "3. Oktober" begins no item of a list
_NUMBERED = re.compile(rf"\d{{1,3}}\. (?!(?:{_MONTHS})\b)(?=\w)")
_STARS, _LINK_END = (
    r"(?:\*{1,3}|(?<!\w)_{1,2}(?=[^\W_][^_]{0,200}_{1,2}(?!\.?\w))|(?<=[^\W_])_{1,2}(?!\.?\w))",
    r"\]\([^()\s]*\)",
)
_OPENS, _CLOSES = rf"(?:{_STARS}|{TAG}|\[)", rf"(?:{_STARS}|{TAG}|{_LINK_END})"
# Marked words of a sentence are read in it; marks around whole texts are kept.
_MARKED = rf"{_OPENS}(?=\w)[^*<>|\[\]\t]{{1,200}}?(?<=\w){_CLOSES}"
_AMID = rf"(?:(?<=[\w,]) {_MARKED}|{_MARKED}(?=,? \w))"
_MARK = (
    rf"{TAG}|~~|(?<!\w){_STARS}(?=[^\s\ufe0f\u20e3])|(?<=\S){_STARS}(?!\w)"
    rf"|\[(?=[^\[\]]{{1,200}}{_LINK_END})|{_LINK_END}"
)
# Cells of a table in text: their commas have no space behind them.
_COMMA = (
    r"(?<=[\w\"]);+(?=[\w\"])|(?<=\"),(?=\S)|(?<=\S),(?=\"\S)"
    r"|(?<=\w),(?=[A-ZÄÖÜ])|(?<=[^\W\d]),(?=\d)"
)
_GAP = re.compile(
    rf"{SPAN}|{_AMID}|(?P<gap>(?: ?(?:\t|\||{LONE_SIGN}|{_MARK}))+ ?|{_COMMA})|{UNREAD_WORD}"
)
_MARKED_WORDS, _MARKS = re.compile(_AMID), re.compile(rf"{_OPENS}|{_CLOSES}")
_LINK = re.compile(r"\[([^\[\]]*)\]\(([^()\s]*)\)")


def texts_apart(line: str) -> tuple[list[str], list[str]]:
    """The texts of a line, and what stands before, between and behind them."""
    body = re.sub(r"[^\S\t]+", " ", line.strip())
    indent = line[: len(line) - len(line.lstrip(" \t"))] if body else ""
    if sign := _LIST_SIGNS.match(body) or _NUMBERED.match(body):
        indent, body = indent + sign[0], body[sign.end() :]
    texts, gaps, place = list[str](), [indent], 0
    for found in _GAP.finditer(body):
        if found["gap"]:
            if text := body[place : found.start()]:
                texts.append(_without_marks(text))
                gaps.append("")
            gaps[-1] += without_invisible(found[0])
            place = found.end()
    if place < len(body) or not texts:
        texts.append(_without_marks(body[place:]))
        gaps.append("")
    return texts, gaps


def _without_marks(text: str) -> str:
    """The text without tags and stars amid it, and with the addresses of links in brackets."""
    return _MARKED_WORDS.sub(lambda marked: _MARKS.sub("", _LINK.sub(r"\1 (\2)", marked[0])), text)
