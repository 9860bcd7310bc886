"""The rules against a second way of counting, drawings, and the glider that comes home."""

import pytest
import torch
from torch.nn import functional

from tokoban.systems.life.rules import Rule, parse_rule, step

LIFE = parse_rule("B3/S23")


def drawn(picture: str) -> torch.Tensor:
    return torch.tensor([[cell == "O" for cell in row] for row in picture.split("|")])


def by_convolution(grids: torch.Tensor, rule: Rule) -> torch.Tensor:
    kernel = torch.ones(1, 1, 3, 3)
    kernel[0, 0, 1, 1] = 0
    padded = functional.pad(grids[:, None].float(), (1, 1, 1, 1), mode="circular")
    num_alive = functional.conv2d(padded, kernel)[:, 0].round().int()
    is_born = torch.stack([num_alive == number for number in rule.births]).any(0)
    survives = torch.stack([num_alive == number for number in rule.survivals]).any(0)
    return torch.where(grids, survives, is_born)


@pytest.mark.parametrize("name", ["B3/S23", "B36/S23", "B0123478/S34678", "B1/S012345678"])
def test_two_ways_of_counting_agree(name: str) -> None:
    rule = parse_rule(name)
    grids = torch.rand(31, 5, 7, generator=torch.manual_seed(3)) < 0.4
    assert torch.equal(step(grids, rule), by_convolution(grids, rule))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (".....|..O..|..O..|..O..|.....", ".....|.....|.OOO.|.....|....."),
        ("OO...|OO...|.....|.....|.....", "OO...|OO...|.....|.....|....."),
        # Over the edges: a row of three around the corner stands up.
        ("OO..O|.....|.....|.....|.....", "O....|O....|.....|.....|O...."),
    ],
)
def test_small_patterns(before: str, after: str) -> None:
    assert torch.equal(step(drawn(before)[None], LIFE)[0], drawn(after))


def test_a_glider_is_back_after_64_steps_on_a_torus_of_16() -> None:
    start = torch.zeros(1, 16, 16, dtype=torch.bool)
    start[0, 6:9, 6:9] = drawn(".O.|..O|OOO")
    grids, seen = start, []
    for _ in range(64):
        grids = step(grids, LIFE)
        seen.append(torch.equal(grids, start))
    assert seen == [False] * 63 + [True]


def test_rules_are_read_and_written() -> None:
    assert str(parse_rule("b63/s32")) == "B36/S23"
    assert parse_rule("23/3") == LIFE
    assert str(parse_rule("B/S")) == "B/S"


@pytest.mark.parametrize("text", ["", "B3", "B9/S23", "B3/S23/4", "life", "B3/S2a"])
def test_no_rule_is_named(text: str) -> None:
    with pytest.raises(ValueError, match=r"unknown rule .*; expected one like B3/S23"):
        parse_rule(text)


def test_a_torus_of_two_rows_is_refused() -> None:
    with pytest.raises(ValueError, match="sides of at least 3, got 2 x 5"):
        step(torch.zeros(1, 2, 5, dtype=torch.bool), LIFE)
