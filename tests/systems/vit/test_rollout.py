"""Rollout by pencil, and on a model: rows sum to one, and nothing of the model is changed."""

import pytest
import torch

from tests.systems.vit.models import random_model, random_pictures
from tokoban.systems.vit.rollout import attribute, overlay, rollout
from tokoban.transformer import EncoderBlock


def test_two_layers_by_pencil() -> None:
    # Each layer: half of the mean of two heads, half of the identity.
    swap, stay = torch.tensor([[0.0, 1.0], [1.0, 0.0]]), torch.eye(2)
    first = torch.stack([swap, swap])[None, None]  # (swap + stay) / 2: all halves
    second = torch.stack([swap, stay])[None, None]  # (swap / 2 + stay / 2 + stay) / 2
    torch.testing.assert_close(rollout(second)[0], torch.tensor([[0.75, 0.25], [0.25, 0.75]]))
    leaning = torch.tensor([[[[[1.0, 0.0], [1.0, 0.0]]] * 2]])  # both look at the first
    # [[.75, .25], [.25, .75]] times [[1, 0], [.5, .5]]: the last layer stands to the left.
    expected = torch.tensor([[0.875, 0.125], [0.625, 0.375]])
    torch.testing.assert_close(rollout(torch.cat([leaning, second]))[0], expected)
    torch.testing.assert_close(rollout(first)[0], torch.full((2, 2), 0.5))


@pytest.mark.parametrize("pooling", ["class_token", "mean"])
def test_attribution_gives_shares_of_patches_and_the_same_logits(pooling: str) -> None:
    model, pictures = random_model(pooling=pooling), random_pictures(3)
    found = attribute(model, pictures)
    assert found.shares.shape == (3, 5, 7)
    assert (found.shares > 0).all()
    torch.testing.assert_close(found.shares.sum((1, 2)), torch.ones(3))
    torch.testing.assert_close(found.logits, model(pictures))


def test_a_model_that_looks_at_one_patch_has_its_share_there() -> None:
    model, pictures = random_model(num_layers=1), random_pictures(1)
    block = model.encoder.blocks[0]
    assert isinstance(block, EncoderBlock)
    attention = block.attention
    # A key that only patch 17 has, which every query asks for in every head.
    with torch.no_grad():
        tokens = block.attention_residual.norm(model.tokens(pictures))[0]
        direction = torch.linalg.lstsq(tokens, torch.eye(36)[:, 18:19]).solution[:, 0]
        attention.key.weight.zero_()
        attention.key.bias.zero_()
        attention.key.weight[[0, 11]] = 300 * direction
        attention.query.weight.zero_()
        attention.query.bias.zero_()
        attention.query.bias[[0, 11]] = 10.0
    share = attribute(model, pictures).shares.flatten()
    scores = tokens @ direction
    assert int(share.argmax()) == int(scores[1:].argmax())


def test_the_drawing_marks_the_patch_that_counts_most() -> None:
    pictures = torch.full((2, 1, 6, 9), 100, dtype=torch.uint8)
    shares = torch.full((2, 2, 3), 0.1)
    shares[0, 1, 2] = shares[1, 0, 0] = 0.5
    picture, other = (overlay(*each) for each in zip(pictures, shares, strict=True))
    scale = 224 // 9
    assert picture.shape == (6 * scale, 2 * 9 * scale + 8, 3)
    assert (picture[:, : 9 * scale] == 100).all()
    right, below = picture[:, 9 * scale + 8 :], other[:, 9 * scale + 8 :]
    strongest = right[3 * scale :, 6 * scale :]
    assert (strongest == strongest[0, 0]).all()
    assert strongest[0, 0].tolist() == [196, 95, 15]  # 15 % of 100, 85 % of vermilion
    assert below[0, 0].tolist() == [196, 95, 15]
    assert right[0, 0].tolist() == below[-1, -1].tolist() != [196, 95, 15]
