"""The baseline of hashed tiles: symmetric, learns online, and answers as the network does."""

import itertools
from pathlib import Path

import numpy as np
import pytest
import torch

from tokoban.sokoban.encoding.boards import Boards
from tokoban.sokoban.encoding.features import CAN_PUSH, DIRECTIONS
from tokoban.sokoban.labels.shards import to_bytes
from tokoban.systems.push_policy.config import PushPolicyConfig
from tokoban.systems.push_policy.dataset import batch_of, random_levels
from tokoban.systems.push_policy.positions import positions_of
from tokoban.systems.push_policy.results import NUM_CLASSES
from tokoban.systems.push_policy.tile_learning import learn
from tokoban.systems.push_policy.tiles import TilePolicy
from tokoban.systems.push_policy.train import build_model, make_system


def drawn(table_bits: int = 9) -> TilePolicy:
    """Random weights."""
    model = TilePolicy(table_bits=table_bits)
    generator = torch.Generator().manual_seed(3)
    for parameter in model.parameters():
        parameter.copy_(torch.randn(parameter.shape, generator=generator))
    return model


def boards(symmetry: int, count: int = 40) -> Boards:
    words, classes = positions_of(random_levels(seed=2, number=0))
    return batch_of(words[:count], classes[:count], np.full(count, symmetry)).boards


@pytest.mark.parametrize("symmetry", range(1, 8))
def test_symmetric_boards_have_symmetric_answers(symmetry: int) -> None:
    """Tokens keep their order under a symmetry, directions turn."""
    model = drawn()
    plain, turned = model(boards(0)), model(boards(symmetry))
    to = DIRECTIONS[symmetry].tolist()
    torch.testing.assert_close(turned.push[:, :, to], plain.push)
    torch.testing.assert_close(turned.result[:, :, to], plain.result)
    torch.testing.assert_close(turned.value, plain.value)


def test_only_legal_pushes_have_logits_and_the_value_is_of_probabilities() -> None:
    batch = boards(0)
    output = drawn()(batch)
    is_legal = batch.features[:, :, CAN_PUSH : CAN_PUSH + 4] != 0
    assert torch.equal(output.push != 0, is_legal)
    assert output.value.shape == (40, NUM_CLASSES)
    torch.testing.assert_close(output.value.exp().sum(1), torch.ones(40))


@pytest.fixture(scope="module")
def shards(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("labels")
    paths = [folder / f"{number}.safetensors" for number in range(3)]
    for number, path in enumerate(paths):
        path.write_bytes(to_bytes(random_levels(seed=2, number=number), {}))
    return paths


def learned(shards: list[Path], seed: int) -> tuple[TilePolicy, list[dict[str, float]]]:
    """By a clock that ticks a second a look."""
    model, means = TilePolicy(table_bits=14), []
    ticks = itertools.count()
    learn(
        model,
        shards,
        minutes=1.0,
        seed=seed,
        report=lambda number, found: means.append(found),
        clock=lambda: float(next(ticks)),
    )
    return model, means


def test_learning_lowers_every_loss_and_equal_seeds_give_equal_weights(shards: list[Path]) -> None:
    model, means = learned(shards, seed=5)
    assert means[-1]["push"] < 0.7 * means[0]["push"]
    assert means[-1]["value"] < 0.7 * means[0]["value"]
    assert means[-1]["top1"] > means[0]["top1"]
    same, other = learned(shards, seed=5)[0], learned(shards, seed=6)[0]
    assert torch.equal(model.push_table, same.push_table)
    assert torch.equal(model.excess, same.excess)
    assert not torch.equal(model.push_table, other.push_table)


def test_the_training_loop_refuses_tiles_in_a_sentence() -> None:
    config = PushPolicyConfig(model="tiles", table_bits=9)
    assert isinstance(build_model(config), TilePolicy)
    with pytest.raises(ValueError, match="hashed tiles learn online"):
        make_system(config)
