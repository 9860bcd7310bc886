"""Augmentation moves and mirrors; what else a picture shows is as it was."""

import pytest
import torch

from tokoban.systems.vit.augmentation import shifted_and_flipped

NUMBERED = (1 + torch.arange(5 * 7)).reshape(1, 1, 5, 7).to(torch.uint8)


def _changed(pictures: torch.Tensor, *, shift: int, flips: str, seed: int = 3) -> torch.Tensor:
    return shifted_and_flipped(
        pictures,
        shift=shift,
        flips_horizontally="-" in flips,
        flips_vertically="|" in flips,
        generator=torch.Generator().manual_seed(seed),
    )


def test_every_shift_comes_and_brings_black() -> None:
    found = {
        tuple(p.flatten().tolist())
        for p in _changed(NUMBERED.expand(999, -1, -1, -1), shift=2, flips="")
    }
    expected = set()
    for down in range(-2, 3):
        for right in range(-2, 3):
            moved = torch.zeros(9, 11, dtype=torch.uint8)
            moved[2 + down : 7 + down, 2 + right : 9 + right] = NUMBERED[0, 0]
            expected.add(tuple(moved[2:7, 2:9].flatten().tolist()))
    assert found == expected
    assert len(expected) == 25


@pytest.mark.parametrize(("flips", "axes"), [("-", [3]), ("|", [2])])
def test_half_are_mirrored_and_the_others_are_not(flips: str, axes: list[int]) -> None:
    changed = _changed(NUMBERED.expand(600, -1, -1, -1), shift=0, flips=flips)
    is_mirrored = (changed == NUMBERED.flip(axes)).all((1, 2, 3))
    is_same = (changed == NUMBERED).all((1, 2, 3))
    assert (is_mirrored | is_same).all()
    assert 240 < int(is_mirrored.sum()) < 360  # five standard deviations


def test_all_channels_move_together_and_pictures_apart() -> None:
    pictures = NUMBERED.expand(50, 3, -1, -1)
    changed = _changed(pictures, shift=2, flips="-|")
    assert torch.equal(changed[:, 0], changed[:, 1])
    assert torch.equal(changed[:, 0], changed[:, 2])
    assert len({tuple(picture.flatten().tolist()) for picture in changed}) > 20


def test_one_seed_changes_in_one_way() -> None:
    pictures = NUMBERED.expand(40, -1, -1, -1)
    first, again = (_changed(pictures, shift=2, flips="-|", seed=5) for _ in range(2))
    assert torch.equal(first, again)
    assert not torch.equal(first, _changed(pictures, shift=2, flips="-|", seed=6))
    assert first.dtype == torch.uint8
    assert first.shape == pictures.shape
