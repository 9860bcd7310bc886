"""Whether a picture is like those of the training, which the logits do not say.

By the Mahalanobis distance of what the head reads (Lee et al. 2018, arXiv:1807.03888), with one
mean for all classes. Axes: N pictures, D width.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, UInt8
from torch import Tensor

from tokoban.systems.vit.model import VisionTransformer


@dataclass(frozen=True)
class Likeness:
    """What training pictures are like in the features of one network."""

    mean: Float[Tensor, "D"]
    precision: Float[Tensor, "D D"]  # the inverse of the covariance
    limit: Float[Tensor, ""]  # of the distances

    def distances(self, features: Float[Tensor, "N D"]) -> Float[Tensor, "N"]:
        """Squared Mahalanobis distances."""
        away = features - self.mean
        return (away @ self.precision * away).sum(1)

    def are_like(self, features: Float[Tensor, "N D"]) -> Bool[Tensor, "N"]:
        """Whether each picture is like those of the training."""
        return self.distances(features) <= self.limit


def features_of(
    model: VisionTransformer, pictures: UInt8[Tensor, "N C H W"]
) -> Float[Tensor, "N D"]:
    """What the head reads of each picture, on the CPU."""
    with torch.inference_mode():
        return model.pooled(model.tokens(pictures)).float().cpu()
