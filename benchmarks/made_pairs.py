"""Sentence pairs that teach translators names, numbers, times of day and letters.

A quarter of Tatoeba's sentences are about Tom, and of its 361 times in digits 224 are 2:30. Here
names, numbers and times that a pair of it has on both sides are replaced by others, alike. The gaps
of ``frames.tsv`` are filled, ``formulas.tsv`` has what letters and messages always say, and
``written_pairs`` has sentences that language models wrote for this: of daily life, and with words
that other text hardly has.
Names are partly real and partly invented, since the translator is to copy them.
"""

import re
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from random import Random

from tokoban.systems.translation.number_words import (
    DAYS,
    LANGUAGES,
    MONTHS,
    english_number,
    english_ordinal,
    german_before,
    german_number,
    german_ordinal,
)
from tokoban.systems.translation.pairs import Pair

FORMULAS = Path(__file__).with_name("formulas.tsv")
FRAMES = Path(__file__).with_name("frames.tsv")
NAMES = Path(__file__).with_name("names.tsv")
WRITTEN = Path(__file__).with_name("written_pairs")
TOPICS = tuple(sorted(path.stem for path in WRITTEN.glob("*.tsv")))
_MOST_DRAWS = 20  # for each pair, where few can be made

# fmt: off
_DAYTIMES = (
    ("morgen", "morning"), ("vormittag", "morning"), ("nachmittag", "afternoon"),
    ("abend", "evening"),
)
# fmt: on


def substituted(pairs: Iterable[Pair], number: int, *, seed: int) -> list[Pair]:
    """Up to ``number`` pairs, German first, in which what can be replaced is; no two are alike."""
    random = Random(f"substituted {seed}")
    drawn = [pair for pair in pairs if any(change(pair, random) for change in _CHANGES)]
    found: dict[Pair, None] = {}
    for _ in range(_MOST_DRAWS * number if drawn else 0):
        if len(found) == number:
            break
        pair = random.choice(drawn)
        for change in _CHANGES:
            pair = change(pair, random) or pair
        found[pair] = None
    return list(found)


def framed(number: int, *, seed: int) -> list[Pair]:
    """``number`` different pairs, German first, from the frames."""
    random, found = Random(f"framed {seed}"), dict[Pair, None]()
    frames = _lines(FRAMES)
    while len(found) < number:
        found[_filled(random.choice(frames), random)] = None
    return list(found)


def formulas() -> list[Pair]:
    """Fixed sentences of letters and messages, as people write them too."""
    return [variant for line in _lines(FORMULAS) for variant in _variants(line)]


def written(topic: str) -> list[Pair]:
    """Sentences on one of ``TOPICS`` that a language model wrote, German first."""
    return _lines(WRITTEN / f"{topic}.tsv")


def _variants(pair: Pair) -> list[Pair]:
    """With a small first letter, as behind a salutation, and with another mark at the end."""
    german, english = pair
    bare, mark = english.rstrip(".!,"), german[-1]
    ends = [(german, english)]
    if mark in ".!,":
        ends.append((german[:-1], bare))
    if mark in ".!":
        other = "!" if mark == "." else "."
        ends.append((german[:-1] + other, bare + other))
    elif mark.isalpha():  # a closing
        ends += [(f"{german},", f"{bare},"), (german, bare)]
    keeps_capital = german.startswith(("Ihr", "Sie", "Entschuldigung"))
    starts = (german[0],) if keeps_capital else (german[0], german[0].lower())
    return [Pair(start + text[1:], other) for text, other in ends for start in starts]


def _lines(path: Path) -> list[Pair]:
    return [Pair(*line.split("\t")) for line in path.read_text(encoding="utf-8").splitlines()]


def _filled(frame: Pair, random: Random) -> Pair:
    german, english = frame
    for gap in dict.fromkeys(re.findall(r"\{(\w+)\}", german)):
        one, other = _GAPS[gap.rstrip("2")](random)
        german = german.replace(f"{{{gap}}}", one)
        english = english.replace(f"{{{gap.removesuffix('_dative')}}}", other)
    return Pair(_begun(german), _begun(english))


def _begun(text: str) -> str:
    """With a capital and one full stop at the end: not "at 9 p.m..", nor "by Weber & Co.."."""
    return text[:1].upper() + re.sub(r"\.\.$", ".", text[1:])


