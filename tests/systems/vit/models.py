"""A network of random weights on pictures of an odd shape, and such pictures."""

from dataclasses import replace
from typing import Any

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


def random_model(**changes: Any) -> VisionTransformer:
    torch.manual_seed(5)
    return build_model(replace(CONFIG, **changes)).eval()


def random_pictures(number: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(2)
    return torch.randint(256, (number, 3, 15, 21), generator=generator, dtype=torch.uint8)
