"""Pattern files: drawings in both formats, there and back again, and every complaint."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tokoban.systems.life.patterns import place, read_pattern, to_plaintext, to_rle
from tokoban.systems.life.rules import parse_rule

LIFE = parse_rule("B3/S23")
GLIDER = [[False, True, False], [False, False, True], [True, True, True]]


@pytest.mark.parametrize(
    "text",
    [
        "#N Glider\n#C a comment\nx = 3, y = 3, rule = B3/S23\nbob$2bo$3o!\nafter the end",
        "x=3,y=3\nbo$bbo\n$3\no!",
        "x=00000000003,y=3\nbo$2bo$00000000003o!",
        "X = 3, Y = 3, RULE = 23/3\n\nbobbbb"[:-3] + "$2bo$3o!",
        "x = 3, y = 3, rule = B3/S23:T16,16\nBOB$2BO$3O!",
        "\ufeff!Name: Glider\r\n!\r\n.O.\r\n..O\r\nOOO\r\n",
        ".O\n..*\nooo\n\n\n",
    ],
)
def test_a_glider_is_read(text: str) -> None:
    assert read_pattern(text, source="glider").cells.tolist() == GLIDER


def test_rows_are_filled_up_and_the_size_is_the_headers() -> None:
    cells = read_pattern("x = 4, y = 5\n2$o2$bo!", source="x").cells
    assert to_plaintext(cells) == "....\n....\nO...\n....\n.O..\n"
    assert read_pattern("x = 2, y = 2\n!", source="x").cells.tolist() == [[False] * 2] * 2
    assert read_pattern("..\n\n.O\n", source="x").cells.tolist() == [
        [False, False], [False, False], [False, True],
    ]  # fmt: skip


def test_the_rule_is_the_files() -> None:
    assert read_pattern("x = 1, y = 1, rule = B36/S23\no!", source="x").rule == parse_rule(
        "B36/S23"
    )
    assert read_pattern("x = 1, y = 1\no!", source="x").rule is None


def test_what_is_written_is_as_the_formats_have_it() -> None:
    cells = torch.tensor(GLIDER)
    assert to_rle(cells, LIFE) == "x = 3, y = 3, rule = B3/S23\nbo$2bo$3o!\n"
    assert to_plaintext(cells) == ".O.\n..O\nOOO\n"
    empty = torch.zeros(2, 3, dtype=torch.bool)
    assert to_rle(empty, LIFE) == "x = 3, y = 2, rule = B3/S23\n!\n"


@given(
    st.integers(1, 90), st.integers(1, 7), st.integers(0, 2**30), st.sampled_from([0.1, 0.5, 0.9])
)
def test_what_is_written_is_read_again(columns: int, rows: int, seed: int, density: float) -> None:
    cells = torch.rand(rows, columns, generator=torch.manual_seed(seed)) < density
    text = to_rle(cells, LIFE)
    assert max(map(len, text.splitlines())) <= 70
    assert torch.equal(read_pattern(text, source="x").cells, cells)
    assert torch.equal(read_pattern(to_plaintext(cells), source="x").cells, cells)


def test_a_pattern_stands_in_the_middle_of_the_torus() -> None:
    pattern = read_pattern("OO.\n", source="x")
    assert to_plaintext(place(pattern, side=5, source="x")) == (
        ".....\n.....\n.OO..\n.....\n.....\n"
    )
    assert place(read_pattern("OOO\n" * 3, source="x"), side=3, source="x").all()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "p: no pattern; expected RLE or plaintext"),
        ("#C only\n!comments\n", "p: no pattern"),
        ("x = 3\nbo!", "p, line 1: expected x = COLUMNS, y = ROWS.*, got 'x = 3'"),
        ("#C a\nx = 3, y = three\nbo!", "p, line 2: expected x = COLUMNS"),
        ("x = 2, y = 2, rule = Conway\no!", "p, line 1: unknown rule 'Conway'"),
        (f"x = {'9' * 5000}, y = 2\n!", "p: a pattern of 999999999 x 2; expected sides from 1"),
        ("x = 0, y = 2\n!", "p: a pattern of 0 x 2; expected sides from 1 to 4096"),
        ("x = 5000, y = 2\n!", "p: a pattern of 5000 x 2; expected sides from 1 to 4096"),
        ("x = 2, y = 2\n3o!", "p, line 2: cells outside the 2 x 2 of the header"),
        ("x = 2, y = 2\n\n2$o!", "p, line 3: cells outside the 2 x 2 of the header"),
        ("x = 2, y = 2\n" + "9" * 5000 + "o!", "p, line 2: cells outside"),
        ("x = 2, y = 2\noq!", "p, line 2: unexpected 'q'; expected b, o, \\$ or !"),
        ("x = 2, y = 2\n0o!", "p, line 2: unexpected '0o'"),
        ("x = 2, y = 2\n00o!", "p, line 2: unexpected '00o'"),
        ("x = 2, y = 2\n2o$2o", "p: the pattern has no end; expected a !"),
        (".O.\n.X.\n", "p, line 2: unexpected 'X'; expected . for a dead cell and O for a living"),
        (". O\n", "p, line 1: unexpected ' '"),
        ("." * 5000, "p: a pattern of 5000 x 1; expected sides from 1 to 4096"),
    ],
)
def test_what_cannot_be_read_is_reported(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_pattern(text, source="p")


def test_a_pattern_larger_than_the_torus_is_refused() -> None:
    with pytest.raises(ValueError, match="p: a pattern of 4 x 1 is larger than the torus of 3 x 3"):
        place(read_pattern("....", source="p"), side=3, source="p")