# -- names


_PARTS = {
    kind: parts.split()
    for kind, parts in (line.split("\t") for line in NAMES.read_text(encoding="utf-8").splitlines())
}


def _invented(random: Random) -> str:
    onsets, vowels, codas = (_PARTS[kind] for kind in ("onset", "vowel", "coda"))
    parts = [random.choice(onsets) + random.choice(vowels) for _ in range(random.randint(2, 3))]
    return ("".join(parts) + random.choice([*codas, "", "a", "o"])).capitalize()


def _name(kind: str) -> Callable[[Random], Pair]:
    def drawn(random: Random) -> Pair:
        name = random.choice(_PARTS[kind]) if random.random() < 0.7 else _invented(random)
        return Pair(name, name)

    return drawn


_male, _female, _surname, _city, _street_name, _company = map(
    _name, ("male", "female", "surname", "city", "street", "company")
)


def _first(random: Random) -> Pair:
    return random.choice((_male, _female))(random)


def _full(random: Random) -> Pair:
    name = f"{_first(random).source} {_surname(random).source}"
    return Pair(name, name)


def _firm(random: Random) -> Pair:
    ending = random.choice((" GmbH", " AG", " & Co.", "", ""))
    name = random.choice((_surname, _company))(random).source + ending
    return Pair(name, name)


def _street(random: Random) -> Pair:
    """With or without a number."""
    name = _street_name(random).source
    if random.random() < 0.5:
        name = f"{name} {random.randint(1, 190)}"
    return Pair(name, name)


_LANES = [name for name in _PARTS["street"] if name.endswith(("straße", "gasse", "allee"))]


def _lane(random: Random) -> Pair:
    """A street of feminine gender."""
    name = random.choice(_LANES)
    return Pair(name, name)


def _title(random: Random, *, is_dative: bool = False) -> Pair:
    surname = _surname(random).source
    german, english = random.choice((("Herr", "Mr."), ("Frau", "Ms."), ("Frau", "Mrs.")))
    if is_dative and german == "Herr":
        german = "Herrn"
    if random.random() < 0.2:
        return Pair(f"{german} Dr. {surname}", f"Dr. {surname}")
    return Pair(f"{german} {surname}", f"{english} {surname}")


_KNOWN_NAMES = (("Tom", "Tom", _male), ("Maria", "Mary", _female), ("Boston", "Boston", _city))


def _renamed(pair: Pair, random: Random) -> Pair | None:
    """Another name wherever Tom, Mary or Boston stand on both sides, without a surname."""
    german, english = pair
    is_changed = False
    for old, other, draw in _KNOWN_NAMES:
        if re.search(rf"\b{other} [A-Z]", english) and draw is not _city:
            continue  # a surname, which Tatoeba's translators change
        if not (re.search(rf"\b{old}s?\b", german) and re.search(rf"\b{other}\b", english)):
            continue
        name = draw(random).source
        if draw is not _city and random.random() < 0.2:
            name = f"{name} {_surname(random).source}"
        genitive = f"{name}'" if name[-1] in "sxzß" else f"{name}s"
        german = re.sub(rf"\b{old}s\b", genitive, german)
        german = re.sub(rf"\b{old}\b", name, german)
        english = re.sub(rf"\b{other}\b", name, english)
        is_changed = True
    return Pair(german, english) if is_changed else None


# -- numbers


@cache
def _words(language: str) -> dict[str, int]:
    numbers = (*range(2, 1000), *range(1000, 100_000, 1000))
    word = german_number if language == "de" else english_number
    return {word(number): number for number in numbers}


@cache
def _pattern(language: str) -> re.Pattern[str]:
    words = "|".join(sorted(map(re.escape, _words(language)), key=len, reverse=True))
    digits = r"\d+(?![.,:]?\d|\.\s+[A-Z]|[$€])"
    # Not in "an eight-year-old", nor in "MP3" and "twenty-first".
    alone = r"(?<!\ba )(?<!\ban )(?<![\w.,:$€-])"
    return re.compile(rf"{alone}(?:{words}|{digits})(?![\w-])", re.IGNORECASE)


