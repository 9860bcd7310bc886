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
    ],
)
def test_an_impossible_choice_is_refused(field: str, value: Any, message: str) -> None:
    with pytest.raises(ValueError) as caught:
        dataclasses.replace(blog(), **{field: value})
    assert str(caught.value) == message


def test_a_record_of_when_there_was_a_choice_of_interiors_is_read_if_it_is_of_6() -> None:
    assert from_dict(SokobanPolicyConfig, to_dict(blog()) | {"interior": 6}) == blog()
    with pytest.raises(ValueError, match=r"interior is 8; only 6 is left of it$"):
        from_dict(SokobanPolicyConfig, to_dict(blog()) | {"interior": 8})
