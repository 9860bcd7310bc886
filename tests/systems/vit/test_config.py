"""What a config refuses, in words that name the field."""

from typing import Any

import pytest

from tokoban.systems.vit.config import VitConfig


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"picture_height": 30}, "picture_height is 30; expected a multiple of patch_side, 4"),
        ({"num_heads": 5}, "num_heads is 5; expected a divisor of width 64"),
        ({"num_classes": 4}, "num_classes is 4; expected 3 for boards"),
        ({"class_names": ("a", "b")}, "there are 2 class_names for 3 classes"),
        ({"channels": 1}, "channels is 1; expected 3 for boards"),
        ({"picture_width": 64}, "picture_height is 32; expected picture_width for boards"),
        ({"picture_height": 24, "picture_width": 24}, "picture_height is 24; expected at least 32"),
        (
            {"picture_height": 36, "picture_width": 36},
            "picture_height is 36; expected a multiple of 8 for boards",
        ),
        ({"data": ""}, "data is ''; expected boards or a folder"),
        ({"shift": 32}, "shift is 32; expected less than a side"),
    ],
    ids=str,
)
def test_what_does_not_fit_is_named(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        VitConfig(**changes)
