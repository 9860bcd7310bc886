"""Which pictures are learned from, which are chosen by, and which are for the test alone.

Axes: B batch, N pictures, C channels, H rows, W columns.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
import torch
from jaxtyping import Int64, UInt8
from torch import Tensor

from tokoban.sokoban import bitboards
from tokoban.systems.vit import boards
from tokoban.systems.vit.augmentation import erased, shifted_and_flipped
from tokoban.systems.vit.config import BOARDS, MOST_BOXES, STANDINGS, VitConfig
from tokoban.systems.vit.idx import read_idx
from tokoban.systems.vit.pictures import SUFFIXES, Pictures, read_picture

Part = Literal["train", "test"]

# The files of MNIST and its relatives, by part and kind; some copies have a dot in the name.
_IDX_FILES = {
    (part, kind): tuple(f"{prefix}-{kind}{mark}idx{axes}-ubyte" for mark in "-.")
    for part, prefix in (("train", "train"), ("test", "t10k"))
    for kind, axes in (("images", 3), ("labels", 1))
}

# What seeds are derived for.
_SPLIT, _TEST, _ORDER, _CHANGES = range(4)


class Examples(NamedTuple):
    """A batch of pictures, and the class of each."""

    pictures: UInt8[Tensor, "B C H W"]
    labels: Int64[Tensor, "B"]


class Parts(NamedTuple):
    """The pictures to learn from, and those that are held out of them to choose by."""

    train: Pictures
    held_out: Pictures


def load_training(config: VitConfig) -> Parts:
    """The training pictures of ``config`` in two parts, drawn by its seed.

    A test set is not looked at. Raises ``ValueError`` for pictures that do not fit the config, and
    ``OSError`` or ``ValueError`` for files that cannot be read.
    """
    pictures = _checked(_load(config, part="train"), config)
    generator = torch.Generator().manual_seed(_derived_seed(config.data_seed, _SPLIT))
    order = torch.randperm(len(pictures), generator=generator)
    num_held_out = round(len(pictures) * config.held_out_share)
    if not 0 < num_held_out < len(pictures):
        raise ValueError(
            f"{config.data}: of {len(pictures)} pictures a held_out_share of "
            f"{config.held_out_share:g} leaves none to hold out or none to learn from"
        )
    return Parts(pictures.at(order[num_held_out:]), pictures.at(order[:num_held_out]))


def load_test(config: VitConfig) -> Pictures:
    """The pictures that nothing but a last test may look at; errors as ``load_training``."""
    return _checked(_load(config, part="test"), config)


def batches(
    pictures: Pictures, config: VitConfig, *, start_step: int, rank: int = 0, world_size: int = 1
) -> Iterator[Examples]:
    """Augmented batches without end, on the pictures' device, each epoch in an order of its own.

    Batch n of a rank is the same whatever ``start_step`` is. What is left of an epoch for less than
    a batch of each process is left out.
    """
    per_step = config.batch_pictures * world_size
    steps_an_epoch = len(pictures) // per_step
    if steps_an_epoch == 0:
        raise ValueError(
            f"{len(pictures)} pictures to learn from do not fill a batch of {per_step}; "
            "expected a smaller batch_pictures"
        )
    device = pictures.pixels.device
    epoch, place = divmod(start_step, steps_an_epoch)
    while True:
        shuffler = torch.Generator().manual_seed(_derived_seed(config.data_seed, _ORDER, epoch))
        order = torch.randperm(len(pictures), generator=shuffler).to(device)
        for number in range(place, steps_an_epoch):
            first = number * per_step + rank * config.batch_pictures
            batch = pictures.at(order[first : first + config.batch_pictures])
            generator = torch.Generator(device)
            step = epoch * steps_an_epoch + number
            generator.manual_seed(_derived_seed(config.data_seed, _CHANGES, rank, step))
            yield Examples(augmented(batch.pixels, config, generator=generator), batch.labels)
        epoch, place = epoch + 1, 0


def augmented(
    pictures: UInt8[Tensor, "B C H W"], config: VitConfig, *, generator: torch.Generator
) -> UInt8[Tensor, "B C H W"]:
    """The pictures changed as the config says, by draws of the generator on their device."""
    if config.shift or config.flips_horizontally or config.flips_vertically:
        pictures = shifted_and_flipped(
            pictures,
            shift=config.shift,
            flips_horizontally=config.flips_horizontally,
            flips_vertically=config.flips_vertically,
            generator=generator,
        )
    if config.erased_share:
        pictures = erased(pictures, share=config.erased_share, generator=generator)
    return pictures


def _load(config: VitConfig, *, part: Part) -> Pictures:
    if config.data == BOARDS:
        return _load_boards(config, part)
    folder = Path(config.data)
    if not folder.is_dir():
        raise FileNotFoundError(
            f"{folder}: no such folder; data names one with the four files of an IDX set (for "
            "Fashion-MNIST: github.com/zalandoresearch/fashion-mnist), or with a folder of "
            "pictures for each class"
        )
    if any(_find(folder, *names) for names in _IDX_FILES.values()):
        return _load_idx(folder, config, part)
    return _load_folders(folder, config, part)


def _load_boards(config: VitConfig, part: Part) -> Pictures:
    # Drawn together, so that no board of the test is the image of one that is learned from.
    num_test = config.num_test_boards
    drawn = boards.draw_boards(num_test + config.num_boards, seed=config.data_seed)
    chosen = slice(num_test) if part == "test" else slice(num_test, None)
    pixels = boards.draw_pictures(
        drawn.boards.at(chosen), square_px=config.picture_width // bitboards.SIDE
    )
    if config.question == "standing":
        return Pictures(pixels, drawn.standings[chosen], STANDINGS)
    names = tuple(f"{number} box{'es' * (number > 1)}" for number in range(1, MOST_BOXES + 1))
    return Pictures(pixels, drawn.num_boxes[chosen] - 1, names)


def _load_idx(folder: Path, config: VitConfig, part: Part) -> Pictures:
    paths = {}
    for kind in ("images", "labels"):
        names = _IDX_FILES[part, kind]
        path = _find(folder, *names)
        if path is None:
            raise FileNotFoundError(f"{folder}: there is no {names[0]}, plain or as .gz")
        paths[kind] = path
    images = read_idx(paths["images"], num_axes=3)
    labels = read_idx(paths["labels"], num_axes=1)
    if len(images) != len(labels):
        raise ValueError(
            f"{paths['images']} has {len(images):,} pictures, and {paths['labels']} "
            f"{len(labels):,} labels"
        )
    height, width = images.shape[1:]
    if (height, width, 1) != (config.picture_height, config.picture_width, config.channels):
        raise ValueError(
            f"{paths['images']}: grey pictures of {width} x {height}; the network's are of "
            f"{config.picture_width} x {config.picture_height} with {config.channels} channel(s); "
            "see picture_width, picture_height and channels"
        )
    if len(labels) and labels.max() >= config.num_classes:
        raise ValueError(
            f"{paths['labels']}: a label {labels.max()}; expected 0 to {config.num_classes - 1}, "
            f"as num_classes is {config.num_classes}"
        )
    names = config.class_names or tuple(map(str, range(config.num_classes)))
    return Pictures(
        torch.from_numpy(images.copy())[:, None], torch.from_numpy(labels.astype(np.int64)), names
    )


def _load_folders(folder: Path, config: VitConfig, part: Part) -> Pictures:
    """A folder for each class; with ``train`` and ``test`` above them, or a share for the test."""
    if _folders(folder) == ["test", "train"]:
        return _read_folders(folder / part, config)
    pictures = _read_folders(folder, config)
    generator = torch.Generator().manual_seed(_derived_seed(config.data_seed, _TEST))
    order = torch.randperm(len(pictures), generator=generator)
    num_test = round(len(pictures) * config.held_out_share)
    return pictures.at(order[:num_test] if part == "test" else order[num_test:])


def _read_folders(folder: Path, config: VitConfig) -> Pictures:
    names = _folders(folder)
    if len(names) != config.num_classes:
        listed = ", ".join(names[:12]) + ", ..." * (len(names) > 12)
        raise ValueError(
            f"{folder}: {len(names)} folders of classes ({listed or 'none'}); "
            f"num_classes is {config.num_classes}"
        )
    pixels, labels = [], []
    for label, name in enumerate(names):
        paths = sorted(
            path for path in (folder / name).iterdir() if path.suffix.lower() in SUFFIXES
        )
        if not paths:
            raise ValueError(f"{folder / name}: no pictures in it; expected {', '.join(SUFFIXES)}")
        pixels += [read_sized(path, config) for path in paths]
        labels += [label] * len(paths)
    return Pictures(torch.stack(pixels), torch.tensor(labels), tuple(names))


def read_sized(path: Path, config: VitConfig) -> UInt8[Tensor, "C H W"]:
    """A picture file as the network of ``config`` wants it; errors as ``pictures.read_picture``."""
    return read_picture(
        path,
        height=config.picture_height,
        width=config.picture_width,
        channels=config.channels,
        fit=config.fit,
    )


def _folders(folder: Path) -> list[str]:
    return sorted(
        path.name for path in folder.iterdir() if path.is_dir() and not path.name.startswith(".")
    )


def _find(folder: Path, *names: str) -> Path | None:
    """The file that is so called, or with .gz behind it."""
    paths = [folder / (name + end) for name in names for end in ("", ".gz")]
    return next((path for path in paths if path.is_file()), None)


def _checked(pictures: Pictures, config: VitConfig) -> Pictures:
    if len(pictures) == 0:
        raise ValueError(f"{config.data}: no pictures in it")
    return pictures


def _derived_seed(*numbers: int) -> int:
    """One seed for each purpose and number, unlike for neighbouring ones."""
    return int(np.random.SeedSequence(numbers).generate_state(1, np.uint64)[0] >> np.uint64(1))