def _renumbered(pair: Pair, random: Random) -> Pair | None:
    """Another number above 1 where both sides have the same one, and no other."""
    found = [
        _pattern(language).findall(side) for language, side in zip(LANGUAGES, pair, strict=True)
    ]
    if [len(numbers) for numbers in found] != [1, 1]:
        return None
    old = [_value(numbers[0], language) for language, numbers in zip(LANGUAGES, found, strict=True)]
    if old[0] != old[1] or old[0] < 2:
        return None
    number = _like(old[0], random)
    sides = []
    for language, side, [text] in zip(LANGUAGES, pair, found, strict=True):
        word = german_number if language == "de" else english_number
        new = str(number) if text.isdigit() else word(number)
        new = new.capitalize() if text[0].isupper() else new
        sides.append(_pattern(language).sub(new, side))
    return Pair(*sides)


def _value(text: str, language: str) -> int:
    return int(text) if text.isdigit() else _words(language)[text.lower()]


def _like(number: int, random: Random) -> int:
    """A number of as many digits; a year for a year, and round for what is round.

    Numbers up to 12 stand for each other, since they may be hours.
    """
    if number <= 12:
        return random.randint(2, 12)
    if 1800 <= number <= 2030:
        return random.randint(1900, 2030)
    digits = len(str(number))
    least = max(13, 10 ** (digits - 1))
    step = 10 ** (digits - 1) if number >= 100 and number % 10 ** (digits - 1) == 0 else 1
    return random.randrange(least, 10**digits, step)


def _number(random: Random) -> Pair:
    kind = random.random()
    if kind < 0.45:
        number = random.choice((random.randint(13, 99), random.randint(100, 999)))
        return Pair(f"{number}", f"{number}")
    if kind < 0.7:
        number = random.choice((random.randint(2, 99), random.randint(100, 999)))
        return Pair(german_number(number), english_number(number))
    if kind < 0.9:
        number = random.choice((random.randint(1000, 9999), random.randint(10_000, 999_999)))
        return Pair(f"{number:,}".replace(",", "."), f"{number:,}")
    million = random.randint(2, 90)
    if random.random() < 0.5:
        return Pair(f"{million} Millionen", f"{million} million")
    tenth = random.randint(1, 9)
    return Pair(f"{million},{tenth} Millionen", f"{million}.{tenth} million")


def _some(random: Random) -> Pair:
    """A number of things, or of a room."""
    number = random.choice((random.randint(2, 99), random.randint(100, 999)))
    return _written(number, random, share_of_words=0.3)


def _count(random: Random) -> Pair:
    number = random.choice((random.randint(2, 12), random.randint(2, 60)))
    return _written(number, random, share_of_words=0.6)


def _two(random: Random) -> Pair:
    """A number of two digits."""
    return _written(random.randint(13, 99), random, share_of_words=0.5)


def _written(number: int, random: Random, *, share_of_words: float) -> Pair:
    if random.random() < share_of_words:
        return Pair(german_number(number), english_number(number))
    return Pair(f"{number}", f"{number}")


def _long(random: Random) -> Pair:
    parts = [f"{random.randrange(10**size):0{size}}" for size in random.choices((2, 3, 4, 5), k=2)]
    number = random.choice(("", " ", "-", "/")).join(parts)
    return Pair(number, number)


def _year(random: Random) -> Pair:
    year = f"{random.randint(1900, 2024)}"
    return Pair(year, year)


def _price(random: Random) -> Pair:
    whole, cents = random.choice((random.randint(2, 99), random.randint(100, 4999))), ""
    if whole < 1000 and random.random() < 0.5:
        cents = f"{random.randint(1, 19) * 5:02}"
    german = f"{whole:,}".replace(",", ".") + (f",{cents}" if cents else "")
    english = f"{whole:,}" + (f".{cents}" if cents else "")
    kind = random.random()
    if kind < 0.5:
        return Pair(f"{german} Euro", f"{english} euros")
    if kind < 0.7:
        return Pair(f"{german} €", f"€{english}")
    if kind < 0.85 or cents:
        return Pair(f"{german} Dollar", random.choice((f"${english}", f"{english} dollars")))
    return Pair(f"{german_before(whole)} Euro", f"{english_number(whole)} euros")


