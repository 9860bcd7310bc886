"""Each patch is a piece of the picture, and each piece is a patch."""

import torch

from tokoban.systems.vit.model import to_patches


def test_a_patch_is_a_square_of_the_picture_in_reading_order() -> None:
    pictures = torch.arange(2 * 3 * 6 * 15).reshape(2, 3, 6, 15)
    patches = to_patches(pictures, side=3)
    assert patches.shape == (2, 2 * 5, 3 * 3 * 3)
    for row in range(2):
        for column in range(5):
            square = pictures[:, :, 3 * row : 3 * row + 3, 3 * column : 3 * column + 3]
            assert torch.equal(patches[:, row * 5 + column], square.flatten(1))
