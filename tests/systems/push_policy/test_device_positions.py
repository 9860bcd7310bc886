"""Batches drawn on a device against those of the host."""

import itertools
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

from tokoban.sokoban.labels.shards import to_bytes
from tokoban.systems.push_policy import config as presets
from tokoban.systems.push_policy.batches import Batch
from tokoban.systems.push_policy.dataset import LabelledPositions, batch_of, random_levels
from tokoban.systems.push_policy.device_positions import on_device, read_positions
from tokoban.systems.push_policy.positions import FLOOR, positions_of


def tensors(batch: Batch) -> list[Tensor]:
    return [*batch.boards, batch.results, batch.value]


def check_equal_to_the_host(device: torch.device) -> None:
    words, classes = positions_of(random_levels(3, 5))
    symmetries = np.arange(len(words)) % 8
    num_tokens = -(-int(np.bitwise_count(words[:, FLOOR]).max()) // 4) * 4
    found = on_device(
        torch.from_numpy(words.view(np.int64)).to(device),
        torch.from_numpy(classes).to(device),
        torch.from_numpy(symmetries).to(device),
        num_tokens=num_tokens,
    )
    expected = batch_of(words, classes, symmetries)
    for one, other in zip(tensors(found), tensors(expected), strict=True):
        assert one.dtype == other.dtype
        assert torch.equal(one.cpu(), other)


def test_a_batch_of_tensors_is_that_of_the_compiled_loops() -> None:
    check_equal_to_the_host(torch.device("cpu"))


@pytest.mark.gpu
def test_a_batch_on_a_gpu_is_that_of_the_host() -> None:
    check_equal_to_the_host(torch.device("cuda"))


def test_every_position_is_kept_and_any_batch_can_be_the_first(tmp_path: Path) -> None:
    paths = [tmp_path / f"{number}.safetensors" for number in range(2)]
    for number, path in enumerate(paths):
        path.write_bytes(to_bytes(random_levels(number, 0), {}))
    kept = read_positions(paths, torch.device("cpu"))
    assert kept.num_positions == sum(len(positions_of(random_levels(n, 0))[0]) for n in range(2))
    for words, num_tokens in zip(kept.words, kept.num_tokens, strict=True):
        num_squares = np.bitwise_count(words[:, FLOOR].numpy().view(np.uint64))
        assert ((num_tokens - 8 < num_squares) & (num_squares <= num_tokens)).all()
    config = presets.tiny()

    def batches(start_step: int) -> list[Batch]:
        drawn = LabelledPositions(paths).batches(
            config, start_step=start_step, rank=0, world_size=1, kept=kept
        )
        return [*itertools.islice(drawn, 5)]

    first, later = batches(510), batches(512)
    for one, other in zip(first[2:], later, strict=False):
        assert all(map(torch.equal, tensors(one), tensors(other)))
    assert not torch.equal(first[0].value, first[1].value)