def _percent(random: Random) -> Pair:
    whole, tenth = random.randint(2, 99), random.randint(1, 9)
    if random.random() < 0.25:
        return Pair(f"{whole},{tenth} Prozent", f"{whole}.{tenth} percent")
    number = f"{whole}"
    kinds = (
        (f"{number} Prozent", f"{number} percent"),
        (f"{number} %", f"{number}%"),
        (f"{german_number(whole)} Prozent", f"{english_number(whole)} percent"),
    )
    return Pair(*random.choice(kinds))


def _ordinal(random: Random) -> Pair:
    number = random.randint(2, 40)
    if random.random() < 0.5:
        ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10 if number // 10 != 1 else 0, "th")
        return Pair(f"{number}.", f"{number}{ending}")
    return Pair(f"{german_ordinal(number)}en", english_ordinal(number))


def _times(random: Random) -> Pair:
    number = random.choice((2, 2, 3, 3, 4, 5, 6, 7, 10, 20))
    english = "twice" if number == 2 else f"{english_number(number)} times"
    return Pair(f"{german_number(number)}mal", english)


# -- days and times


def _weekday(random: Random) -> Pair:
    return Pair(*random.choice(DAYS))


def _day(random: Random) -> Pair:
    """A day with its preposition."""
    kind = random.random()
    german, english = random.choice(DAYS)
    if kind < 0.35:
        return Pair(f"am {german}", f"on {english}")
    if kind < 0.5:
        part, other = random.choice(_DAYTIMES)
        return Pair(f"am {german}{part}", f"on {english} {other}")
    if kind < 0.6:
        date = _plain_date(random)
        return Pair(f"am {german}, dem {date.source}", f"on {english}, {date.target}")
    if kind < 0.75:
        return Pair(
            *random.choice(
                (("morgen", "tomorrow"), ("übermorgen", "the day after tomorrow"),
                 ("heute", "today"), ("morgen früh", "tomorrow morning"),
                 ("morgen Abend", "tomorrow evening"), ("heute Nachmittag", "this afternoon"))
            )
        )  # fmt: skip
    return _date(random)


def _past_day(random: Random) -> Pair:
    if random.random() < 0.5:
        return _birthday(random)
    return Pair(
        *random.choice(
            (("gestern", "yesterday"), ("vorgestern", "the day before yesterday"),
             ("gestern Abend", "last night"), ("letzte Woche", "last week"),
             ("letzten Montag", "last Monday"), ("letzten Freitag", "last Friday"))
        )
    )  # fmt: skip


def _birthday(random: Random) -> Pair:
    """A day long ago, with its preposition."""
    date, year = _short_date(random), random.randint(1940, 2024)
    comma = "," if date.target[-1].isdigit() else ""
    return Pair(f"am {date.source} {year}", f"on {date.target}{comma} {year}")


def _date(random: Random) -> Pair:
    date = _plain_date(random)
    return Pair(f"am {date.source}", f"on {date.target}")


def _plain_date(random: Random) -> Pair:
    date = _short_date(random)
    if random.random() < 0.7:
        return date
    year, comma = random.randint(2020, 2035), "," if date.target[-1].isdigit() else ""
    return Pair(f"{date.source} {year}", f"{date.target}{comma} {year}")


def _short_date(random: Random) -> Pair:
    day, (german, english) = random.randint(1, 28), random.choice(MONTHS)
    number = f"{german_ordinal(day)}en" if random.random() < 0.2 else f"{day}."
    there = f"{english} {day}" if random.random() < 0.6 else f"{day} {english}"
    return Pair(f"{number} {german}", there)


def _time(random: Random) -> Pair:
    hour, minute = random.randint(1, 12), random.choice((0, 0, 15, 30, 30, 45, *range(5, 60, 5)))
    following = hour % 12 + 1
    if random.random() < 0.5:
        return _spoken(hour, following, minute, random)
    if random.random() < 0.5:
        minute = random.randrange(60)
    is_afternoon = random.random() < 0.6
    of_day = hour % 12 + 12 * is_afternoon
    half = random.choice(("p.m.", "p.m.", "pm") if is_afternoon else ("a.m.", "a.m.", "am"))
    if minute == 0 and random.random() < 0.7:
        if not is_afternoon and of_day and random.random() < 0.4:
            return Pair(f"{of_day} Uhr", f"{hour} o'clock")
        return Pair(f"{of_day} Uhr", f"{hour} {half}")
    point = ":" if random.random() < 0.8 else "."
    german = f"{of_day}{point}{minute:02} Uhr"
    if not is_afternoon and of_day and random.random() < 0.4:
        return Pair(german, f"{of_day}:{minute:02}")
    return Pair(german, f"{hour}:{minute:02} {half}")


