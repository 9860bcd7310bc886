"""The network: what order and company change (nothing), and what it keeps beside weights."""

from dataclasses import replace
from typing import Any

import pytest
import torch

from tokoban.systems.vit.config import VitConfig
from tokoban.systems.vit.model import VisionTransformer
from tokoban.systems.vit.train import build_model

CONFIG = VitConfig(
    data="somewhere",
    picture_height=15,
    picture_width=21,
    patch_side=3,
    channels=3,
    num_classes=7,
    width=22,
    num_layers=2,
    num_heads=2,
    hidden_width=13,
    least_head_width=1,
)


def _model(**changes: Any) -> VisionTransformer:
    torch.manual_seed(5)
    return build_model(replace(CONFIG, **changes)).eval()


def _pictures(number: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(2)
    return torch.randint(256, (number, 3, 15, 21), generator=generator, dtype=torch.uint8)


@pytest.mark.parametrize("pooling", ["class_token", "mean"])
def test_patches_with_their_places_may_come_in_any_order(pooling: str) -> None:
    model = _model(pooling=pooling)
    tokens = model.tokens(_pictures(2))
    first = int(model.class_token is not None)
    assert tokens.shape == (2, 35 + first, 22)
    order = first + torch.arange(35).flip(0)
    shuffled = torch.cat([tokens[:, :first], tokens[:, order]], dim=1)
    torch.testing.assert_close(model.classify(shuffled), model.classify(tokens))


def test_patches_without_their_places_may_not() -> None:
    model = _model()
    pictures = _pictures(1)
    assert len(model.position_vectors().unique(dim=0)) == 35
    moved = pictures.roll(model.patch_side, dims=3)  # the same patches, in other places
    assert not torch.allclose(model(moved), model(pictures), atol=1e-4)
    # The vectors are those of reading order: the first differ by column alone.
    vectors = model.position_vectors().unflatten(0, (5, 7))
    torch.testing.assert_close(vectors[3] - vectors[1], (vectors[3] - vectors[1])[:1].expand(7, -1))


def test_a_picture_is_judged_alone_as_in_company() -> None:
    model, pictures = _model(), _pictures(11)
    together = model(pictures)
    assert together.shape == (11, 7)
    for number in range(11):
        alone = model(pictures[number : number + 1])[0]
        torch.testing.assert_close(alone, together[number], atol=1e-5, rtol=1e-5)


def test_brightness_is_measured_by_the_mean_and_deviation_of_each_channel() -> None:
    model, pictures = _model(), _pictures(3)
    model.mean.copy_(torch.tensor([10.0, 20.0, 30.0])[:, None, None])
    model.deviation.copy_(torch.tensor([2.0, 3.0, 5.0])[:, None, None])
    brighter = pictures.clamp(60, 120)
    before = model(brighter)
    # Twice as bright everywhere, and measured accordingly: the same picture to the network.
    model.mean.mul_(2)
    model.deviation.mul_(2)
    torch.testing.assert_close(model(brighter * 2), before)


def test_a_picture_of_another_shape_is_refused() -> None:
    with pytest.raises(ValueError, match=r"shape \(3, 15, 21\), got \(1, 15, 21\)"):
        _model()(_pictures(1)[:, :1])


def test_names_of_classes_go_with_the_weights() -> None:
    model = _model()
    model.class_names = tuple("äbcdefg")
    other = _model()
    assert other.class_names == tuple("0123456")
    other.load_state_dict(model.state_dict())
    assert other.class_names == tuple("äbcdefg")


@pytest.mark.parametrize(
    ("state", "message"),
    [(b"[", "no readable names of classes"), (b'["a"]', "there are 1 names for 7 classes")],
)
def test_names_that_are_none_are_refused(state: bytes, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        _model().set_extra_state(torch.frombuffer(bytearray(state), dtype=torch.uint8))
