"""Two tasks as text, whose examples are drawn from a seed: a network that is right learns them.

Sort: ``201102=001122``, minGPT's digits 0 to 2. Addition: ``27+15=240``, two numbers with leading
zeros and then their sum backwards, since its digits come about from the last one on.
Axes: B examples, T positions.
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch

from tokoban.systems.gpt.config import Task
from tokoban.systems.gpt.dataset import IGNORED, Batch
from tokoban.text.characters import CharacterTokenizer
from tokoban.training.streams import Purpose, streams

NUM_SORTED = 3  # different digits that are sorted

# One problem in so many is never trained on.
_HELD_OUT_OF = 4


class Problem(NamedTuple):
    """The problem up to ``=``, and its one right answer."""

    question: str
    answer: str


def tokenizer_of(task: Task) -> CharacterTokenizer:
    """All characters that a task's texts have."""
    return CharacterTokenizer("012=" if task == "sort" else "0123456789+=")


def num_problems(task: Task, num_digits: int) -> int:
    """The number of different problems."""
    return NUM_SORTED**num_digits if task == "sort" else 10 ** (2 * num_digits)


def problem(task: Task, number: int, *, num_digits: int) -> Problem:
    """Problem ``number`` of ``num_problems``."""
    if task == "sort":
        digits = [str(number // NUM_SORTED**place % NUM_SORTED) for place in range(num_digits)]
        return Problem("".join(digits) + "=", "".join(sorted(digits)))
    first, second = divmod(number, 10**num_digits)
    question = f"{first:0{num_digits}}+{second:0{num_digits}}="
    return Problem(question, f"{first + second:0{num_digits + 1}}"[::-1])


def is_held_out(number: int) -> bool:
    """Whether a problem is for tests alone; spread evenly, and the same everywhere."""
    # Knuth's multiplicative hash: the last digits of a problem say nothing about it.
    return (number * 2_654_435_761 % 2**32) >> 30 == _HELD_OUT_OF - 1


def task_batches(
    task: Task,
    *,
    num_digits: int,
    batch_size: int,
    seed: int,
    start_step: int = 0,
    rank: int = 0,
) -> Iterator[Batch]:
    """Problems that are not held out, without end; only the answer's tokens count in the loss.

    Batch n of a rank is the same whatever ``start_step`` is.
    """
    tokenizer, total = tokenizer_of(task), num_problems(task, num_digits)
    for random in streams(seed, Purpose.EXAMPLES, rank, start_step=start_step):
        drawn: list[int] = []
        while len(drawn) < batch_size:
            found = random.integers(total, size=batch_size).tolist()
            drawn += [each for each in found if not is_held_out(each)]
        problems = [problem(task, each, num_digits=num_digits) for each in drawn[:batch_size]]
        tokens = torch.tensor(tokenizer.encode_many(["".join(each) for each in problems]))
        targets = tokens[:, 1:].clone()
        targets[:, : len(problems[0].question) - 1] = IGNORED
        yield Batch(tokens[:, :-1], targets)
