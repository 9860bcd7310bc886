"""Who learns from what: parts that share nothing, batches that a break does not change."""

import gzip
import struct
from dataclasses import replace
from itertools import chain, combinations, islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image

from tokoban.systems.vit.config import VitConfig, tiny
from tokoban.systems.vit.dataset import batches, load_training
from tokoban.systems.vit.pictures import Pictures
from tokoban.systems.vit.sources import load
from tokoban.systems.vit.train import make_system

CONFIG = VitConfig(
    data="set",
    picture_height=8,
    picture_width=12,
    patch_side=2,
    channels=1,
    num_classes=3,
    held_out_share=0.25,
    batch_pictures=5,
    fit="stretch",
)


def _write_idx(folder: Path, prefix: str, num_pictures: int, num_labels: int | None = None) -> None:
    """Pictures that are all of one shade, which is their number; labels 0, 1, 2, 0, 1, ..."""
    folder.mkdir(exist_ok=True)
    num_labels = num_pictures if num_labels is None else num_labels
    shades = np.repeat(np.arange(num_pictures, dtype=np.uint8), 8 * 12).tobytes()
    header = bytes([0, 0, 8, 3]) + struct.pack(">III", num_pictures, 8, 12)
    (folder / f"{prefix}-images-idx3-ubyte.gz").write_bytes(gzip.compress(header + shades))
    labels = bytes(number % 3 for number in range(num_labels))
    header = bytes([0, 0, 8, 1]) + struct.pack(">I", num_labels)
    (folder / f"{prefix}-labels.idx1-ubyte").write_bytes(header + labels)


def _write_pictures(folder: Path, **classes: int) -> None:
    for name, number in classes.items():
        (folder / name).mkdir(parents=True)
        for place in range(number):
            Image.new("L", (30, 20), 10 * place + len(name)).save(folder / name / f"{place}.png")


@pytest.fixture
def idx(tmp_path: Path) -> VitConfig:
    _write_idx(tmp_path / "set", "train", 40)
    _write_idx(tmp_path / "set", "t10k", 7)
    return replace(CONFIG, data=str(tmp_path / "set"))


def _shades(pictures: Pictures) -> list[int]:
    assert (pictures.pixels == pictures.pixels[:, :1, :1, :1]).all()
    return pictures.pixels[:, 0, 0, 0].tolist()


def test_pictures_that_fill_no_batch_are_refused_before_a_run_begins(idx: VitConfig) -> None:
    make_system(replace(idx, batch_pictures=30))
    told = "30 training pictures do not fill a batch of 31; expected a smaller batch_pictures"
    with pytest.raises(ValueError, match=told):
        make_system(replace(idx, batch_pictures=31))


def test_idx_files_are_split_by_seed_and_the_test_is_its_own(idx: VitConfig) -> None:
    parts, test = load_training(idx), load(idx, part="test")
    assert (len(parts.train), len(parts.held_out), len(test)) == (30, 10, 7)
    assert sorted(_shades(parts.train) + _shades(parts.held_out)) == list(range(40))
    for pictures in (*parts, test):
        assert pictures.labels.tolist() == [shade % 3 for shade in _shades(pictures)]
        assert pictures.class_names == ("0", "1", "2")
    again, other = load_training(idx), load_training(replace(idx, data_seed=1))
    assert _shades(again.held_out) == _shades(parts.held_out)
    assert sorted(_shades(other.held_out)) != sorted(_shades(parts.held_out))


def test_training_does_not_touch_the_test_files(idx: VitConfig) -> None:
    for path in Path(idx.data).glob("t10k*"):
        path.unlink()
    assert len(load_training(idx).train) == 30
    with pytest.raises(FileNotFoundError, match="there is no t10k-images-idx3-ubyte, plain or as"):
        load(idx, part="test")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"picture_width": 14}, "grey pictures of 12 x 8; the network's are of 14 x 8 with 1 chan"),
        ({"channels": 3}, "grey pictures of 12 x 8; the network's are of 12 x 8 with 3 channel"),
        ({"num_classes": 2}, "a label 2; expected 0 to 1, as num_classes is 2"),
        ({"held_out_share": 0.001}, "of 40 pictures a held_out_share of 0.001 leaves none"),
    ],
    ids=str,
)
def test_idx_files_that_do_not_fit_are_refused(
    changes: dict[str, Any], message: str, idx: VitConfig
) -> None:
    with pytest.raises(ValueError, match=message):
        load_training(replace(idx, **changes))


