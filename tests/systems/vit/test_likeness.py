"""The distance that tells other pictures from those of the training: laws, and a pencil sum."""

import torch

from benchmarks.likeness import fit
from tokoban.systems.vit.config import tiny
from tokoban.systems.vit.likeness import Likeness, features_of
from tokoban.systems.vit.train import build_model


def test_the_distance_is_mahalanobis() -> None:
    likeness = Likeness(
        torch.tensor([1.0, 2.0]), torch.diag(torch.tensor([4.0, 0.25])), torch.tensor(2.0)
    )
    features = torch.tensor([[1.0, 2.0], [1.5, 4.0], [2.0, 2.0]])
    assert likeness.distances(features).tolist() == [0.0, 2.0, 4.0]
    assert likeness.are_like(features).tolist() == [True, True, False]


def test_directions_that_never_vary_count_and_the_limit_lets_nearly_all_pass() -> None:
    generator = torch.Generator().manual_seed(3)
    features = torch.randn(4000, 3, generator=generator) * torch.tensor([5.0, 0.3, 0.0])
    likeness = fit(features[:2000], features[2000:3000])
    assert likeness.are_like(features[3000:]).float().mean() > 0.99
    far = torch.tensor([[40.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 2.0]])
    assert likeness.are_like(far).tolist() == [False] * 3


def test_the_features_are_what_the_head_reads() -> None:
    model = build_model(tiny()).eval()
    pictures = torch.randint(0, 256, (5, *model.mean.shape[:1], *model.picture_size)).byte()
    with torch.inference_mode():
        logits = model.head(features_of(model, pictures))
        assert torch.allclose(logits, model(pictures), atol=1e-6)
