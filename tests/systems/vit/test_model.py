"""The network: what order and company change (nothing), and what it keeps beside weights."""

import pytest
import torch

from tests.systems.vit.models import random_model, random_pictures


@pytest.mark.parametrize("pooling", ["class_token", "mean"])
def test_patches_with_their_places_may_come_in_any_order(pooling: str) -> None:
    model = random_model(pooling=pooling)
    tokens = model.tokens(random_pictures(2))
    first = int(model.class_token is not None)
    assert tokens.shape == (2, 35 + first, 22)
    order = first + torch.arange(35).flip(0)
    shuffled = torch.cat([tokens[:, :first], tokens[:, order]], dim=1)
    torch.testing.assert_close(model.classify(shuffled), model.classify(tokens))


def test_patches_without_their_places_may_not() -> None:
    model = random_model()
    pictures = random_pictures(1)
    assert len(model.position_vectors().unique(dim=0)) == 35
    moved = pictures.roll(model.patch_side, dims=3)  # the same patches, in other places
    assert not torch.allclose(model(moved), model(pictures), atol=1e-4)
    # The vectors are those of reading order: the first differ by column alone.
    vectors = model.position_vectors().unflatten(0, (5, 7))
    torch.testing.assert_close(vectors[3] - vectors[1], (vectors[3] - vectors[1])[:1].expand(7, -1))


def test_a_picture_is_judged_alone_as_in_company() -> None:
    model, pictures = random_model(), random_pictures(11)
    together = model(pictures)
    assert together.shape == (11, 7)
    for number in range(11):
        alone = model(pictures[number : number + 1])[0]
        torch.testing.assert_close(alone, together[number], atol=1e-5, rtol=1e-5)


def test_brightness_is_measured_by_the_mean_and_deviation_of_each_channel() -> None:
    model, pictures = random_model(), random_pictures(3)
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
        random_model()(random_pictures(1)[:, :1])


def test_names_of_classes_go_with_the_weights() -> None:
    model = random_model()
    model.class_names = tuple("äbcdefg")
    other = random_model()
    assert other.class_names == tuple("0123456")
    other.load_state_dict(model.state_dict())
    assert other.class_names == tuple("äbcdefg")


@pytest.mark.parametrize(
    ("state", "message"),
    [(b"[", "no readable names of classes"), (b'["a"]', "there are 1 names for 7 classes")],
)
def test_names_that_are_none_are_refused(state: bytes, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        random_model().set_extra_state(torch.frombuffer(bytearray(state), dtype=torch.uint8))
