"""The times of the clock that a German or English text names, in words and in digits."""

import re

from tokoban.systems.translation.number_words import english_number, german_number

_DAY, _HALF_DAY = 24 * 60, 12 * 60  # minutes
_NUMBERS = {
    **{word(n): n for n in range(1, 60) for word in (german_number, english_number)},
    **{str(n): n for n in range(1, 60)},
    "ein": 1,
    "viertel": 15,
    "quarter": 15,
}
_WORD = "|".join(sorted(map(re.escape, _NUMBERS), key=len, reverse=True))
_A_NUMBER = re.compile(rf"\b(?:{_WORD})\b")
_HOUR = rf"(?<![\d.,:])\b(?P<hour>{_WORD})\b(?![.,:]\d)"
_MINUTES = rf"(?<![\d.,:])\b(?P<minutes>{_WORD})(?: minutes?| minuten)?"
# "Five to ten" may count things. It is a time behind one of these words and before ``_END``.
_AT = r"\b(?:at|is|it['\u2019]s|until|till|around|um|es|ist|bis|gegen|ab) "
_END = r"(?=\W*$|[^\w\s]| (?:o['\u2019]?clock|in the|at night|on|today|tomorrow|tonight|every)\b)"
_QUARTER = r"\b(?P<minutes>viertel|quarter)"
_SPOKEN = r"(?P<minutes>(?:twenty|thirty|forty|fifty)(?:-five)?|ten|fifteen)\b(?!-)"


def _phrases(at: str, end: str) -> tuple[tuple[str, int, int], ...]:
    """Each pattern, the minutes from the full hour to what it says, and the sign of ``minutes``.

    Numbers that may count things are a time only between ``at`` and ``end``.
    """
    return (
        (rf"{_MINUTES} nach halb {_HOUR}", -30, 1),
        (rf"{_MINUTES} vor halb {_HOUR}", -30, -1),
        (rf"\bhalb {_HOUR}", -30, 0),
        (rf"\bhalf[ -]past {_HOUR}", 30, 0),
        (rf"{at}half {_HOUR}{end}", 30, 0),
        (rf"\bdreiviertel {_HOUR}", -15, 0),
        (rf"{_QUARTER} (?:past|after|nach) {_HOUR}", 0, 1),
        (rf"{_QUARTER} (?:to|till|before|vor) {_HOUR}", 0, -1),
        (rf"{at}{_MINUTES} nach {_HOUR}", 0, 1),
        (rf"{at}{_MINUTES} vor {_HOUR}", 0, -1),
        (rf"{at}{_MINUTES} (?:past|after) {_HOUR}{end}", 0, 1),
        (rf"{at}{_MINUTES} (?:to|before) {_HOUR}{end}", 0, -1),
        (rf"{at}{_HOUR}[ -]{_SPOKEN}{end}", 0, 1),
        (rf"{_HOUR} uhr (?!ein\b){_MINUTES}\b", 0, 1),  # "since eight o'clock a hammer"
        (rf"{_HOUR} (?:o['\u2019]?clock|uhr)\b", 0, 0),
    )


_STRICT, _LENIENT = _phrases(_AT, _END), _phrases("", "")
_DIGITS = re.compile(
    r"(?<![\d.,:])(?P<hour>\d{1,2})(?:[:.](?P<minutes>[0-5]\d))?(?![\d:]|[.,]\d)"
    r"(?P<end> ?uhr\b| ?p\.?m\b\.?| ?a\.m\b\.?|am\b| am\b(?! [a-z]))?"  # not "4 am Ende"
)
_AFTERNOON = re.compile(r"\d ?p\.?m\b|afternoon|evening|night|nachmittag|abend|nacht|mittag|noon")
_NEVER = re.compile(
    r"(?<![\d.,:])(?:1[3-9]|2[0-4])(?:[.:][0-5]\d)?(?: ?p\.?m\b| ?a\.m\b|am\b| am\b(?! [a-z]))"
)
_TWELVE = re.compile("noon|midday|midnight|mittag|mitternacht")


def changes_a_time(source: str, text: str) -> bool:
    """Whether a time of the source is not in the text, as far as both are understood.

    A time in words may mean either half of the day. One in digits means its own half, unless the
    text has a word such as "evening". A full hour matches its number alone too ("um acht"). What is
    no time, such as "17 a.m.", matches nothing.
    """
    text = _NEVER.sub("", text.lower())
    there = [time for time, _ in _times(text, is_lenient=True)]
    if _TWELVE.search(text):
        there.append({0, _HALF_DAY})
    numbers = {_NUMBERS.get(word) for word in re.findall(r"\w+", text)}
    return any(
        not any(time & other for other in there) and not hours & numbers
        for time, hours in _times(source)
    )


def _times(text: str, *, is_lenient: bool = False) -> list[tuple[set[int], set[int]]]:
    """For each time, the minutes of the day that it may mean, and the numbers of a full hour.

    If lenient, also what may be a price ("7.30") or count things ("five to ten").
    """
    text = text.lower()
    found: list[tuple[set[int], set[int]]] = []
    patterns = _LENIENT if is_lenient else _STRICT
    # Most texts name no number, and to compile the patterns takes longer than to translate one.
    for pattern, offset, sign in patterns if _A_NUMBER.search(text) else ():
        for match in re.finditer(pattern, text):
            hour, minutes = _NUMBERS[match["hour"]], _NUMBERS[match["minutes"]] if sign else 0
            if hour <= 24 and minutes < 60:
                after = 60 * hour + offset + sign * minutes
                is_full = offset == sign == 0
                times = {after % _DAY, (after + _HALF_DAY) % _DAY}
                found.append((times, {hour % 12, hour % 12 + 12} if is_full else set()))
        text = re.sub(pattern, " ", text)
    is_open = _AFTERNOON.search(text) is not None
    for match in _DIGITS.finditer(text):
        hour, past = int(match["hour"]), int(match["minutes"] or 0)
        if hour > 24 or not (match["end"] or ":" in match[0] or (is_lenient and match["minutes"])):
            continue
        half = (match["end"] or " ").lstrip()[:1]
        is_sure = half in ("a", "p")
        time = (60 * (hour % 12 + 12 * (half == "p") if is_sure else hour) + past) % _DAY
        times = {time} if is_sure or not is_open else {time, (time + _HALF_DAY) % _DAY}
        hours = {hour} if half == "a" else {hour % 12, hour % 12 + 12}
        found.append((times, set() if past else hours))
    return found
