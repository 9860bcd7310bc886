"""Emoji, which no training text has: a network would write broken characters or words for them."""

import re

_ONE = r"[\u2300-\u23ff\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff][\ufe0f\u200d\u20e3]*"
_EMOJI = re.compile(rf"\s*({_ONE}(?:\s*{_ONE})*)")
_STOPS = tuple(".!?…:")


def without_emoji(text: str) -> str:
    """The text as a network should read it."""
    return _EMOJI.sub("", text)


def emoji_apart(text: str) -> list[tuple[str, str]]:
    """The text in parts without emoji, each with the emoji after it: "Hi! 😊 Bis bald" has two.

    A part ends where emoji follow a stop or nothing; emoji within a part come after its end.
    """
    parts: list[tuple[str, str]] = []
    part, after, end = "", [], 0
    for found in _EMOJI.finditer(text):
        part += text[end : found.start()]
        after.append(found[1])
        end = found.end()
        if not part.strip() or part.endswith(_STOPS):
            parts.append((part, " ".join(after)))
            part, after = "", []
    part += text[end:]
    if part.strip() or after or not parts:
        parts.append((part, " ".join(after)))
    return parts
