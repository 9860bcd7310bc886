"""Choices that no policy can be built with are refused by name."""

import dataclasses
from typing import Any

import pytest

from tokoban.systems.sokoban_policy.config import blog


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
