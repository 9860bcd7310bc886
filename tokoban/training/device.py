"""Which device a user's word means; light, since the command line asks for it too."""

import argparse
from typing import TYPE_CHECKING, Literal, get_args

if TYPE_CHECKING:
    import torch

DeviceChoice = Literal["auto", "cpu", "cuda"]


def add_device_option(parser: argparse.ArgumentParser) -> None:
    """``--device``, where a command's weights are to run."""
    parser.add_argument(
        "--device",
        choices=get_args(DeviceChoice),
        default="auto",
        help="where the weights are to run; auto: on a GPU if there is one",
    )


def find_device(choice: DeviceChoice) -> "torch.device":
    """``auto`` is CUDA where there is one; ``ValueError`` for ``cuda`` where there is none."""
    import torch

    is_there = torch.cuda.is_available()
    if choice == "cuda" and not is_there:
        raise ValueError("device cuda was asked for, but torch finds no CUDA device")
    return torch.device("cuda" if is_there and choice != "cpu" else "cpu")
