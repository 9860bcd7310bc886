"""A model as it is used, and not as it is trained."""

from collections.abc import Iterator
from contextlib import contextmanager

from torch import nn


@contextmanager
def evaluating(model: nn.Module) -> Iterator[None]:
    """Without dropout while it is open, and afterwards as before."""
    was_training = model.training
    model.eval()
    try:
        yield
    finally:
        model.train(was_training)
