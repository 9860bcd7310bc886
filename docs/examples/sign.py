import torch
from torch import nn

from tokoban.training.run_config import RunConfig
from tokoban.training.simple import simple_spec


def sample_batch(generator):
    numbers = torch.randn(64, 5, generator=generator)
    return numbers, (numbers.sum(1) > 0).long()


SPEC = simple_spec(
    "sign",
    build_model=lambda: nn.Linear(5, 2),
    sample_batch=sample_batch,
    loss=lambda model, batch: nn.functional.cross_entropy(model(batch[0]), batch[1]),
    run=RunConfig(steps=200, learning_rate=0.05),
)
