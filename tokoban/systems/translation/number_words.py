"""A task that needs no download: German and English numbers, dates, times and prices in words.

Small, and not trivial: German says the ones before the tens (einundzwanzig), half an hour before
the full one (halb vier is half past three), puts the time before the place of the object and a
participle at the end. Each sentence has exactly one translation, both ways.
"""

import zlib
from random import Random
from typing import Literal, NamedTuple, get_args

LANGUAGES = ("de", "en")

Part = Literal["train", "validation", "test"]

# fmt: off
_GERMAN_BELOW_20 = (
    "null", "eins", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn",
    "elf", "zwölf", "dreizehn", "vierzehn", "fünfzehn", "sechzehn", "siebzehn", "achtzehn",
    "neunzehn",
)
_GERMAN_TENS = (
    "zwanzig", "dreißig", "vierzig", "fünfzig", "sechzig", "siebzig", "achtzig", "neunzig",
)
_ENGLISH_BELOW_20 = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen",
    "nineteen",
)
_ENGLISH_TENS = (
    "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety",
)
_ENGLISH_ORDINALS = {
    "one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth",
    "nine": "ninth", "twelve": "twelfth", "twenty": "twentieth", "thirty": "thirtieth",
}
MONTHS = (
    ("Januar", "January"), ("Februar", "February"), ("März", "March"), ("April", "April"),
    ("Mai", "May"), ("Juni", "June"), ("Juli", "July"), ("August", "August"),
    ("September", "September"), ("Oktober", "October"), ("November", "November"),
    ("Dezember", "December"),
)
DAYS = (
    ("Montag", "Monday"), ("Dienstag", "Tuesday"), ("Mittwoch", "Wednesday"),
    ("Donnerstag", "Thursday"), ("Freitag", "Friday"), ("Samstag", "Saturday"),
    ("Sonntag", "Sunday"),
)
_DAYS_OF_MONTHS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
# One of them in the accusative, several, and both in English.
_THINGS = (
    ("einen Apfel", "Äpfel", "apple", "apples"), ("eine Birne", "Birnen", "pear", "pears"),
    ("ein Ei", "Eier", "egg", "eggs"), ("ein Brot", "Brote", "loaf", "loaves"),
    ("einen Stuhl", "Stühle", "chair", "chairs"), ("eine Tasse", "Tassen", "cup", "cups"),
    ("ein Buch", "Bücher", "book", "books"), ("einen Hut", "Hüte", "hat", "hats"),
)
_NAMES = ("Anna", "Emil", "Ida", "Karl", "Lena", "Paul")
# fmt: on


class Pair(NamedTuple):
    """The same in both languages; the names of the fields are those of ``LANGUAGES``."""

    de: str
    en: str


def examples(num_examples: int, *, seed: int, part: Part = "train") -> list[Pair]:
    """``num_examples`` different pairs; no two parts share one, whatever their seeds."""
    random = Random(f"{part} {seed}")
    found: dict[Pair, None] = {}
    while len(found) < num_examples:
        pair = random.choice(_KINDS)(random)
        if _part_of(pair) == part:
            found[pair] = None
    return list(found)


def german_number(number: int) -> str:
    """0 to 999,999 in German words, as one word."""
    if number < 20:
        return _GERMAN_BELOW_20[number]
    if number < 100:
        tens, ones = divmod(number, 10)
        start = f"{german_before(ones)}und" if ones else ""
        return start + _GERMAN_TENS[tens - 2]
    size, word = (1000, "tausend") if number >= 1000 else (100, "hundert")
    many, rest = divmod(number, size)
    return german_before(many) + word + (german_number(rest) if rest else "")


def english_number(number: int) -> str:
    """0 to 999,999 in English words, with the British "and"."""
    if number < 20:
        return _ENGLISH_BELOW_20[number]
    if number < 100:
        tens, ones = divmod(number, 10)
        end = f"-{_ENGLISH_BELOW_20[ones]}" if ones else ""
        return _ENGLISH_TENS[tens - 2] + end
    size, word = (1000, "thousand") if number >= 1000 else (100, "hundred")
    many, rest = divmod(number, size)
    link = " and " if 0 < rest < 100 else " "
    end = link + english_number(rest) if rest else ""
    return f"{english_number(many)} {word}{end}"


def german_before(number: int) -> str:
    """In front of a noun or of another part of a number: ein, not eins, at its end."""
    word = german_number(number)
    return word.removesuffix("s") if word.endswith("eins") else word


def german_ordinal(day: int) -> str:
    """Without its ending: dritt, siebt, zwanzigst."""
    irregular = {1: "erst", 3: "dritt", 7: "siebt", 8: "acht"}
    return irregular.get(day) or german_number(day) + ("t" if day < 20 else "st")


