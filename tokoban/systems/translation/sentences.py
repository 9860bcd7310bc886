"""Where a text is divided into the sentences that are translated one by one."""

import re

from tokoban.systems.translation.abbreviations import without_abbreviations
from tokoban.systems.translation.languages import BEGINNING, num_words_by_language
from tokoban.systems.translation.number_words import MONTHS

# Words before a stop that ends no sentence; so do single letters.
_ABBREVIATED = "Dr|Fr|incl|inkl|Lt|Maj|med|Mr|Mrs|Ms|Nr|Prof|sog|vgl|vs|[a-zäöüß]"
# What may end one before certain words; so may capitals, and a number of up to three digits, which
# is an ordinal in "am 3. Oktober".
_MAY_END = "Abb|Co|Corp|etc|Gen|Inc|Jr|Ltd|Sr|St|Std|Str|[A-ZÄÖÜ]"
_SAYING = "answered|asked|called|cried|replied|said|shouted|whispered|wondered|yelled"
_QUOTE = "[\"“”»«'\u2018\u2019]"


def _not_behind(words: str) -> str:
    """A lookbehind has one width, so each word has its own."""
    return "".join(rf"(?<!\b{word.replace('.', '[.]')}\. )" for word in words.split("|"))


# What stands before the gap, the gap included.
_CERTAIN = "|".join(
    [
        "(?<=[^ ][!?] )",
        rf"(?<=[\w!?)%€][.…]{_QUOTE} )",
        rf"(?<=[\w.!?][!?]{_QUOTE} )(?!\w+ (?:{_SAYING})\b)",
        rf"(?<=[a-zäöüß)\]€$£%²³]\. ){_not_behind(f'{_ABBREVIATED}|{_MAY_END}')}",
        rf"(?<={_QUOTE}\. )",
        r"(?<=[A-ZÄÖÜ]{2}\. )(?<![IVX]{2}\. )",
        r"(?<=[0-9]{4}\. )|(?<=:[0-9]{2}\. )|(?<=\.[2-5][0-9]\. )|(?<=\.00\. )",  # years, times
    ]
)
_POSSIBLE = "|".join(
    [
        rf"(?<=[0-9A-ZÄÖÜa-zäöüß]\. ){_not_behind(_ABBREVIATED)}",
        r"(?<=\b[ap]\.m\. )|(?<=… )|(?<=\.\. )|(?<=[\w!?][.!?]\) )",
    ]
)


def _between(certain: str) -> re.Pattern[str]:
    return re.compile(
        r" (?=[\"„“»«(\u2018\u201a]?[A-ZÄÖÜ])"
        rf"(?:{certain}|(?={BEGINNING})(?:{_POSSIBLE}))"
    )


BETWEEN_SENTENCES = _between(_CERTAIN)
# English ordinals have no stop, but dates that are read in words have one.
_BETWEEN_ENGLISH_ONES = _between(
    rf"{_CERTAIN}|(?<=[0-9]\. )(?!(?:{'|'.join(month for month, _ in MONTHS)})\b)"
)


def sentences_of(reading: str) -> list[str]:
    """The sentences of a text, each with its final stop; common abbreviations are written in full.

    The stops of "Dr. Weber" and "Salz usw. im Haus" end no sentence.
    """
    words = num_words_by_language(reading)
    is_english = words["en"] > words["de"]
    between = _BETWEEN_ENGLISH_ONES if is_english else BETWEEN_SENTENCES
    return between.split(without_abbreviations(reading))
