"""What stands around the texts of a line, is not read, and is kept as it is.

That is the indent, the sign of a list, what separates the cells of a table, signs that stand alone
and tags, or stars, around texts.
"""

import re
from collections.abc import Callable

from tokoban.systems.translation.verbatim import LONE_SIGN, SPAN, TAG, UNREAD_WORD
from tokoban.text.invisible import without_invisible

_LIST_SIGNS = re.compile(
    r"(?:(?:[-*\u2022\u00b7\u2013\u2014>]|#+|\d{1,3}\)|\(?[a-zA-Z]\)|\(\d\)|\[[ xX]?\]) )+(?=\S)"
)
_NUMBERED = re.compile(r"\d{1,3}\. (?=(?P<word>\w+)(?P<is_request> Sie\b)?)")
_STARS, _LINK_END = r"\*{1,3}", r"\]\([^()\s]*\)"
_OPENS, _CLOSES = rf"(?:{_STARS}|{TAG}|\[)", rf"(?:{_STARS}|{TAG}|{_LINK_END})"
# Marked words of a sentence are read in it; marks around whole texts are kept.
_MARKED = rf"{_OPENS}(?=\w)[^*<>|\[\]\t]{{1,200}}(?<=\w){_CLOSES}"
_AMID = rf"(?:(?<=[\w,]) {_MARKED}|{_MARKED}(?=,? \w))"
_MARK = (
    rf"{TAG}|(?<!\w){_STARS}(?=[^\s\ufe0f\u20e3])|(?<=\S){_STARS}(?!\w)"
    rf"|\[(?=[^\[\]]{{1,200}}{_LINK_END})|{_LINK_END}"
)
_GAP = re.compile(rf"{SPAN}|{_AMID}|(?P<gap>(?: ?(?:\t|\||{LONE_SIGN}|{_MARK}))+ ?)|{UNREAD_WORD}")
_MARKED_WORDS, _MARKS = re.compile(_AMID), re.compile(rf"{_OPENS}|{_CLOSES}")
_LINK = re.compile(r"\[([^\[\]]*)\]\(([^()\s]*)\)")


def texts_apart(line: str, *, begins_item: Callable[[str], bool]) -> tuple[list[str], list[str]]:
    """The texts of a line, and what stands before, between and behind them.

    ``begins_item`` says whether a word behind a number and a stop begins an item of a list: in "3.
    Oktober" and "1. Liga" the number is that of the month or the league.
    """
    body = re.sub(r"[^\S\t]+", " ", line.strip())
    indent = line[: len(line) - len(line.lstrip(" \t"))] if body else ""
    sign = _LIST_SIGNS.match(body)
    if not sign and (number := _NUMBERED.match(body)):
        sign = number if number["is_request"] or begins_item(number["word"]) else None
    if sign:
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
