"""Words as a translator has read them: in capitals, in small letters or with "ue" typed in haste.

A word gets the form of the fewest and then the most frequent tokens of the vocabulary.
"""

import re
from collections.abc import Sequence
from itertools import groupby

from tokoban.systems.translation.languages import num_words_by_language
from tokoban.systems.translation.spelling import WORD
from tokoban.text.bpe import Tokenizer

_UMLAUTS = {"ae": "ä", "oe": "ö", "ue": "ü", "Ae": "Ä", "Oe": "Ö", "Ue": "Ü"}
_TWO_LETTERS = re.compile(rf"(?<![aeqAEQ])(?:{'|'.join(_UMLAUTS)})")
_NOUN = re.compile(
    r"\b(?i:d(?:er|ie|as|e[mns])|[dkms]?eine?[mnrs]?|(?:ihr|unser)e?[mnrs]?|[ai]m|zu[mr]|beim|vom|ins"
    r"|für|mit) [A-ZÄÖÜ]"
)
_FIRST = re.compile(r"(?:^|[.!?] )[^\w\s]*[a-zäöü](?![\w-]*[.@/:]\S)")
_LONE_WORD = re.compile(r"[A-ZÄÖÜ][a-zäöüß]+(?=[.!?:]?$)")


def known_forms(tokenizer: Tokenizer, text: str) -> str:
    """The text without needless capitals, then with missing umlauts, then with missing capitals."""
    return with_capitals(tokenizer, with_umlauts(tokenizer, without_capitals(tokenizer, text)))


def _costs(tokenizer: Tokenizer, forms: Sequence[str]) -> list[tuple[int, int]]:
    # Merges are numbered as they were learned, the most frequent first.
    return [(len(tokens), max(tokens, default=0)) for tokens in tokenizer.encode_many(forms)]


def _best(tokenizer: Tokenizer, forms: Sequence[str]) -> str:
    costs = _costs(tokenizer, forms)
    return forms[costs.index(min(costs))]


def known_word(tokenizer: Tokenizer, text: str) -> str:
    """A word alone without its capital if it is one token only then: "Lunch" is "lunch"."""
    if not (word := _LONE_WORD.match(text)):
        return text
    (num_tokens, _), (num_small, _) = _costs(tokenizer, [word[0], word[0].lower()])
    return text.lower() if num_small == 1 < num_tokens else text


def without_capitals(tokenizer: Tokenizer, text: str) -> str:
    """The text with each run of words in capitals as the vocabulary has it, if that is far shorter.

    That is less than half its tokens: "I LOVE YOU" is "I love you", "DNA" stays. A sentence begins
    with a capital.
    """
    found: list[str] = []
    for is_in_capitals, words in groupby(text.split(" "), _is_in_capitals):
        run = list(words)
        if is_in_capitals:
            forms = _known_forms(tokenizer, run, after=found[-1:])
            before, after = (len(tokenizer.encode(" ".join(each))) for each in (run, forms))
            num_marks = sum(not char.isalnum() for word in run for char in word)
            if 2 * (after - num_marks) < before - num_marks:
                run = forms
        found += run
    return " ".join(found)


def _is_in_capitals(word: str) -> bool:
    return word.replace("ß", "").isupper() and word.strip("\"“”„»«'.,:;!?()") != "OK"


def _known_forms(tokenizer: Tokenizer, words: list[str], *, after: list[str]) -> list[str]:
    """Of each word the form that the vocabulary knows best; ``after`` is the word before, if any"""
    found = list(after)
    for word in words:
        forms = [word.capitalize(), word]
        if found and not found[-1].endswith((".", "!", "?")):
            forms.insert(0, word.lower())
        forms += [form.replace("ss", "ß") for form in forms if "ss" in form]
        found.append(_best(tokenizer, forms))
    return found[len(after) :]


def with_umlauts(tokenizer: Tokenizer, text: str) -> str:
    """A German text that has none with those that make its words fewer tokens of the vocabulary.

    "fuer Gruesse" is "für Grüße"; "neue Poesie" stays.
    """
    words = num_words_by_language(text)
    has_some = re.search("[äöüßÄÖÜ]", text) is not None
    if has_some or words["en"] > words["de"] or not _TWO_LETTERS.search(text):
        return text

    def known(found: re.Match[str]) -> str:
        form = _TWO_LETTERS.sub(lambda two: _UMLAUTS[two[0]], found[0])
        forms = [found[0], form, form.replace("ss", "ß") if form != found[0] else form]
        return _best(tokenizer, forms)

    found = WORD.sub(known, text)
    before, after = map(len, tokenizer.encode_many([text, found]))
    return found if after < before else text


def with_capitals(tokenizer: Tokenizer, text: str) -> str:
    """A text of three words or more and no capital with those that the vocabulary knows best.

    "was kostet die zugfahrt?" is "Was kostet die Zugfahrt?". Common words such as "sie" stay small.
    A German text may have its first capital, if the others make fewer tokens, and a noun.
    """
    rest = re.sub(r"(?<=.)\bI\b", "i", text)
    if text.count(" ") < 2 or rest[1:] != rest[1:].lower():
        return text
    words = num_words_by_language(text)
    is_german, factor = words["de"] > words["en"], 4 if words["en"] > words["de"] else 1

    def known(found: re.Match[str]) -> str:
        forms = [found[0], found[0][0].upper() + found[0][1:]]
        small, (length, latest) = _costs(tokenizer, forms)
        is_better = (length, factor * latest) < small
        return forms[is_better and not any(num_words_by_language(found[0]).values())]

    found = _FIRST.sub(lambda first: first[0].upper(), WORD.sub(known, text))
    before, after = map(len, tokenizer.encode_many([text, found]))
    if rest == rest.lower():  # a vocabulary may have small letters alone
        first = tokenizer.encode("".join(re.findall(r"^\w+", found)))
        return found if after < before or len(first) == 1 else text
    return found if is_german and after < before and _NOUN.search(found) else text
