"""Instructions obeyed and questions answered by a network, on the splits of the benchmark."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np

from tokoban.sokoban.board import Board
from tokoban.sokoban.instructions import benchmark
from tokoban.systems.instructions.config import InstructionsConfig
from tokoban.systems.instructions.model import InstructionNet
from tokoban.systems.instructions.obey import MOST_EVALUATED, Task, answer_all, obey_all
from tokoban.systems.instructions.prompts import hidden
from tokoban.training.config import check_limits
from tokoban.training.limits import Between, Seed
from tokoban.training.metrics import auc, share
from tokoban.training.spec import Trained

_MOST_PUSHES = 100  # of greedy play
_SPLITS = tuple(name for name, split in benchmark.SPLITS.items() if not split.is_training)


@dataclass(frozen=True, kw_only=True)
class InstructionsEvaluation:
    """Which levels, and what is kept from the network."""

    levels: Annotated[int, Between(2, 10_000)] = 50  # of those that its training held out
    most_evaluated: Annotated[int, Between(1, 10**6)] = MOST_EVALUATED  # positions, by the search
    words: Literal["given", "shuffled", "hidden"] = "given"  # shuffled: those of a sentence
    board: Literal["given", "hidden"] = "given"  # hidden: the network sees the floor alone
    seed: Seed = 0  # of the sentences

    def __post_init__(self) -> None:
        check_limits(self)


def evaluate(
    trained: Trained[InstructionsConfig, InstructionNet], options: InstructionsEvaluation
) -> dict[str, float]:
    """For each split of the benchmark: the shares of instructions obeyed and of questions answered.

    Half of ``..._instructions`` are possible. ``..._obeyed`` is the share of these that greedy play
    obeys, ``..._extra_pushes`` are its pushes beyond the fewest, as a share of the fewest, where it
    obeys, and ``..._impossible_auc`` is the area under the ROC curve of the probability of
    "impossible" at the start. ``..._by_search`` are the same by best-first search within
    ``most_evaluated`` positions, after which what it obeys is known to be possible.
    ``questions_answered`` are right word for word.
    """
    boards = some_held_out(trained.config, options.levels)
    metrics: dict[str, float] = {}
    asked = [
        (board, text, answer)
        for number, board in enumerate(boards)
        for text, _, answer in benchmark.questions(random.Random(f"{options.seed} {number}"), board)
    ]
    chance = random.Random(options.seed)
    texts = [(board, _given(text, options, chance)) for board, text, _ in asked]
    hides = options.board == "hidden"
    with trained.model.register_forward_pre_hook(
        lambda _, read: (hidden(read[0]), *read[1:]) if hides else None
    ):
        for name in _SPLITS:
            found = _instructions(trained.model, name, boards, options)
            metrics |= {f"{name}_{key}": value for key, value in found.items()}
        said = answer_all(trained.model, texts)
    right = sum(mine == answer for mine, (_, _, answer) in zip(said, asked, strict=True))
    return metrics | share("questions_answered", right, len(asked))


def some_held_out(config: InstructionsConfig, most: int) -> list[Board]:
    """Levels that the training held out, of each number of boxes."""
    return benchmark.some_of(benchmark.held_out(config.levels, seed=config.level_seed), most)


def _given(text: str, options: InstructionsEvaluation, chance: random.Random) -> str:
    """What the network reads of a sentence."""
    words = text.split()
    if options.words == "shuffled":
        chance.shuffle(words)
    return "" if options.words == "hidden" else " ".join(words)


def _instructions(
    model: InstructionNet, name: str, boards: Sequence[Board], options: InstructionsEvaluation
) -> dict[str, float]:
    hiding = random.Random(options.seed)
    tasks, fewest = [], []
    for number, board in enumerate(boards):
        chance = random.Random(f"{options.seed} {name} {number}")
        for text, _, truth in benchmark.instructions(chance, board, benchmark.SPLITS[name]):
            tasks.append(Task(truth.graph.cells, truth.machine, _given(text, options, hiding)))
            fewest.append(truth.fewest_pushes)
    can_be = [i for i, pushes in enumerate(fewest) if pushes is not None]
    is_impossible = np.array([pushes is None for pushes in fewest], np.bool_)
    greedy = obey_all(model, tasks, most_evaluated=_MOST_PUSHES, is_greedy=True)
    possible = [tasks[i] for i in can_be]
    plays_by = {
        "": [greedy[i] for i in can_be],
        "by_search": obey_all(model, possible, most_evaluated=options.most_evaluated),
    }
    scores = np.array([found.impossible for found in greedy])
    metrics: dict[str, float] = {"instructions": len(tasks)}
    for by, plays in plays_by.items():
        end = f"_{by}" if by else ""
        obeyed = [
            (i, play.num_pushes)
            for i, play in zip(can_be, plays, strict=True)
            if play.moves is not None
        ]
        needed = sum(fewest[i] or 0 for i, _ in obeyed)
        extra = sum(pushes for _, pushes in obeyed) - needed
        if by:  # what a search obeys is known to be possible
            scores[[i for i, _ in obeyed]] = 0.0
        metrics |= {
            **share(f"obeyed{end}", len(obeyed), len(can_be)),
            f"extra_pushes{end}": extra / needed if needed else float("nan"),
            f"impossible_auc{end}": auc(scores[is_impossible], scores[~is_impossible]),
        }
    return metrics
