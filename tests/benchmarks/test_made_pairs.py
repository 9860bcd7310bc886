"""Made pairs say the same in both languages; a translator would learn what they say wrong."""

import re
from random import Random

import pytest

from benchmarks import made_pairs
from benchmarks.made_pairs import FRAMES, TOPICS, framed, substituted, written
from tokoban.systems.translation.clock_times import changes_a_time
from tokoban.systems.translation.confidence import loses_a_number
from tokoban.systems.translation.pairs import Pair


def test_gaps_of_a_frame_are_on_both_sides_and_known() -> None:
    for line in FRAMES.read_text(encoding="utf-8").splitlines():
        here, there = (re.findall(r"\{(\w+)\}", side) for side in line.split("\t"))
        base = {gap.removesuffix("_dative") for gap in here}
        assert base == set(there), line
        assert {gap.rstrip("2") for gap in here} <= made_pairs._GAPS.keys(), line


WRITTEN = [pair for topic in TOPICS for pair in written(topic)]


def test_written_sentences_are_short_and_there_once() -> None:
    assert len(set(WRITTEN)) == len(WRITTEN) > 14_000
    assert all(0 < len(side) <= 120 and side == side.strip() for pair in WRITTEN for side in pair)


# A fortnight, a U-turn, and a night with two days.
_OTHERWISE_IN_ENGLISH = (
    "kommt alle 14 Tage",
    "seit 14 Tagen",
    "um 180 Grad gedreht",
    "in der Nacht zum Dienstag einen",
)


@pytest.mark.parametrize("part", [29, pytest.param(1, marks=pytest.mark.slow)])
def test_written_sentences_lose_no_number_and_change_no_time(part: int) -> None:
    pairs = WRITTEN[::part]
    assert not [pair for pair in pairs if changes_a_time(*pair)]
    for source in (pair.source for pair in pairs if loses_a_number(*pair)):
        assert any(words in source for words in _OTHERWISE_IN_ENGLISH), source


def test_filled_frames_change_no_time_and_lose_no_number() -> None:
    pairs = framed(3000, seed=7)
    assert len(set(pairs)) == 3000 and framed(3000, seed=7) == pairs
    assert not [pair for pair in pairs if "{" in pair.source + pair.target]
    assert not [pair for pair in pairs if pair.target.endswith("..")]
    numbers = [pair for pair in pairs if not re.search("Uhr|halb|[ap]\\.?m", " ".join(pair))]
    assert not [pair for pair in numbers if loses_a_number(*pair)]
    # Midnight as 0:00, and times in words on both sides of a "to", are not understood.
    understood = [
        pair for pair in pairs if not re.search(r" 0([:.]\d\d)? Uhr|from .* to ", " ".join(pair))
    ]
    assert not [pair for pair in understood if changes_a_time(*pair)]
    assert len(understood) > 2800 and len(pairs) - len(numbers) > 300
    told = " ".join(map(" ".join, pairs))
    assert not re.search(r"\b(mit|an|bei|zu) Herr |\.\.|\?,|,\.| a (8|11|18)\b", told)


@pytest.mark.parametrize(
    ("german", "english", "pattern"),
    [
        ("Toms Hund mag Maria.", "Tom's dog likes Mary.", r"(.+?)(?:s|') Hund mag (.+)\."),
        ("Tom ist in Boston.", "Tom is in Boston.", r"(.+) ist in (.+)\."),
    ],
)
def test_a_name_is_another_and_the_same_on_both_sides(
    german: str, english: str, pattern: str
) -> None:
    names = set()
    for seed in range(40):
        [pair] = substituted([Pair(german, english)], 1, seed=seed)
        found = re.fullmatch(pattern, pair.source)
        assert found is not None and all(name in pair.target for name in found.groups())
        assert not re.search(r"\b(Toms?|Maria|Mary)\b", " ".join(pair))
        names.add(found[1])
    assert len(names) > 30


@pytest.mark.parametrize(
    ("german", "english", "pattern", "numbers"),
    [
        ("Sie ist dreizehn.", "She is 13.", r"Sie ist (\w+)\. She is (\d+)\.", (13, 99)),
        ("Es war 1995.", "It was 1995.", r"Es war (\d+)\. It was (\d+)\.", (1900, 2030)),
        ("Es hat 300 Seiten.", "It has 300 pages.", r"Es hat (\d+) .* has (\d+) .*", (100, 900)),
        ("Komm um acht Uhr.", "Come at eight.", r"Komm um (\w+) Uhr\. Come at (\w+)\.", (2, 12)),
    ],
)
def test_a_number_is_another_of_its_kind_and_the_same_on_both_sides(
    german: str, english: str, pattern: str, numbers: tuple[int, int]
) -> None:
    random, seen = Random(3), set()
    for _ in range(60):
        pair = made_pairs._renumbered(Pair(german, english), random)
        assert pair is not None
        found = re.fullmatch(pattern, " ".join(pair))
        assert found is not None
        here = made_pairs._value(found[1], "de")
        assert here == made_pairs._value(found[2], "en")
        assert numbers[0] <= here <= numbers[1]
        seen.add(here)
    assert len(seen) > 7
    for other in (f"{english} Two.", f"{english} Twenty-two.", "It is late."):
        assert made_pairs._renumbered(Pair(german, other), random) is None


def test_a_number_inside_a_word_stays() -> None:
    german = "Ich habe bis acht Uhr nachgedacht und vier Klaviere bezweifelt."
    english = "I thought about the MP3 network until eight."
    pair = made_pairs._renumbered(Pair(german.replace("vier ", ""), english), Random(1))
    assert pair is not None
    found = re.fullmatch("Ich habe bis (.+) Uhr nachgedacht und Klaviere bezweifelt.", pair.source)
    assert found is not None and pair.target.startswith("I thought about the MP3 network until ")
    assert (
        made_pairs._renumbered(Pair("Sie ist acht.", "She is an eight-year-old."), Random(1))
        is None
    )


def test_a_time_is_another_and_the_same_on_both_sides() -> None:
    random, seen = Random(5), set()
    for german, english in (("um halb drei", "at 2:30"), ("um 2.30 Uhr", "at 2:30")):
        for _ in range(50):
            pair = made_pairs._retimed(Pair(f"Komm {german}.", f"Come {english}."), random)
            assert pair is not None and not changes_a_time(*pair)
            seen.add(pair)
    assert len(seen) > 40
    assert made_pairs._retimed(Pair("Komm um halb drei.", "Come at 2:30 p.m."), random) is None
