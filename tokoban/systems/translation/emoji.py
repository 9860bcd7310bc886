"""Emoji and emoticons, which no training text has: a network would write broken words for them."""

import re

from tokoban.systems.translation.sentences import BETWEEN_SENTENCES
from tokoban.text.invisible import without_invisible

_KEYCAP = r"[0-9#*]\ufe0f?\u20e3"
# Some arrows and signs are emoji by their selector alone. Behind any emoji there may be selectors,
# joiners, and the tags by which a black flag is that of a region.
_ONE = (
    rf"(?:[\u2300-\u23ff\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff]|{_KEYCAP}"
    r"|[\u2190-\u21ff\u25a0-\u25ff\u2934\u2935\u3030\u303d\u3297\u3299]\ufe0f)"
    r"[\ufe0e\ufe0f\u200d\U000e0020-\U000e007f]*"
)
_EMOTICON = r"(?<!\S)(?:[:;]-?[()DPp/]|lol|[xX]D)(?!\S)"
_SOME = rf"(?:{_EMOTICON}|{_ONE}(?: ?{_ONE})*)"
_EMOJI = re.compile(rf" ?({_SOME}|\({_SOME}\))")  # with the brackets around nothing else
_BEFORE_A_WORD = re.compile(rf"{_ONE}\)?(?=\w)(?!{_KEYCAP})")
_STOPS = tuple(".!?…:")


def emoji_apart(text: str) -> list[tuple[str, str]]:
    """The text in parts without emoji, each with the emoji after it: "Hi! 😊 Bis bald" has two.

    A part ends where emoji follow a stop or nothing, and with a sentence that emoji stand in. Two
    words or more end before emoji and a capital too: "Bin gleich da 😊 Kommst du mit?" has two.
    """
    parts: list[tuple[str, str]] = []
    part, after = "", list[str]()
    pieces = [*_EMOJI.split(_spaced(text)), "", ""]
    for piece, emoji, then in zip(pieces[:-1:2], pieces[1::2], pieces[2::2], strict=True):
        place = len(part)
        part += without_invisible(piece)
        if after and (gap := BETWEEN_SENTENCES.search(part, place)):
            parts.append((part[: gap.start()], " ".join(after)))
            part, after = part[gap.end() :], []
        after += [emoji] * bool(emoji)
        is_before_capital = len(part.split()) > 1 and then.lstrip()[:1].isupper()
        if emoji and (is_before_capital or not part.strip() or part.endswith(_STOPS)):
            parts.append((part, " ".join(after)))
            part, after = "", []
    if part.strip() or after or not parts:
        parts.append((part, " ".join(after)))
    return parts


def _spaced(text: str) -> str:
    """With single spaces, and with one between an emoji and a word behind it."""
    return _BEFORE_A_WORD.sub(r"\g<0> ", " ".join(text.split()))
