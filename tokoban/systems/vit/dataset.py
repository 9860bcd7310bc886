"""The training, validation and test pictures.

Axes: B batch, N pictures, C channels, H rows, W columns.
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Int64, UInt8
from torch import Tensor

from tokoban.systems.vit.augmentation import shifted_and_flipped
from tokoban.systems.vit.config import VitConfig
from tokoban.systems.vit.pictures import Pictures
from tokoban.systems.vit.sources import load
from tokoban.training.streams import Purpose, derived_seed, torch_stream


class Examples(NamedTuple):
    """A batch of pictures, and the class of each."""

    pictures: UInt8[Tensor, "B C H W"]
    labels: Int64[Tensor, "B"]


class Parts(NamedTuple):
    """The pictures to learn from, and those that are held out of them to choose by."""

    train: Pictures
    held_out: Pictures


def load_training(config: VitConfig) -> Parts:
    """The training pictures of ``config`` in two parts, split by its seed.

    A test set is not looked at. Errors as ``sources.load``.
    """
    pictures = load(config, part="train")
    seed = derived_seed(config.data_seed, Purpose.HELD_OUT)
    held_out, train = pictures.split(share=config.held_out_share, seed=seed)
    if not (len(held_out) and len(train)):
        raise ValueError(
            f"{config.data}: of {len(pictures)} pictures a held_out_share of "
            f"{config.held_out_share:g} leaves none to hold out or none to learn from"
        )
    return Parts(train, held_out)


def check_batch(pictures: Pictures, num_pictures: int) -> None:
    """``ValueError`` if there are fewer than a batch needs."""
    if len(pictures) < num_pictures:
        raise ValueError(
            f"{len(pictures)} training pictures do not fill a batch of {num_pictures}; "
            "expected a smaller batch_pictures"
        )


def batches(
    pictures: Pictures, config: VitConfig, *, start_step: int, rank: int = 0, world_size: int = 1
) -> Iterator[Examples]:
    """Augmented batches without end, on the pictures' device, each epoch in an order of its own.

    Batch n of a rank is the same whatever ``start_step`` is. What is left of an epoch for less than
    a batch of each process is left out.
    """
    per_step = config.batch_pictures * world_size
    check_batch(pictures, per_step)
    steps_an_epoch = len(pictures) // per_step
    device = pictures.pixels.device
    epoch, place = divmod(start_step, steps_an_epoch)
    while True:
        shuffler = torch_stream(config.data_seed, Purpose.ORDER, epoch)
        order = torch.randperm(len(pictures), generator=shuffler).to(device)
        for number in range(place, steps_an_epoch):
            first = number * per_step + rank * config.batch_pictures
            batch = pictures.at(order[first : first + config.batch_pictures])
            step = epoch * steps_an_epoch + number
            changes = torch_stream(config.data_seed, Purpose.CHANGES, rank, step, device=device)
            changed = shifted_and_flipped(
                batch.pixels,
                shift=config.shift,
                flips_horizontally=config.flips_horizontally,
                flips_vertically=config.flips_vertically,
                generator=changes,
            )
            yield Examples(changed, batch.labels)
        epoch, place = epoch + 1, 0
