"""Parallel text is read line by line, whatever holds it, and says what was left out and why."""

import gzip
from pathlib import Path

import pytest

from tokoban.systems.translation.pairs import (
    Cleaning,
    Pair,
    clean,
    read_lines,
    read_pairs,
    read_table,
)

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
    ("name", "text"),
    [
        ("x.csv", 'number,en,de\n1,A dog.,Ein Hund.\n2,"Two dogs.",Zwei Hunde.\n'),
        ("x.tsv", "en\tde\nA dog.\tEin Hund.\nTwo dogs.\tZwei Hunde.\n"),
        ("x.tsv", "Ein Hund.\tA dog.\tCC-BY\nZwei Hunde.\tTwo dogs.\tCC-BY\n"),
        ("x.tsv.gz", "Ein Hund.\tA dog.\nZwei Hunde.\tTwo dogs.\n"),
    ],
    ids=["csv", "tsv with names", "tsv without", "gzip"],
)
def test_a_table_is_read_by_its_names_or_its_order(name: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith("gz") else text.encode())
    assert read_table(path, source="de", target="en") == DOGS


def test_commas_tabs_and_quotes_belong_to_the_sentence(tmp_path: Path) -> None:
    table, tabbed = tmp_path / "x.csv", tmp_path / "x.tsv"
    table.write_text('de,en\n"Ja, ""so""\nist es.",Yes\n')
    tabbed.write_text('de\ten\n"Ja\tYes, "so"\n')
    assert read_table(table, source="de", target="en") == [Pair('Ja, "so"\nist es.', "Yes")]
    assert read_table(tabbed, source="de", target="en") == [Pair('"Ja', 'Yes, "so"')]


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("x.csv", b"german,english\n", "expected columns named 'de' and 'en' in its first line, "
         "got 'german', 'english'"),
        ("x.csv", b"", "expected columns named 'de' and 'en' in its first line, got none"),
        ("x.csv", b"de,en\n" + b"a" * 200_000 + b",b\n", "not a table with commas (field larger"),
        ("x.csv", b'de,en\nja,yes\n"nein,no\nacht,eight\n', "line 4: not a table with commas (une"),
        ("x.csv", b"de,en\nja,yes\nn\xff,no\n", ":3: not UTF-8"),
        ("x.csv", gzip.compress(b"de,en\n", mtime=0)[:-9], "a damaged gzip file ("),
        ("x.csv", gzip.compress(b"de,en\n", mtime=0)[:12] + b"\xff" * 9, "a damaged gzip file ("),
    ],
)  # fmt: skip
def test_what_is_no_table_is_refused(name: str, data: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(ValueError) as refused:
        read_table(path, source="de", target="en")
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
