"""Do words that occur in questions alone steer pushes, and is it the questions that teach them?

The claim of RT-2 (Brohan et al. 2023, arXiv:2307.15818). Shipped weights forget these words: their
embeddings are drawn anew. Then they train on, once with questions and once without; in either
training no instruction has one of the words. Counted are the instructions with them (split
"names") and without them (split "levels") that greedy play obeys, of those that can be obeyed.
Prints a line of JSON for each network.
"""

import argparse
import json
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import torch

from tokoban import pretrained
from tokoban.sokoban.instructions import benchmark
from tokoban.sokoban.instructions.phrases import languages
from tokoban.systems.instructions.model import InstructionNet
from tokoban.systems.instructions.obey import Task, obey_all
from tokoban.systems.instructions.spec import SPEC
from tokoban.systems.instructions.train import make_system
from tokoban.text.saved import tokenizer_of
from tokoban.training import loop
from tokoban.training.config import to_dict
from tokoban.training.metrics import share
from tokoban.training.run_directory import RunDirectory

_MOST_PUSHES = 100


def words_of_questions() -> set[str]:
    """The words of names that questions alone use, and nothing else."""
    taught: set[str] = set()
    untaught: set[str] = set()
    for phrases in languages().values():
        tables = (phrases.boxes, phrases.places, phrases.sentences)
        texts = [text for table in tables for texts in table.values() for text in texts]
        taught.update(word for text in texts for word in text.replace("|", " ").split())
        untaught.update(
            word for texts in phrases.untaught.values() for word in " ".join(texts).split()
        )
    return untaught - taught


def forget(network: InstructionNet, seed: int) -> None:
    """Draws the embeddings of these words anew."""
    words, generator = tokenizer_of(network), torch.Generator().manual_seed(seed)
    tokens = words.encode(" ".join(sorted(words_of_questions())))
    weight = network.embedding.weight.data
    weight[tokens] = torch.randn(len(tokens), weight.shape[1], generator=generator)


def tasks(num_levels: int, split: str, held_out: Sequence[object]) -> Iterator[Task]:
    """The instructions of some held-out levels that can be obeyed."""
    boards = [held_out[i * len(held_out) // num_levels] for i in range(num_levels)]
    for number, board in enumerate(boards):
        chance = random.Random(f"0 {split} {number}")
        for _, text, truth in benchmark.instructions(chance, board, benchmark.SPLITS[split]):
            if truth.fewest_pushes is not None:
                yield Task(truth.graph.cells, truth.machine, text)


def main(argv: Sequence[str] | None = None) -> int:
    """Answers 0."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="of the runs, which are gone on with")
    parser.add_argument("--weights", default="sokoban-instructions")
    parser.add_argument("--levels", type=int, default=100)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--steps", type=int, default=350)
    parser.add_argument("--batch-examples", type=int, default=128)
    chosen = parser.parse_args(argv)

    def network() -> InstructionNet:
        return pretrained.load(chosen.weights, system="instructions")[0].requires_grad_(True)

    config = pretrained.load(chosen.weights, system="instructions")[1]
    held_out = benchmark.held_out(config.levels, seed=config.level_seed)
    sets = {split: [*tasks(chosen.levels, split, held_out)] for split in ("names", "levels")}

    def report(about: dict[str, object], trained: InstructionNet) -> None:
        row = dict(about)
        for split, asked in sets.items():
            found = obey_all(trained.eval(), asked, most_evaluated=_MOST_PUSHES, is_greedy=True)
            obeyed = sum(search.moves is not None for search in found)
            row |= {f"{split}_of": len(asked), **share(split, obeyed, len(asked))}
        print(json.dumps(row), flush=True)

    report({"words": "as shipped"}, network())
    for seed in chosen.seeds:
        forgetful = network()
        forget(forgetful, seed)
        report({"words": "forgotten", "seed": seed}, forgetful)
        for asks in (True, False):
            own = replace(
                config, has_questions=asks, data_seed=seed + 1, workers=0,
                batch_examples=chosen.batch_examples,
            )  # fmt: skip
            run = replace(
                SPEC.presets["base"].run, minutes=None, steps=chosen.steps, seed=seed, device="cpu",
                learning_rate=6e-3, muon=0.25, schedule="linear", warmup_steps=20, ema_decay=0.98,
            )  # fmt: skip
            path = chosen.folder / f"{'with' if asks else 'without'}-{seed}"
            directory = RunDirectory(path, system="instructions", config=to_dict(own))
            system = make_system(own, forgetful)
            start = forgetful.state_dict()
            loop.fit(system, run, directory, resume=path.exists(), start=start)
            trained = pretrained.load(str(path), system="instructions")[0]
            report({"words": "forgotten", "seed": seed, "questions": asks}, trained)
    return 0


if __name__ == "__main__":
    sys.exit(main())
