"""Parallel text is read line by line, whatever holds it, and says what was left out and why."""

import gzip
from pathlib import Path

import pytest

from tokoban.systems.translation.pairs import Cleaning, Pair, clean, read_lines, read_pairs

GERMAN = "Ein Hund.\nZwei Hunde.\n"
ENGLISH = "A dog.\nTwo dogs.\n"
DOGS = [Pair("Ein Hund.", "A dog."), Pair("Zwei Hunde.", "Two dogs.")]


def test_two_files_are_read_line_by_line_plain_or_gzip(tmp_path: Path) -> None:
    # Whether it is gzip is seen in the file, not in its name.
    (tmp_path / "x.de").write_bytes(gzip.compress(GERMAN.encode()))
    (tmp_path / "x.en").write_text(ENGLISH)
    assert read_pairs(tmp_path / "x.de", tmp_path / "x.en") == DOGS


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", []),
        ("\n", [""]),
        ("a\n\nb", ["a", "", "b"]),
        ("a\r\nb\r\n", ["a", "b"]),
        ("\ufeffa\n", ["a"]),
        # All of these end a line for str.splitlines, and none for what others count lines by.
        ("a\u2028b\x85c\x0bd\x0ce\x1cf\rg\n", ["a\u2028b\x85c\x0bd\x0ce\x1cf\rg"]),
    ],
)
def test_only_a_line_feed_ends_a_line(text: str, lines: list[str], tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(text.encode())
    assert read_lines(path) == lines


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"ja\nn\xff\n", ":2: not UTF-8"),
        (gzip.compress(b"ja\n", mtime=0)[:-9], "a damaged gzip file ("),
        (gzip.compress(b"ja\n", mtime=0)[:12] + b"\xff" * 9, "a damaged gzip file ("),
    ],
)
def test_what_is_no_text_is_refused(data: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(data)
    with pytest.raises(ValueError) as refused:
        read_lines(path)
    assert str(path) in str(refused.value)
    assert message in str(refused.value)


def test_files_of_different_lengths_are_refused(tmp_path: Path) -> None:
    (tmp_path / "x.de").write_text(GERMAN)
    (tmp_path / "x.en").write_text(ENGLISH + "Three dogs.\n")
    with pytest.raises(ValueError, match=r"x\.de has 2 lines and .*x\.en has 3; expected a tr"):
        read_pairs(tmp_path / "x.de", tmp_path / "x.en")


def test_each_rule_drops_its_pairs_and_says_so() -> None:
    held_out = [Pair("Ein Hund.", "One dog."), Pair("Ein Pferd.", "A  horse.")]
    pairs = [
        *DOGS,
        Pair(" Zwei  Hunde.", "Two dogs. "),
        Pair(" ", "A cat."),
        Pair("Eine Katze.", ""),
        Pair("Berlin", "Berlin"),
        Pair("Ein Gaul.", "A horse."),
        Pair("Zwei Hunde.", "A pair of dogs."),
    ]
    kept, cleaning = clean(pairs, held_out=held_out)
    assert kept == [Pair("Zwei Hunde.", "Two dogs."), Pair("Zwei Hunde.", "A pair of dogs.")]
    assert cleaning == Cleaning(8, {"in validation": 2, "duplicate": 1, "empty": 2, "identical": 1})
    assert str(cleaning) == (
        "2 of 8 pairs (left out: 2 in validation, 1 duplicate, 2 empty, 1 identical)"
    )
    assert str(clean(DOGS)[1]) == "2 of 2 pairs"
