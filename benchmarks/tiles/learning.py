"""Trains the baseline: online, one position after the other, by AdaGrad on the rows that it uses.

AdaGrad: Duchi, Hazan and Singer 2011. The loop of ``training`` would change every row of the tables
at every step; here a position changes some hundred of a million.

Axes as in ``tiles``.
"""

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import no_type_check

import numpy as np

from benchmarks.tiles.policy import (
    EXCESS_SCALE,
    SLOPE,
    TilePolicy,
    TileWeights,
    add_box,
    add_numbers,
    add_push,
    fill_value,
)
from tokoban.compiling import clock, entry, inner
from tokoban.systems.push_policy.dataset import batch_of
from tokoban.systems.push_policy.positions import positions_in
from tokoban.systems.push_policy.results import DEADLOCK_CLASS, NUM_RESULTS, Result

_POSITIONS_AT_ONCE = 4096
_LEARNING_RATE = 0.1
_LAST_SHARE = 0.02  # of the learning rate, to which it falls linearly
_EPSILON = 1e-2  # added to the sums of squares
_LEAST_GRADIENT = 1e-4  # below which nothing is changed
_OPTIMAL, _DEADLOCK_CLASS = int(Result.OPTIMAL), DEADLOCK_CLASS

# Sums over a shard: solvable positions, their losses of the push and hits, the losses of the value
# of all positions, and these.
_SOLVABLE, _PUSH_LOSS, _HITS, _VALUE_LOSS, _POSITIONS = range(5)


def learn(
    model: TilePolicy,
    shards: Sequence[Path],
    *,
    minutes: float,
    seed: int = 0,
    report: Callable[[int, dict[str, float]], None] | None = None,
    clock: Callable[[], float] = clock,
) -> int:
    """Trains for so long on the shards in random order; returns how many positions it has read.

    ``report`` is called after each shard with the positions so far and means since the last call.
    """
    rng = np.random.default_rng(seed)
    weights = model.weights()
    squares = TileWeights(*(np.full_like(array, _EPSILON) for array in weights))
    num_positions, started_s = 0, clock()
    while True:
        for place in rng.permutation(len(shards)):
            words, classes = positions_in(shards[place])
            order = rng.permutation(len(words))
            sums = np.zeros(5)
            for first in range(0, len(order), _POSITIONS_AT_ONCE):
                done = (clock() - started_s) / (60 * minutes)
                if done >= 1:
                    return num_positions
                chosen = order[first : first + _POSITIONS_AT_ONCE]
                batch = batch_of(words[chosen], classes[chosen], np.zeros(len(chosen), np.int64))
                found = model.describe(batch.boards)
                results = batch.results.numpy().reshape(-1)[found.push]
                num_tokens = batch.boards.features.shape[1]
                rate = _LEARNING_RATE * max(1 - done, _LAST_SHARE)
                _learn(
                    weights, squares, found, num_tokens, results, batch.value.numpy(), rate, sums
                )
                num_positions += len(chosen)
            if report is not None:
                report(num_positions, _means(sums))


def _means(sums: np.ndarray) -> dict[str, float]:
    num_solvable = max(sums[_SOLVABLE], 1)
    return {
        "push": float(sums[_PUSH_LOSS] / num_solvable),
        "top1": float(sums[_HITS] / num_solvable),
        "value": float(sums[_VALUE_LOSS] / max(sums[_POSITIONS], 1)),
    }


