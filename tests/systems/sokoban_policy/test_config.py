"""Choices that no policy can be built with are refused by name."""

import dataclasses
from typing import Any

import pytest

from tokoban.systems.sokoban_policy.config import SokobanPolicyConfig, blog
from tokoban.training.config import from_dict, to_dict


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("width", 17, "width is 17; expected an even number, for its sines and cosines"),
        ("num_heads", 5, "num_heads is 5; expected a divisor of width 16"),
        ("interior", 7, "interior is 7; expected 6 or 8"),
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
