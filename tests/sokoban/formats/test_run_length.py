"""Counts and groups written out: pencil sums, limits, and each message."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokoban.sokoban.formats.run_length import MAX_DEPTH, MAX_LENGTH, encode, expand, measure

TOO_LONG = "^expands to more than 1000000 characters$"


@pytest.mark.parametrize(
    ("line", "expanded"),
    [
        ("", ""),
        ("rrU", "rrU"),
        ("3r2U", "rrrUU"),
        ("2(3(ur)D)", "urururDurururD"),
        ("3#2-@#", "###--@#"),
        ("2(#2-)#", "#--#--#"),
        ("2(2(#-)$)", "#-#-$#-#-$"),
        ("(ur)d", "urd"),
        ("12u", "uuuuuuuuuuuu"),
        ("003u", "uuu"),
        ("2(5#|)", "#####|#####|"),
    ],
)
def test_counts_repeat_characters_and_groups(line: str, expanded: str) -> None:
    assert expand(line) == expanded
    assert measure(line) == len(expanded)


@pytest.mark.parametrize(
    ("line", "encoded"),
    [("", ""), ("rrU", "rrU"), ("rrrUU", "3rUU"), ("##########|--", "10#|--"), ("rRrrr", "rR3r")],
)
def test_three_of_a_kind_are_worth_a_count(line: str, encoded: str) -> None:
    assert encode(line) == encoded


@given(st.text("uR#-|", max_size=47))
def test_what_is_encoded_expands_again(line: str) -> None:
    assert expand(encode(line)) == line


@given(st.text("12u#()", max_size=11))
def test_measure_knows_what_expand_does(line: str) -> None:
    try:
        length = measure(line)
    except ValueError as error:
        with pytest.raises(ValueError, match=f"^{re.escape(str(error))}$"):
            expand(line)
    else:
        assert len(expand(line)) == length


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("2(ur", r'^"\(" without "\)"$'),
        ("ur)", r'^"\)" without "\("$'),
        ("u2()r", r'^empty group "\(\)"$'),
        ("(())", r'^empty group "\(\)"$'),
        ("ur23", "^count 23 repeats nothing$"),
        ("(ur7)", "^count 7 repeats nothing$"),
        ("0u", "^count 0$"),
        ("0" * 5000 + "u", "^count 0$"),
        (f"{MAX_LENGTH + 1}u", TOO_LONG),
        ("9" * 5000 + "u", TOO_LONG),
        ("99(" * 7 + "u" + ")" * 7, TOO_LONG),
        (f"{MAX_LENGTH // 2}(u){MAX_LENGTH // 2}uu", TOO_LONG),
        ("u" * (MAX_LENGTH + 1), TOO_LONG),
        ("(" * (MAX_DEPTH + 1) + "u" + ")" * (MAX_DEPTH + 1), "^nested deeper than 32$"),
    ],
)
def test_what_does_not_fit_is_refused(line: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        expand(line)


def test_the_limits_themselves_are_allowed() -> None:
    assert expand(f"{MAX_LENGTH}u") == "u" * MAX_LENGTH
    assert expand(f"2({MAX_LENGTH // 2}u)") == "u" * MAX_LENGTH
    assert expand("(" * MAX_DEPTH + "u" + ")" * MAX_DEPTH) == "u"