def _spoken(hour: int, following: int, minute: int, random: Random) -> Pair:
    german_hour = german_before(hour)
    if minute == 0:
        kinds = [(f"{german_hour} Uhr", f"{english_number(hour)} o'clock")]
        if 1 <= hour <= 5:
            kinds.append(
                (f"{german_hour} Uhr nachmittags", f"{english_number(hour)} in the afternoon")
            )
        if 6 <= hour <= 10:
            kinds.append((f"{german_hour} Uhr abends", f"{english_number(hour)} in the evening"))
            kinds.append((f"{german_hour} Uhr morgens", f"{english_number(hour)} in the morning"))
        return Pair(*random.choice(kinds))
    if minute == 30:
        here = f"halb {german_number(following)}"
        there = random.choice((f"half past {english_number(hour)}",) * 3 + (f"{hour}:30",))
        return Pair(here, there)
    if random.random() < 0.15:
        return Pair(
            f"{german_hour} Uhr {german_number(minute)}",
            f"{hour}:{minute:02}" if minute < 10 else
            f"{english_number(hour)} {english_number(minute)}",
        )  # fmt: skip
    is_past = minute < 30
    distance = minute if is_past else 60 - minute
    full = hour if is_past else following
    if distance == 15:
        german, english = "Viertel", random.choice(("a quarter", "a quarter", "quarter"))
    else:
        german, english = german_number(distance), english_number(distance)
    return Pair(
        f"{german} {'nach' if is_past else 'vor'} {german_number(full)}",
        f"{english} {'past' if is_past else 'to'} {english_number(full)}",
    )


_GERMAN_TIME = re.compile(r"\bhalb drei\b|\b2[.:]30 Uhr\b")
_ENGLISH_TIME = re.compile(r"\b2:30\b(?! ?[ap]\.?m)|\bhalf past two\b")


def _retimed(pair: Pair, random: Random) -> Pair | None:
    """Another time where both sides say half past two, as most times of Tatoeba do."""
    found = _GERMAN_TIME.findall(pair.source), _ENGLISH_TIME.findall(pair.target)
    if [len(times) for times in found] != [1, 1]:
        return None
    [[here], [there]] = found
    hour, minute = random.randint(1, 12), random.choice((0, 5, 10, 15, 20, 25, 30, 40, 45, 50, 55))
    following = hour % 12 + 1
    if "halb" in here:
        new = (f"halb {german_number(following)}", f"{hour}:30")
        if "half" in there:
            new = new[0], f"half past {english_number(hour)}"
    elif "half" in there:
        new = (f"{hour}:30 Uhr", f"half past {english_number(hour)}")
    elif minute == 0:
        new = random.choice(((f"{hour} Uhr", f"{hour} o'clock"), (f"{hour} Uhr", f"{hour}:00")))
    else:
        new = (f"{hour}{here[1]}{minute:02} Uhr", f"{hour}:{minute:02}")
        if random.random() < 0.4 and re.search(rf"\b(?:at|until|around|by) {there}", pair.target):
            new = _spoken(hour, following, minute, random)
    return Pair(_begun(pair.source.replace(here, new[0])), pair.target.replace(there, new[1]))


_CHANGES = (_renamed, _renumbered, _retimed)
_GAPS: dict[str, Callable[[Random], Pair]] = {
    "name": _first, "male": _male, "female": _female, "surname": _surname, "full": _full,
    "firm": _firm, "company": _company, "city": _city, "street": _street, "lane": _lane,
    "title": _title,
    "title_dative": lambda random: _title(random, is_dative=True),
    "number": _number, "some": _some, "count": _count, "two": _two, "long": _long, "year": _year,
    "price": _price, "percent": _percent, "ordinal": _ordinal, "times": _times,
    "weekday": _weekday, "day": _day, "past_day": _past_day, "birthday": _birthday, "date": _date,
    "plain_date": _plain_date, "short_date": _short_date, "time": _time,
}  # fmt: skip
