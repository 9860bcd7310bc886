"""The embedded task: numbers spelt as people spell them, and one translation each way."""

import pytest

from tokoban.systems.translation.number_words import Pair, english_number, examples, german_number


@pytest.mark.parametrize(
    ("number", "german", "english"),
    [
        (0, "null", "zero"),
        (1, "eins", "one"),
        (16, "sechzehn", "sixteen"),
        (17, "siebzehn", "seventeen"),
        (21, "einundzwanzig", "twenty-one"),
        (30, "dreißig", "thirty"),
        (100, "einhundert", "one hundred"),
        (101, "einhunderteins", "one hundred and one"),
        (1000, "eintausend", "one thousand"),
        (1001, "eintausendeins", "one thousand and one"),
        (2100, "zweitausendeinhundert", "two thousand one hundred"),
        (21_016, "einundzwanzigtausendsechzehn", "twenty-one thousand and sixteen"),
        (101_000, "einhunderteintausend", "one hundred and one thousand"),
        (
            999_999,
            "neunhundertneunundneunzigtausendneunhundertneunundneunzig",
            "nine hundred and ninety-nine thousand nine hundred and ninety-nine",
        ),
    ],
)
def test_numbers_are_spelt_as_by_hand(number: int, german: str, english: str) -> None:
    assert (german_number(number), english_number(number)) == (german, english)


@pytest.fixture(scope="module")
def many() -> list[Pair]:
    return examples(6000, seed=3)


@pytest.mark.parametrize(
    ("german", "english"),
    [
        ("halb vier", "half past three"),
        ("halb eins", "half past twelve"),
        ("Viertel vor eins", "a quarter to one"),
        ("ein Uhr", "one o'clock"),
        ("fünfundzwanzig nach elf", "twenty-five past eleven"),
        ("am ersten", "on the first of"),
        ("am siebten", "on the seventh of"),
        ("am achten", "on the eighth of"),
        ("am zwölften", "on the twelfth of"),
        ("am zwanzigsten", "on the twentieth of"),
        ("am einunddreißigsten", "on the thirty-first of"),
        ("der dritte Mai", "the third of May"),
        ("einen Apfel", "one apple"),
        ("zwei Äpfel", "two apples"),
        ("ein Euro und", "one euro and"),
        ("und zwei Cent", "and two cents."),
    ],
)
def test_phrases_are_as_people_say_them(many: list[Pair], german: str, english: str) -> None:
    found = [pair for pair in many if f" {german} " in f" {pair.de} ".replace(".", " ")]
    assert found
    assert all(english in pair.en for pair in found)


def test_each_has_one_translation_both_ways(many: list[Pair]) -> None:
    assert len(many) == len({pair.de for pair in many}) == len({pair.en for pair in many}) == 6000


def test_no_part_shares_a_pair_with_another() -> None:
    train = set(examples(3000, seed=0, part="train"))
    validation = set(examples(1000, seed=1, part="validation"))
    test = set(examples(1000, seed=2, part="test"))
    assert len(train | validation | test) == 5000
