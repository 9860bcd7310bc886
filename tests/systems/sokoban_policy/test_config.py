"""Choices that no policy can be built with are refused by name."""

import dataclasses
from typing import Any

import pytest

from tokoban.systems.sokoban_policy.config import SokobanPolicyConfig, blog
from tokoban.training.config import from_dict, to_dict


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("width", 0, "width must be at least 1, got 0"),
        ("max_positions", 2, "max_positions must be at least 3, got 2"),
        ("beam_width", 0, "beam_width must be at least 1, got 0"),
        ("policy_weight", -0.5, "policy_weight must be at least 0, got -0.5"),
        ("width", 17, "width must be even, for its sines and cosines, got 17"),
        ("beam_width", 8193, "beam_width must be at most 8,192, got 8193"),
        ("data_seed", 2**63, f"data_seed must be below 2^63, got {2**63}"),
        ("num_heads", 0, "num_heads must be at least 1, got 0"),
        ("num_heads", 5, "num_heads must be a divisor of width 16, got 5"),
        ("interior", 7, "interior must be 6 or 8, got 7"),
        ("dropout", 1.0, "dropout must be in [0, 1), got 1.0"),
    ],
)
def test_an_impossible_choice_is_refused(field: str, value: Any, message: str) -> None:
    with pytest.raises(ValueError) as caught:
        dataclasses.replace(blog(), **{field: value})
    assert str(caught.value) == message


def test_a_record_from_before_there_was_a_choice_of_interiors_is_of_6() -> None:
    fields = to_dict(blog())
    del fields["interior"]
    assert from_dict(SokobanPolicyConfig, fields) == blog()