def test_a_folder_for_each_class_is_split_in_three(tmp_path: Path) -> None:
    _write_pictures(tmp_path, ant=8, beetle=8, c=8)
    config = replace(CONFIG, data=str(tmp_path))
    parts, test = load_training(config), load(config, part="test")
    assert (len(test), len(parts.held_out), len(parts.train)) == (6, 4, 14)
    all_shades = _shades(test) + _shades(parts.held_out) + _shades(parts.train)
    assert sorted(all_shades) == sorted(10 * n + k for n in range(8) for k in (3, 6, 1))
    assert test.class_names == ("ant", "beetle", "c")
    with pytest.raises(ValueError, match="no pictures are left for the test"):
        load(replace(config, held_out_share=0.01), part="test")
    lengths = [len(test.class_names[label]) for label in test.labels]
    assert [shade % 10 for shade in _shades(test)] == lengths


def test_names_of_classes_are_refused_where_folders_name_them(tmp_path: Path) -> None:
    _write_pictures(tmp_path, ant=8, beetle=8, c=8)
    config = replace(CONFIG, data=str(tmp_path), class_names=("ant", "beetle", "c"))
    make_system(config)
    with pytest.raises(ValueError, match="class_names are for IDX files; folders name the classes"):
        make_system(replace(config, class_names=("x", "y", "z")))


def test_folders_train_and_test_are_what_they_say(tmp_path: Path) -> None:
    _write_pictures(tmp_path / "train", ant=4, beetle=4, c=4)
    _write_pictures(tmp_path / "test", ant=2, beetle=1, c=1)
    config = replace(CONFIG, data=str(tmp_path))
    assert len(load(config, part="test")) == 4
    assert len(load_training(config).train) == 9


def test_folders_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    config = replace(CONFIG, data=str(tmp_path))
    with pytest.raises(ValueError, match=r"0 folders of classes \(none\); num_classes is 3"):
        load_training(config)
    _write_pictures(tmp_path, ant=2, beetle=0)
    with pytest.raises(ValueError, match=r"2 folders of classes \(ant, beetle\); num_classes is 3"):
        load_training(config)
    with pytest.raises(ValueError, match=r"beetle: no pictures in it; expected .png"):
        load_training(replace(config, num_classes=2))
    with pytest.raises(FileNotFoundError, match="nowhere: no such folder; data names one with"):
        load_training(replace(config, data=str(tmp_path / "nowhere")))


def test_boards_of_the_test_are_no_images_of_those_learned_from() -> None:
    parts, test = load_training(tiny()), load(tiny(), part="test")
    assert (len(parts.train), len(parts.held_out), len(test)) == (138, 12, 50)
    assert test.class_names == ("solved", "open", "lost")
    learned = {picture.numpy().tobytes() for picture in parts.train.pixels}
    assert not any(picture.numpy().tobytes() in learned for picture in test.pixels)


def test_an_epoch_has_every_picture_once_and_the_next_in_another_order(idx: VitConfig) -> None:
    train = load_training(idx).train
    config = replace(idx, shift=2, flips_horizontally=True, flips_vertically=True)
    drawn = []
    for batch in islice(batches(train, config, start_step=0), 12):
        assert batch.pictures.shape == (5, 1, 8, 12)
        shades = batch.pictures.amax((1, 2, 3)).tolist()  # what is not black, that comes in
        assert batch.labels.tolist() == [shade % 3 for shade in shades]
        drawn.append(shades)
    epochs = [list(chain(*drawn[:6])), list(chain(*drawn[6:]))]
    assert sorted(epochs[0]) == sorted(epochs[1]) == sorted(_shades(train))
    assert epochs[0] != epochs[1]


def test_every_step_changes_its_pictures_in_ways_of_its_own(idx: VitConfig) -> None:
    train = load_training(idx).train
    alike = replace(
        train, pixels=torch.arange(8 * 12).to(torch.uint8).expand(30, 1, -1).unflatten(2, (8, 12))
    )
    config = replace(idx, shift=3, flips_horizontally=True)
    drawn = [batch.pictures for batch in islice(batches(alike, config, start_step=0), 12)]
    assert not any(torch.equal(one, other) for one, other in combinations(drawn, 2))


def test_a_later_start_and_several_processes_see_the_same_batches(idx: VitConfig) -> None:
    idx = replace(idx, shift=2, flips_horizontally=True)
    train = load_training(idx).train
    whole = list(islice(batches(train, idx, start_step=0), 11))
    resumed = list(islice(batches(train, idx, start_step=8), 3))
    for batch, again in zip(whole[8:], resumed, strict=True):
        assert torch.equal(batch.pictures, again.pictures)
        assert torch.equal(batch.labels, again.labels)
    ranks = [next(batches(train, idx, start_step=0, rank=rank, world_size=2)) for rank in (0, 1)]
    labels = torch.cat([batch.labels for batch in whole[:2]])
    assert torch.equal(torch.cat([batch.labels for batch in ranks]), labels)
