"""The interface between the loop and the systems: all that ``loop.fit`` knows of a system."""

from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol, TypeVar, runtime_checkable

import torch
from torch import Tensor, nn

ModelT = TypeVar("ModelT", bound=nn.Module)
BatchT = TypeVar("BatchT")  # whatever the system's own ``loss`` understands


class Loss(NamedTuple):
    """The number to descend, and the metrics to log beside it (detached scalars).

    A batch counts by ``System.weights`` beside the others of its step. ``parts``, [P], are needed
    where those are several: ``total`` is then their sum.
    """

    total: Tensor
    metrics: dict[str, Tensor]
    parts: Tensor | None = None


def to_device(batch: Any, device: torch.device) -> Any:
    """The batch with its tensors on a device; it is one, or a tuple, named or not, of such."""
    if isinstance(batch, Tensor):
        return batch.to(device)
    if not isinstance(batch, tuple):
        return batch
    parts = (to_device(part, device) for part in batch)
    return type(batch)(*parts) if hasattr(batch, "_fields") else tuple(parts)


@runtime_checkable
class System(Protocol[ModelT, BatchT]):
    """One trainable system: a model, its examples, its loss and its metrics."""

    def initial_model(self) -> ModelT:
        """A freshly initialised model on the CPU, with what comes from the data: a tokenizer."""
        ...

    def train_batches(self, model: ModelT, *, start_step: int) -> Iterator[BatchT]:
        """An endless stream of batches, the first one that of ``start_step``.

        On any device: the loop moves what is tensors, or tuples of tensors, to that of the model.
        Where a step accumulates several batches, each of them counts as a step here. Batch n must
        depend on the seed, the rank and n alone, so that a resumed run sees what an uninterrupted
        one would have seen.
        """
        ...

    def loss(self, model: nn.Module, batch: BatchT) -> Loss:
        """The loss of one batch; ``model`` may be compiled or distributed: only call it."""
        ...

    def weights(self, batch: BatchT) -> Tensor:
        """What each part of the batch's loss is a mean over, [P]: its number of tokens, say.

        Several batches of one step, of one process or of several, count by them: together they give
        the gradient of one large batch.
        """
        ...

    def validate(self, model: ModelT) -> dict[str, float]:
        """Named metrics of the model; called with gradients off and the model in eval mode."""
        ...

    def metric_names(self) -> tuple[str, ...]:
        """The names of the metrics that ``validate`` returns, known without an evaluation."""
        ...


class Unvalidated:
    """A system that is not evaluated while it trains."""

    def validate(self, model: nn.Module) -> dict[str, float]:
        """Nothing."""
        return {}

    def metric_names(self) -> tuple[str, ...]:
        """No names."""
        return ()


@runtime_checkable
class Stateful(Protocol):
    """A system whose batches depend on more than the seed and their number: it plays for them, say.

    Its state is in every checkpoint, and a run that goes on gets it back before it asks for
    batches. Each process has its own.
    """

    def state_dict(self) -> dict[str, Any]:
        """Plain numbers and tensors; called between two batches."""
        ...

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """The next batches will be those that would have followed."""
        ...


AnySystem = System[Any, Any]
