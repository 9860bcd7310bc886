"""Common words that only German or only English has, by which texts of both are told apart."""

import re

_WORDS = {
    "de": (
        "aber als auch auf aus bei bin bist bitte das dass dein dem den der des du ein eine einen "
        "er es für haben habe hast heute ich ihr im ist kann kein keine mein mich mir mit nach "
        "nicht noch oder schon sich sie sind uhr um und uns vom von warum wenn wer wie wir wird wo "
        "zu zum zur über"
    ),
    "en": (
        "about and are at been but can could did do does for from had has have he her his how "
        "if is it its my not of on our please she should that the their there they this to us we "
        "were what when where which who why with would you your"
    ),
}
_LANGUAGE_OF = {word: language for language, words in _WORDS.items() for word in words.split()}
# A word that has a capital at the beginning of a sentence alone, or nearly so.
BEGINNING = (
    rf"(?:{'|'.join(word.capitalize() for word in _LANGUAGE_OF)}|A|All|Am|Die|I|In|No|So)"
    r"(?=[ ,!?'\u2019])"
)


def num_words_by_language(text: str) -> dict[str, int]:
    """How many words of the text are common ones of "de" and of "en"."""
    found = [_LANGUAGE_OF.get(word) for word in re.findall(r"[^\W\d_]+", text.lower())]
    return {language: found.count(language) for language in _WORDS}