@entry(makes_arrays=True)
@no_type_check
def _learn(weights, squares, found, num_tokens, results, classes, rate, sums):
    """One update for each position, in order."""
    push, box = 0, 0
    linear = np.zeros(2, np.float32)
    value = np.zeros(_DEADLOCK_CLASS + 1, np.float32)
    gradient = np.zeros(1 + NUM_RESULTS)
    for position in range(len(classes)):
        last_push, last_box = push, box
        while last_push < len(found.push) and (
            found.push[last_push] // (4 * num_tokens) == position
        ):
            last_push += 1
        while last_box < len(found.box_position) and found.box_position[last_box] == position:
            last_box += 1
        linear[:] = 0
        for own_box in range(box, last_box):
            add_box(weights, found.box_rows[own_box], linear)
        add_numbers(weights, found.numbers[position], linear)
        logits = np.zeros((last_push - push, 1 + NUM_RESULTS), np.float32)
        _learn_pushes(
            weights, squares, found.push_rows[push:last_push], results[push:last_push], linear,
            classes[position] != _DEADLOCK_CLASS, rate, sums, logits, gradient,
        )  # fmt: skip
        _learn_value(
            weights, squares, found.box_rows[box:last_box], found.numbers[position],
            classes[position], linear, rate, sums, value,
        )  # fmt: skip
        push, box = last_push, last_box


@inner
@no_type_check
def _learn_pushes(
    weights, squares, rows, results, linear, is_solvable, rate, sums, logits, gradient
):
    """By the set loss, -log of the probability of any optimal push, and by that of the results."""
    count = len(rows)
    if count == 0:
        return
    most, likeliest = -np.inf, 0
    for push in range(count):
        add_push(weights, rows[push], linear, logits[push])
        if logits[push, 0] > most:
            most, likeliest = logits[push, 0], push
    total, optimal = 0.0, 1e-12
    for push in range(count):
        chance = math.exp(logits[push, 0] - most)
        total += chance
        if results[push] == _OPTIMAL:
            optimal += chance
    if is_solvable:
        sums[_SOLVABLE] += 1
        sums[_PUSH_LOSS] += math.log(total / optimal)
        sums[_HITS] += results[likeliest] == _OPTIMAL
    for push in range(count):
        chance = math.exp(logits[push, 0] - most)
        gradient[0] = 0.0
        if is_solvable:
            gradient[0] = chance / total
            if results[push] == _OPTIMAL:
                gradient[0] -= chance / optimal
        most_result = -np.inf
        for result in range(NUM_RESULTS):
            most_result = max(most_result, logits[push, 1 + result])
        of_all = 0.0
        for result in range(NUM_RESULTS):
            gradient[1 + result] = math.exp(logits[push, 1 + result] - most_result)
            of_all += gradient[1 + result]
        for result in range(NUM_RESULTS):
            gradient[1 + result] = gradient[1 + result] / of_all - (results[push] == result)
        for output in range(1 + NUM_RESULTS):
            if abs(gradient[output]) >= _LEAST_GRADIENT:
                for row in rows[push]:
                    _step(
                        weights.push_table, squares.push_table, row, output, gradient[output], rate
                    )


@inner
@no_type_check
def _learn_value(weights, squares, rows, numbers, own_class, linear, rate, sums, value):
    """By the cross entropy of the class of excess, or of a deadlock."""
    fill_value(weights, linear, value)
    sums[_VALUE_LOSS] -= value[own_class]
    sums[_POSITIONS] += 1
    deadlocked = math.exp(value[_DEADLOCK_CLASS])
    of_deadlock = deadlocked - (own_class == _DEADLOCK_CLASS)
    of_slope = 0.0
    if own_class != _DEADLOCK_CLASS:
        for excess in range(_DEADLOCK_CLASS):
            chance = math.exp(value[excess]) / max(1 - deadlocked, 1e-12)
            own = chance - (excess == own_class)
            of_slope += own * excess * EXCESS_SCALE
            squares.excess[excess] += own * own
            weights.excess[excess] -= rate * own / math.sqrt(squares.excess[excess])
    for output in range(2):
        gradient = of_slope if output == SLOPE else of_deadlock
        if abs(gradient) < _LEAST_GRADIENT:
            continue
        for box in range(len(rows)):
            for row in rows[box]:
                _step(weights.box_table, squares.box_table, row, output, gradient, rate)
        for number in range(len(numbers)):
            own = gradient * numbers[number]
            _step(weights.value, squares.value, output, number, own, rate)


@inner
@no_type_check
def _step(table, squares, row, column, gradient, rate):
    """Changes one weight."""
    squares[row, column] += gradient * gradient
    table[row, column] -= rate * gradient / math.sqrt(squares[row, column])
