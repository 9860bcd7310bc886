"""Sources of pictures: drawn boards, IDX files, or a folder for each class."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np
import torch

from tokoban.sokoban.simulation import bitboards
from tokoban.systems.vit import boards
from tokoban.systems.vit.config import BOARDS, STANDINGS, VitConfig
from tokoban.systems.vit.idx import read_idx
from tokoban.systems.vit.pictures import SUFFIXES, Pictures, SizedPicture, read_picture
from tokoban.training.streams import Purpose, derived_seed

Part = Literal["train", "test"]

# The files of MNIST and its relatives, by part and kind; some copies have a dot in the name.
_IDX_FILES = {
    (part, kind): tuple(f"{prefix}-{kind}{mark}idx{axes}-ubyte" for mark in "-.")
    for part, prefix in (("train", "train"), ("test", "t10k"))
    for kind, axes in (("images", 3), ("labels", 1))
}


def load(config: VitConfig, *, part: Part) -> Pictures:
    """The pictures of a part of the set that ``config`` names, in an order that is always the same.

    Raises ``ValueError`` for pictures that do not fit the config, and ``OSError`` or ``ValueError``
    for files that cannot be read.
    """
    if config.data == BOARDS:
        return _load_boards(config, part)
    folder = Path(config.data)
    if not folder.is_dir():
        raise FileNotFoundError(
            f"{folder}: no such folder; data names one with the four files of an IDX set (for "
            "Fashion-MNIST: github.com/zalandoresearch/fashion-mnist), or with a folder of "
            "pictures for each class"
        )
    is_idx = any(_find(folder, *names) for names in _IDX_FILES.values())
    pictures = (_load_idx if is_idx else _load_folders)(folder, config, part)
    if len(pictures) == 0:
        raise ValueError(
            f"{folder}: no pictures are left for {'the test' if part == 'test' else 'training'}"
        )
    return pictures


def read_sized(path: Path, config: VitConfig) -> SizedPicture:
    """A picture file as the network of ``config`` wants it; errors as ``pictures.read_picture``."""
    return read_picture(
        path,
        height=config.picture_height,
        width=config.picture_width,
        channels=config.channels,
        fit=config.fit,
    )


def _load_boards(config: VitConfig, part: Part) -> Pictures:
    # Drawn together, so that no board of the test is the image of one that is learned from.
    num_test = config.num_test_boards
    drawn = boards.draw_boards(num_test + config.num_boards, seed=config.data_seed)
    chosen = slice(num_test) if part == "test" else slice(num_test, None)
    pixels = boards.draw_pictures(
        drawn.boards.at(chosen), square_px=config.picture_width // bitboards.SIDE
    )
    return Pictures(pixels, drawn.standings[chosen], STANDINGS)


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
    seed = derived_seed(config.data_seed, Purpose.TEST)
    test, others = pictures.split(share=config.held_out_share, seed=seed)
    return test if part == "test" else others


def _read_folders(folder: Path, config: VitConfig) -> Pictures:
    names = _folders(folder)
    if len(names) != config.num_classes:
        raise ValueError(
            f"{folder}: {len(names)} folders of classes ({listed(names) or 'none'}); "
            f"num_classes is {config.num_classes}"
        )
    pixels, labels = [], []
    for label, name in enumerate(names):
        paths = sorted(
            path for path in (folder / name).iterdir() if path.suffix.lower() in SUFFIXES
        )
        if not paths:
            raise ValueError(f"{folder / name}: no pictures in it; expected {', '.join(SUFFIXES)}")
        pixels += [read_sized(path, config).pixels for path in paths]
        labels += [label] * len(paths)
    return Pictures(torch.stack(pixels), torch.tensor(labels), tuple(names))


def listed(names: Sequence[str]) -> str:
    """The names for a message, the first few of many."""
    return ", ".join(names[:12]) + ", ..." * (len(names) > 12)


def _folders(folder: Path) -> list[str]:
    return sorted(
        path.name for path in folder.iterdir() if path.is_dir() and not path.name.startswith(".")
    )


def _find(folder: Path, *names: str) -> Path | None:
    """The file that is so called, or with .gz behind it."""
    paths = [folder / (name + end) for name in names for end in ("", ".gz")]
    return next((path for path in paths if path.is_file()), None)
