"""The cheap baseline: sums of table rows that hashed tiles choose, and a linear value.

It answers what the network of ``sokoban-push`` answers. A push has the sum of the rows of its
contexts (a product of experts, as in LTS+CM, arXiv:2305.16945). The excess of the pushes left over
the lower bound is judged by one number, and a deadlock by another: each is linear in a few numbers
of the position and in the rows of its boxes. ``learning`` trains it.

Axes: B positions, T tokens, N sums, C contexts, R rows, O outputs, E classes of excess.
"""

import math
from typing import NamedTuple, no_type_check

import numpy as np
import torch
from jaxtyping import Float32
from safetensors.torch import load_file
from torch import nn

from benchmarks.tiles.features import NUM_NUMBERS, Described, describe
from tokoban import pretrained
from tokoban.compiling import entry, inner
from tokoban.sokoban.encoding.boards import Boards
from tokoban.systems.push_policy.guide import Judge, as_judge
from tokoban.systems.push_policy.model import PushOutput
from tokoban.systems.push_policy.results import MOST_EXCESS, NUM_RESULTS, Result
from tokoban.systems.push_policy.spec import SPEC
from tokoban.systems.push_policy.torch_judge import TorchJudge
from tokoban.training.weights_header import read_header

PUSH_OUTPUTS = 1 + NUM_RESULTS  # the logits of the push and of its results
SLOPE, DEADLOCK = range(2)  # what is linear: how likely great excesses are, and a deadlock's logit
_DEADLOCK_RESULT = int(Result.DEADLOCK)
TABLE_BITS = "table bits of hashed tiles"  # in the header of a file of weights
EXCESS_SCALE = 1 / 4  # of the slope: excesses reach 31


class TileWeights(NamedTuple):
    """All that is learned, for compiled code."""

    push_table: Float32[np.ndarray, "R O"]
    box_table: Float32[np.ndarray, "R 2"]
    value: Float32[np.ndarray, "2 Z"]  # times the numbers of the position
    excess: Float32[np.ndarray, " E"]


class TilePolicy(nn.Module):
    """Reads the boards that the network reads, on a CPU and without gradients."""

    def __init__(self, *, table_bits: int) -> None:
        super().__init__()
        self.push_table = _zeros(1 << table_bits, PUSH_OUTPUTS)
        self.box_table = _zeros(1 << (table_bits - 2), 2)
        self.value = _zeros(2, NUM_NUMBERS)
        self.excess = _zeros(MOST_EXCESS + 1)

    def weights(self) -> TileWeights:
        """The parameters, not copied."""
        return TileWeights(*(getattr(self, name).detach().numpy() for name in TileWeights._fields))

    def describe(self, boards: Boards) -> Described:
        """The rows of the tables that boards choose."""
        if boards.features.device.type != "cpu" or self.excess.device.type != "cpu":
            raise ValueError("hashed tiles are read on the CPU: give --device cpu")
        return describe(
            boards.features.numpy(),
            boards.coordinates.numpy(),
            num_push_rows=len(self.push_table),
            num_box_rows=len(self.box_table),
        )

    def forward(self, boards: Boards) -> PushOutput:
        """Logits for every legal push, 0 elsewhere, and for every position."""
        num_positions, num_tokens, _ = boards.features.shape
        logits = np.zeros((num_positions * num_tokens * 4, PUSH_OUTPUTS), np.float32)
        value = np.zeros((num_positions, MOST_EXCESS + 2), np.float32)
        _answer(self.weights(), self.describe(boards), num_tokens, logits, value)
        by_push = torch.from_numpy(logits).view(num_positions, num_tokens, 4, PUSH_OUTPUTS)
        return PushOutput(by_push[..., 0], by_push[..., 1:], torch.from_numpy(value))


@inner
@no_type_check
def add_box(weights, rows, linear):
    """Adds what a box, seen in one direction, says of its position."""
    for row in rows:
        linear[SLOPE] += weights.box_table[row, SLOPE]
        linear[DEADLOCK] += weights.box_table[row, DEADLOCK]


@inner
@no_type_check
def add_numbers(weights, numbers, linear):
    """Adds what the numbers of a position say."""
    for number in range(len(numbers)):
        linear[SLOPE] += weights.value[SLOPE, number] * numbers[number]
        linear[DEADLOCK] += weights.value[DEADLOCK, number] * numbers[number]


@inner
@no_type_check
def add_push(weights, rows, linear, logits):
    """Adds the logits of one push; in a position that looks deadlocked its result looks so too."""
    for row in rows:
        for output in range(len(logits)):
            logits[output] += weights.push_table[row, output]
    logits[1 + _DEADLOCK_RESULT] += _softplus(linear[DEADLOCK])


@inner
@no_type_check
def fill_value(weights, linear, value):
    """The log-probabilities of each class of excess, and of a deadlock."""
    most = -np.inf
    for excess in range(len(value) - 1):
        value[excess] = weights.excess[excess] + linear[SLOPE] * EXCESS_SCALE * excess
        most = max(most, value[excess])
    total = 0.0
    for excess in range(len(value) - 1):
        total += math.exp(value[excess] - most)
    scale = most + math.log(total) + _softplus(linear[DEADLOCK])
    for excess in range(len(value) - 1):
        value[excess] -= scale
    value[-1] = -_softplus(-linear[DEADLOCK])


@inner
@no_type_check
def _softplus(x):
    """log(1 + exp(x))."""
    return max(x, 0.0) + math.log1p(math.exp(-abs(x)))


def _zeros(*shape: int) -> nn.Parameter:
    return nn.Parameter(torch.zeros(shape), requires_grad=False)


@entry(makes_arrays=True)
@no_type_check
def _answer(weights, found, num_tokens, logits, value):
    """Fills the logits of pushes and their results, and the log-probabilities of the value."""
    linear = np.zeros((len(found.numbers), 2), np.float32)
    for box in range(len(found.box_position)):
        add_box(weights, found.box_rows[box], linear[found.box_position[box]])
    for position in range(len(linear)):
        add_numbers(weights, found.numbers[position], linear[position])
    for push in range(len(found.push)):
        own = logits[found.push[push]]
        add_push(weights, found.push_rows[push], linear[found.push[push] // (4 * num_tokens)], own)
    for position in range(len(linear)):
        fill_value(weights, linear[position], value[position])


def judge_in(name_or_path: str) -> Judge:
    """The tiles of a file, or else the push policy that is named."""
    path = pretrained.weights_path(name_or_path)
    bits = read_header(path).metadata.get(TABLE_BITS)
    if bits is None:
        return as_judge(pretrained.load_trained(name_or_path, SPEC).model)
    model = TilePolicy(table_bits=int(bits))
    model.load_state_dict(load_file(path))
    return TorchJudge(model)
