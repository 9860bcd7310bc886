"""What a config refuses, in words that name the field."""

from typing import Any

import pytest

from tokoban.systems.vit.config import VitConfig, fashion_mnist, tiny


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"picture_height": 30}, "picture_height must be a multiple of patch_side, 4, got 30"),
        ({"picture_width": 0}, "picture_width must be at least 1, got 0"),
        (
            {"patch_side": 16},
            "patches of 16 x 16 leave 4 of a picture of 32 x 32; expected at least",
        ),
        ({"num_heads": 4}, "4 heads leave each 16 of the width 64; expected at least 32"),
        ({"patch_side": 0}, "patch_side must be at least 1, got 0"),
        ({"num_heads": 0}, "num_heads must be at least 1, got 0"),
        ({"num_heads": 5}, "num_heads must be a divisor of width 64, got 5"),
        ({"num_classes": 4}, "num_classes must be 3 for standing, got 4"),
        ({"question": "boxes"}, "num_classes must be 4 for boxes, got 3"),
        ({"class_names": ("a", "b")}, "there are 2 class_names for 3 classes"),
        ({"channels": 1}, "channels must be 3 for boards, got 1"),
        ({"picture_width": 64}, "picture_height must be picture_width for boards, got 32"),
        ({"picture_height": 24, "picture_width": 24}, "picture_height must be at least 32 for bo"),
        (
            {"picture_height": 36, "picture_width": 36},
            "picture_height must be a multiple of 8 for boards, got 36",
        ),
        ({"held_out_share": 1.0}, "held_out_share must be above 0 and below 1, got 1.0"),
        ({"num_test_boards": 0}, "num_test_boards must be at least 1, got 0"),
        ({"data": ""}, "data must be boards or a folder, got"),
        ({"data_seed": -1}, "data_seed must be from 0 to"),
        ({"dropout": 1.0}, "dropout must be in"),
        ({"shift": 32}, "shift must be less than a side, got 32"),
        ({"erased_share": 1.5}, "erased_share must be from 0 to 1, got 1.5"),
        ({"label_smoothing": 1.0}, "label_smoothing must be in"),
    ],
    ids=str,
)
def test_what_does_not_fit_is_named(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        VitConfig(**changes)


def test_limits_against_what_fails_can_be_lowered() -> None:
    assert VitConfig(patch_side=16, least_patches=4).num_patches == 4
    assert VitConfig(num_heads=4, least_head_width=16).num_heads == 4
    assert (tiny().num_patches, fashion_mnist().num_patches) == (64, 16)
