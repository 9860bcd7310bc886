"""Characters that nobody sees: soft hyphens, marks of order and of direction, selectors of forms.

They are those of the property Default_Ignorable_Code_Point (Unicode Standard Annex 44,
"Unicode Character Database"); to a tokenizer each would begin another word. And control characters,
which a terminal may obey, apart from those that are blanks.
"""

import re

_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f"
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


def without_invisible(text: str) -> str:
    """The text without characters that are invisible by themselves."""
    return _INVISIBLE.sub("", text)
