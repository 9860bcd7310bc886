"""Evaluation mode as a context manager."""

from collections.abc import Iterator
from contextlib import contextmanager

from torch import nn


@contextmanager
def evaluating(model: nn.Module) -> Iterator[None]:
    """Puts the model into eval mode; restores its mode at the end."""
    if not model.training:
        yield
        return
    model.eval()
    try:
        yield
    finally:
        model.train()
