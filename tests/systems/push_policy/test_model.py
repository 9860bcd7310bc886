"""The parts of the network against torch's convolution, and what padding and batches may not do."""

import numpy as np
import pytest
import torch

from tokoban.sokoban.encoding.boards import Boards
from tokoban.systems.push_policy.config import Inputs, PushPolicyConfig
from tokoban.systems.push_policy.dataset import batch_of, random_levels
from tokoban.systems.push_policy.model import PushNet, PushOutput
from tokoban.systems.push_policy.positions import FLOOR, positions_of, tokens_of
from tokoban.systems.push_policy.results import DEADLOCK_CLASS
from tokoban.systems.push_policy.train import loss_of


@pytest.fixture(scope="module")
def words() -> np.ndarray:
    words, _ = positions_of(random_levels(seed=1, number=0))
    return words[np.argsort(np.bitwise_count(words[:, FLOOR]), kind="stable")[[0, 5, -1]]]


def _boards(words: np.ndarray, num_tokens: int) -> Boards:
    return Boards(*map(torch.from_numpy, tokens_of(words, np.zeros(len(words), int), num_tokens)))


@pytest.mark.parametrize("inputs", ["raw", "augmented", "bounds"])
def test_a_batch_answers_as_each_position_alone_does(words: np.ndarray, inputs: Inputs) -> None:
    torch.manual_seed(0)
    model = PushNet(PushPolicyConfig(width=16, num_blocks=2, num_heads=2, inputs=inputs)).eval()
    together = model(_boards(words, 40))
    for number, row in enumerate(words):
        count = int(np.bitwise_count(row[FLOOR]))
        alone = model(_boards(row[None], count))
        torch.testing.assert_close(together.push[number, :count], alone.push[0])
        torch.testing.assert_close(together.result[number, :count], alone.result[0])
        torch.testing.assert_close(together.value[number], alone.value[0])


def test_the_loss_is_the_one_computed_by_hand() -> None:
    words, classes = positions_of(random_levels(seed=2, number=0))
    order = np.argsort(classes)[[0, 1, 2, 3, -4, -3, -2, -1]]
    batch = batch_of(words[order], classes[order], np.zeros(8, np.int64))
    torch.manual_seed(0)
    shape = batch.results.shape
    output = PushOutput(torch.randn(shape), torch.randn(*shape, 4), torch.randn(8, 33))
    found = loss_of(output, batch, PushPolicyConfig(value_weight=1.0))
    push, result, value = [], [], []
    for number in range(8):
        legal = batch.results[number] >= 0
        chances = output.push[number][legal].softmax(0)
        own = batch.results[number][legal].long()
        if batch.value[number] != DEADLOCK_CLASS:
            push.append(-chances[own == 0].sum().log())
        result += list(-output.result[number][legal].log_softmax(1).gather(1, own[:, None]))
        value.append(-output.value[number].log_softmax(0)[int(batch.value[number])])
    parts = [torch.stack(part).mean() for part in (push, result, value)]
    assert found.parts is not None
    torch.testing.assert_close(found.parts, torch.stack(parts))