def english_ordinal(day: int) -> str:
    """In words: third, twenty-first."""
    *tens, last = english_number(day).split("-")
    return "-".join([*tens, _ENGLISH_ORDINALS.get(last, f"{last}th")])


def _part_of(pair: Pair) -> Part:
    """Of ten pairs, one is for validation and one for the test, by the words of the pair alone."""
    place = zlib.crc32(pair.de.encode()) % 10
    return get_args(Part)[place + 1] if place < 2 else "train"


def _some_number(random: Random, most_digits: int) -> int:
    return random.randrange(10 ** random.randint(1, most_digits))


def _some_day(random: Random) -> Pair:
    """The German one is in the dative, as after "am"."""
    month = random.randrange(12)
    day = random.randint(1, _DAYS_OF_MONTHS[month])
    german, english = MONTHS[month]
    return Pair(f"{german_ordinal(day)}en {german}", f"the {english_ordinal(day)} of {english}")


def _some_time(random: Random) -> Pair:
    """A time of the clock, as after "um" and "at"."""
    hour, minutes = random.randint(1, 12), random.randrange(0, 60, 5)
    following = hour % 12 + 1
    if minutes == 0:
        return Pair(f"{german_before(hour)} Uhr", f"{english_number(hour)} o'clock")
    if minutes == 30:
        return Pair(f"halb {german_number(following)}", f"half past {english_number(hour)}")
    is_past = minutes < 30
    distance = minutes if is_past else 60 - minutes
    german = "Viertel" if distance == 15 else german_number(distance)
    english = "a quarter" if distance == 15 else english_number(distance)
    full = hour if is_past else following
    return Pair(
        f"{german} {'nach' if is_past else 'vor'} {german_number(full)}",
        f"{english} {'past' if is_past else 'to'} {english_number(full)}",
    )


def _some_things(random: Random) -> Pair:
    number = 1 + _some_number(random, 3)
    german_one, german, english_one, english = random.choice(_THINGS)
    if number == 1:
        return Pair(german_one, f"one {english_one}")
    return Pair(f"{german_number(number)} {german}", f"{english_number(number)} {english}")


def _some_price(random: Random) -> Pair:
    euros, cents = 1 + _some_number(random, 3), random.randrange(100)
    german = f"{german_before(euros)} Euro"
    english = f"{english_number(euros)} euro{'s' * (euros > 1)}"
    if cents == 0:
        return Pair(german, english)
    return Pair(
        f"{german} und {german_before(cents)} Cent",
        f"{english} and {english_number(cents)} cent{'s' * (cents > 1)}",
    )


def _number(random: Random) -> Pair:
    number = _some_number(random, 6)
    return Pair(german_number(number), english_number(number))


def _sum(random: Random) -> Pair:
    one, other = _some_number(random, 3), _some_number(random, 3)
    return Pair(
        f"{german_number(one)} plus {german_number(other)} ist {german_number(one + other)}",
        f"{english_number(one)} plus {english_number(other)} is {english_number(one + other)}",
    )


def _date(random: Random) -> Pair:
    """As people read out a year: by hundreds up to 1999, then by thousands."""
    day, year = _some_day(random), random.randint(1910, 2099)
    ordinal, month = day.de.split()
    if year >= 2000:
        german, english = german_number(year), english_number(year)
    else:
        german = f"{german_number(year // 100)}hundert{german_number(year % 100)}"
        english = f"{english_number(year // 100)} {english_number(year % 100)}"
    return Pair(f"der {ordinal.removesuffix('n')} {month} {german}", f"{day.en} {english}")


def _departure(random: Random) -> Pair:
    day, time = _some_day(random), _some_time(random)
    return Pair(
        f"Am {day.de} fährt der Zug um {time.de} ab.", f"The train leaves at {time.en} on {day.en}."
    )


def _clock(random: Random) -> Pair:
    time, name = _some_time(random), random.choice(_NAMES)
    return Pair(f"{name} sagt, dass es {time.de} ist.", f"{name} says that it is {time.en}.")


def _purchase(random: Random) -> Pair:
    things, price, name = _some_things(random), _some_price(random), random.choice(_NAMES)
    return Pair(
        f"{name} kauft {things.de} für {price.de}.", f"{name} buys {things.en} for {price.en}."
    )


def _past_purchase(random: Random) -> Pair:
    things, day, name = _some_things(random), _some_day(random), random.choice(_NAMES)
    return Pair(
        f"{name} hat am {day.de} {things.de} gekauft.", f"{name} bought {things.en} on {day.en}."
    )


_KINDS = (_number, _sum, _date, _departure, _clock, _purchase, _past_purchase)
