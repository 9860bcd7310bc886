"""The probability that a translation is usable: a logistic regression on figures of the search.

``python -m benchmarks.confidence`` fits it on held-out sentences, where a translation counts as
usable if its chrF against the reference is at least ``USABLE_CHRF``.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from tokoban.systems.translation.clock_times import changes_a_time
from tokoban.systems.translation.number_words import DAYS, MONTHS
from tokoban.systems.translation.texts import Translation

USABLE_CHRF = 50.0  # of a sentence (Popović 2015, https://aclanthology.org/W15-3049)
DOUBTFUL_BELOW = 0.5  # a translation that is as likely unusable as not
_WITH_WRONG_NUMBER = 0.2  # at most
_NUMBER = r"[0-9]+(?:[.,: \u00a0\u202f'][0-9]+)*"
_THOUSANDS = "(?<=[0-9])[^0-9 ](?=[0-9]{3}(?![0-9]))"
_MIXED, _HALF = r"\b[0-9]+ [0-9]/[0-9]", re.compile("[Hh]al[bf]|[.,][0-9]")
_NAMED = dict(MONTHS + DAYS)
_NAMED |= {en: de for de, en in _NAMED.items() if en not in ("March", "May")}  # verbs too
_NAME = re.compile(rf"\b(?:{'|'.join(_NAMED)})\b")
# Of a price or a share: its sign beside a number, and the sign or its word in either language.
_SIGNS = {
    "€": re.compile("€|euro?", re.IGNORECASE),
    "$": re.compile(r"\$|dollar", re.IGNORECASE),
    "£": re.compile("£|pound|pfund", re.IGNORECASE),
    "%": re.compile("%|per ?cent|prozent", re.IGNORECASE),
}
_SIGN = re.compile(r"[€$£%](?= ?[0-9])|(?<=[0-9])[€$£%]|(?<=[0-9][ \u00a0])[€$£%]")
_DIGITS = "[0-9]{1,18}"  # int() refuses thousands of digits
_MOST_IN_WORDS = 12  # numbers up to this may become words, and hours of the afternoon


def features(best: Translation) -> list[float]:
    """What the regression sees of a translation, the best one of its sentence.

    The mean log-probability of a token, its end counted; the same of the source by the reranker's
    channel; tokens a word of the source, which rare words raise; the logarithm of the source's
    length; how much longer or shorter the translation is; and the share of its words that are
    different. The least probable token adds nothing. ``ValueError`` for a translation that was not
    reranked.
    """
    if best.channel_log_prob_nats is None:
        raise ValueError("the confidence is that of reranked translations")
    num_source, num_target = len(best.source_tokens) + 1, len(best.tokens) + 1
    words = best.text.lower().split()
    return [
        best.log_prob_nats / num_target,
        best.channel_log_prob_nats / num_source,
        len(best.source_tokens) / max(1, len(best.source.split())),
        math.log(num_source),
        abs(math.log(num_target / num_source)),
        len(set(words)) / max(1, len(words)),
    ]


def loses_a_number(source: str, text: str) -> bool:
    """Whether a number of the source above 12, or such a part of one, is not in the text.

    Dates, prices and addresses have numbers, and chrF hardly sees one that is wrong. Separators
    may differ; a number that is written out counts as lost. So do 1 1/2 that became 1/2, months
    and days of the week.
    """
    if any(mixed not in text for mixed in re.findall(_MIXED, source)) and not _HALF.search(text):
        return True
    # Surnames of this kind are copied.
    if any(name not in text and _NAMED[name] not in text for name in _NAME.findall(source)):
        return True
    found = re.findall(_NUMBER, text)
    whole = {*map(_parts, found)}
    rest = [number for number in re.findall(_NUMBER, source) if _parts(number) not in whole]
    there = _counted(found) | _counted(map(_parts, found))
    # Numbers may stand beside each other, so a space between thousands does not count here.
    wanted = _counted(re.sub(_THOUSANDS, "", number) for number in rest)
    return any(
        count > there[number]
        for number, count in wanted.items()
        if number > _MOST_IN_WORDS and not (number < 24 and there[number - _MOST_IN_WORDS])
    )


def loses_a_sign(source: str, text: str) -> bool:
    """Whether a number of the source has a currency or percent that the text does not mention."""
    return any(not _SIGNS[sign].search(text) for sign in _SIGN.findall(source))


def _counted(numbers: Iterable[str]) -> Counter[int]:
    return Counter(int(part) for number in numbers for part in re.findall(_DIGITS, number))


def _parts(number: str) -> str:
    """The parts of a number or a date, without what separates thousands."""
    return re.sub("[^0-9]+", " ", re.sub("(?<=[0-9])[^0-9]([0-9]{3})(?![0-9])", r"\1", number))


@dataclass(frozen=True)
class Confidence:
    """The regression of some weights, whose beam with their own length penalty is reranked."""

    intercept: float
    coefficients: tuple[float, ...]  # of ``features``

    def of(self, best: Translation) -> float:
        """The probability that the best translation is usable; of several sentences, the lowest.

        It is low where the translation loses a number or its sign, or changes a time of day.
        """
        if best.sentences:
            return min(map(self.of, best.sentences))
        pairs = zip(self.coefficients, features(best), strict=True)
        logit = self.intercept + sum(one * other for one, other in pairs)
        usable = 1 / (1 + math.exp(-max(-50.0, min(50.0, logit))))
        both = best.source, best.text
        is_wrong = any(each(*both) for each in (loses_a_number, changes_a_time, loses_a_sign))
        return min(usable, _WITH_WRONG_NUMBER) if is_wrong else usable
