"""The training, validation and test pictures.

Axes: B batch, N pictures, C channels, H rows, W columns.
"""

from collections.abc import Iterator
from typing import NamedTuple

from jaxtyping import Int64, UInt8
from torch import Tensor

from tokoban.systems.vit.augmentation import shifted_and_flipped
from tokoban.systems.vit.config import VitConfig
from tokoban.systems.vit.pictures import Pictures
from tokoban.systems.vit.sources import load
from tokoban.training.streams import Purpose, derived_seed, shuffled, torch_stream


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
    """Augmented batches without end, on the pictures' device, in the order of ``shuffled``.

    Batch n of a rank is the same whatever ``start_step`` is.
    """
    per_step = config.batch_pictures * world_size
    check_batch(pictures, per_step)
    seed, device = config.data_seed, pictures.pixels.device
    own = slice(rank * config.batch_pictures, (rank + 1) * config.batch_pictures)
    chosen = shuffled(len(pictures), per_step, seed=seed, start_step=start_step, device=device)
    for step, everybodys in enumerate(chosen, start_step):
        batch = pictures.at(everybodys[own])
        changed = shifted_and_flipped(
            batch.pixels,
            shift=config.shift,
            flips_horizontally=config.flips_horizontally,
            flips_vertically=config.flips_vertically,
            generator=torch_stream(seed, Purpose.CHANGES, rank, step, device=device),
        )
        yield Examples(changed, batch.labels)
