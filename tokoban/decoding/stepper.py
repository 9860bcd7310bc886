"""The interface between decoding and models: all that sampling and beam search know.

Axes: B searches, K beams of each, A actions; a row of the batch is search * K + beam.
"""

from typing import Protocol, runtime_checkable

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor


@runtime_checkable
class Stepper(Protocol):
    """Rows of unfinished sequences, whatever they are made of; the state stays inside."""

    device: torch.device

    def log_probs(self) -> Float[Tensor, "BK A"]:
        """The log-probabilities of each row's next actions, in nats; -inf forbids one.

        Pure: calling it twice changes nothing and gives the same. They hold until the next
        ``advance``, which may write into them.
        """
        ...

    def advance(
        self, parents: Int[Tensor, "BK"] | None, actions: Int[Tensor, "BK"]
    ) -> Bool[Tensor, "BK"]:
        """Row i becomes row ``parents[i]`` after ``actions[i]``; answers which are finished.

        ``parents`` are row numbers of the whole batch; ``None`` is each row its own parent, which
        moves no state. The rows of beams that finished earlier or died are handed through like any
        other, perhaps with a forbidden action, and what is answered for them is not read.
        """
        ...


@runtime_checkable
class MergingStepper(Stepper, Protocol):
    """A stepper that can tell equal states from different ones, so that beams can be merged.

    Keys are equal exactly for equal states; only those of one search are ever compared. Pure, like
    ``log_probs``.
    """

    def keys(self) -> Int[Tensor, "BK"]:
        """A number for the state of each row."""
        ...

    def successor_keys(self) -> Int[Tensor, "BK A"]:
        """A number for the state that each action would lead to."""
        ...


@runtime_checkable
class RankingStepper(Stepper, Protocol):
    """A stepper with its own view of which rows are worth going on with."""

    def ranks(self, scores_nats: Float[Tensor, "BK"]) -> Float[Tensor, "BK"]:
        """What each row is worth, given the summed log-probabilities of its actions; -inf drops it.

        Pure, and asked after ``advance``: a row is judged by the state that it has come to. A
        finished row is judged once, at the step that finished it.
        """
        ...


def check_sizes(*, stop_check_every: int = 0, **sizes: int) -> None:
    """``ValueError`` for sizes below 1, ``keep`` above ``width``, a negative check interval."""
    for name, size in sizes.items():
        if size < 1:
            raise ValueError(f"{name} is {size}; expected at least 1")
    if "keep" in sizes and sizes["keep"] > sizes["width"]:
        raise ValueError(
            f"keep is {sizes['keep']}; expected at most width, which is {sizes['width']}"
        )
    if stop_check_every < 0:
        raise ValueError(f"stop_check_every is {stop_check_every}; expected 0 (never) or more")
