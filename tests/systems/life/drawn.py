"""A small network of life whose weights are drawn, and never trained."""

from dataclasses import replace

import torch

from tokoban.systems.life import config
from tokoban.systems.life.model import LifeNet
from tokoban.systems.life.train import build_model


def drawn_net(side: int, *, scale: float = 1.0) -> LifeNet:
    torch.manual_seed(11)
    chosen = replace(config.life16(), side=side, width=7, embedding_scale=scale)
    return build_model(chosen).double().requires_grad_(False)
