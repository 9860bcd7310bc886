"""What a config refuses, in words that name the field."""

from typing import Any

import pytest

from tokoban.systems.vit.config import VitConfig, fashion_mnist, tiny


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"picture_height": 30}, "picture_height is 30; expected a multiple of patch_side, 4"),
        (
            {"patch_side": 16},
            "patches of 16 x 16 leave 4 of a picture of 32 x 32; expected at least",
        ),
        ({"num_heads": 4}, "4 heads leave each 16 of the width 64; expected at least 32"),
        ({"num_heads": 5}, "num_heads is 5; expected a divisor of width 64"),
        ({"num_classes": 4}, "num_classes is 4; expected 3 for boards"),
        ({"class_names": ("a", "b")}, "there are 2 class_names for 3 classes"),
        ({"class_names": ("a", "b", "c")}, "class_names is .* expected none for boards"),
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


def test_limit_against_what_fails_can_be_lowered() -> None:
    assert VitConfig(num_heads=4, least_head_width=16).num_heads == 4
    assert (tiny().num_patches, fashion_mnist().num_patches) == (64, 16)
