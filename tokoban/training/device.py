"""Chooses the device; imports torch late, since the command line imports this."""

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import torch

DeviceChoice = Literal["auto", "cpu", "cuda"]


def find_device(choice: DeviceChoice) -> "torch.device":
    """``auto`` is CUDA where there is one; ``ValueError`` for ``cuda`` where there is none."""
    import torch

    is_there = torch.cuda.is_available()
    if choice == "cuda" and not is_there:
        raise ValueError("device cuda was asked for, but torch finds no CUDA device")
    return torch.device("cuda" if is_there and choice != "cpu" else "cpu")
