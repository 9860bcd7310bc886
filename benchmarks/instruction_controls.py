"""What the network of instructions owes to questions, the order of the words, and what it sees.

``questions``: the claim of RT-2 (Brohan et al. 2023, arXiv:2307.15818), that words which occur in
questions alone steer pushes. Weights forget these words: their embeddings are drawn anew. Then
they train on, once with questions and once without; in neither training has an instruction one of
the words. Counted are instructions with them (split "names") and without them ("levels").

``order``: weights train on, once with the words of each sentence as they are and once shuffled, a
bag of words. Counted are instructions about two boxes, which mean something else when the boxes
change places in the sentence.

``pictures``: the layer that reads squares is initialised anew. The weights train on, once with the
pixels of the drawn board and once with the features that are computed from the board.

All counts are of greedy play, among the instructions that can be obeyed. Prints a line of JSON for
each network. FOLDER keeps the runs; the same command goes on with them.
"""

import argparse
import json
import random
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import torch

from tokoban import pretrained
from tokoban.cli.exit_codes import ExitCode
from tokoban.sokoban.board import Board
from tokoban.sokoban.canonical import canonical_form
from tokoban.sokoban.instructions import benchmark, grammar
from tokoban.sokoban.instructions.phrases import languages, words_in
from tokoban.systems.instructions.config import InstructionsConfig
from tokoban.systems.instructions.dataset import Batch
from tokoban.systems.instructions.evaluate import some_held_out
from tokoban.systems.instructions.model import InstructionNet
from tokoban.systems.instructions.obey import Task, obey_all
from tokoban.systems.instructions.spec import SPEC
from tokoban.systems.instructions.train import InstructionsSystem, make_system
from tokoban.systems.instructions.words import PADDING
from tokoban.text.saved import tokenizer_of
from tokoban.training import loop
from tokoban.training.config import to_dict
from tokoban.training.metrics import share
from tokoban.training.run_directory import RunDirectory

_MOST_PUSHES = 100
_NUM_LEVELS = 100  # of the splits
_NUM_SENTENCES = 1000  # about two boxes
_BATCH_EXAMPLES = 128
_SEED = 1_000_003  # of levels about two boxes; not that of any training


def words_of_questions() -> set[str]:
    """The words of names that questions alone use, and nothing else."""
    taught: set[str] = set()
    untaught: set[str] = set()
    for phrases in languages().values():
        for table in (phrases.boxes, phrases.places, phrases.sentences):
            taught |= words_in(table.values())
        untaught |= words_in(phrases.untaught.values())
    return untaught - taught


def forget(network: InstructionNet, seed: int) -> None:
    """Draws the embeddings of these words anew."""
    words, generator = tokenizer_of(network), torch.Generator().manual_seed(seed)
    tokens = words.encode(" ".join(sorted(words_of_questions())))
    weight = network.embedding.weight.data
    weight[tokens] = torch.randn(len(tokens), weight.shape[1], generator=generator)


def with_new_stem(start: InstructionNet, config: InstructionsConfig, seed: int) -> InstructionNet:
    """The network with the layer that reads squares, its stem, initialised anew."""
    torch.manual_seed(seed)
    network = InstructionNet(config, tokenizer_of(start))
    drawn, state = network.state_dict(), start.state_dict()
    network.load_state_dict(drawn | {k: v for k, v in state.items() if not k.startswith("stem.")})
    return network


def of_split(split: str, boards: Iterable[Board]) -> Iterator[Task]:
    """The instructions that can be obeyed."""
    for number, board in enumerate(boards):
        chance = random.Random(f"0 {split} {number}")
        for text, _, truth in benchmark.instructions(chance, board, benchmark.SPLITS[split]):
            if truth.fewest_pushes is not None:
                yield Task(truth.graph.cells, truth.machine, text)


def about_two_boxes(boards: Iterable[Board]) -> Iterator[Task]:
    """The instructions of one clause with two boxes that can be obeyed."""
    for task in of_split("levels", boards):
        clauses = grammar.parse(task.text).meaning
        if len(clauses) == 1 and clauses[0].other is not None:
            yield task


def shuffled(text: str, chance: random.Random) -> str:
    """The same words in another order."""
    words = text.split()
    return " ".join(chance.sample(words, len(words)))


@dataclass(frozen=True)
class BagSystem(InstructionsSystem):
    """Its sentences have their words in any order."""

    def train_batches(self, model: InstructionNet, *, start_step: int) -> Iterator[Batch]:
        """The batches of the system, with the words of each sentence shuffled."""
        for batch in super().train_batches(model, start_step=start_step):
            words = batch.prompt.words
            keys = torch.rand(words.shape, generator=torch.Generator().manual_seed(start_step))
            order = torch.where(words == PADDING, 2.0, keys).argsort(1)  # padding stays at the end
            yield batch._replace(prompt=batch.prompt._replace(words=words.gather(1, order)))
            start_step += 1


def counted(network: InstructionNet, sets: Mapping[str, Sequence[Task]]) -> dict[str, float]:
    """How many of each set greedy play obeys."""
    row: dict[str, float] = {}
    for name, tasks in sets.items():
        found = obey_all(network.eval(), tasks, most_evaluated=_MOST_PUSHES, is_greedy=True)
        count = sum(search.moves is not None for search in found)
        row |= {f"{name}_of": len(tasks), **share(name, count, len(tasks))}
    return row


def say(row: Mapping[str, Any]) -> None:
    """Prints it."""
    print(json.dumps(row), flush=True)


def shipped() -> tuple[InstructionNet, InstructionsConfig]:
    """The weights that all trainings begin with, or with a part of them."""
    network, config = pretrained.load("sokoban-instructions", system="instructions")
    assert isinstance(network, InstructionNet)
    return network, config


def trained(
    start: InstructionNet,
    config: InstructionsConfig,
    path: Path,
    *,
    seed: int,
    steps: int,
    is_bag: bool = False,
) -> InstructionNet:
    """The network after a training, which ``path`` keeps."""
    config = replace(config, data_seed=seed + 1, batch_examples=_BATCH_EXAMPLES, workers=0)
    run = replace(
        SPEC.presets["base"].run,
        minutes=None,
        steps=steps,
        seed=seed,
        device="cpu",
        learning_rate=6e-3,
        muon=0.25,
        schedule="linear",
        warmup_steps=20,
        ema_decay=0.98,
    )
    directory = RunDirectory(path, system="instructions", config=to_dict(config))
    system = make_system(config, start)
    if is_bag:
        system = BagSystem(system.config, system.held_out, system.words)
    loop.fit(system, run, directory, resume=path.exists(), start=start.state_dict())
    network, _ = pretrained.load(str(path), system="instructions")
    assert isinstance(network, InstructionNet)
    return network


def measure_questions(folder: Path, seeds: Sequence[int], steps: int) -> None:
    """Prints the rows of ``questions``."""
    known, config = shipped()
    boards = some_held_out(config, _NUM_LEVELS)
    sets = {split: [*of_split(split, boards)] for split in ("names", "levels")}
    say({"words": "known"} | counted(known, sets))
    for seed in seeds:
        forgetful, _ = shipped()
        forget(forgetful, seed)
        about = {"words": "forgotten", "seed": seed}
        say(about | counted(forgetful, sets))
        for name, asks in (("with", True), ("without", False)):
            asking = replace(config, has_questions=asks)
            path = folder / f"{name}-{seed}"
            network = trained(forgetful, asking, path, seed=seed, steps=steps)
            say(about | {"questions": name} | counted(network, sets))


def measure_order(folder: Path, seeds: Sequence[int], steps: int) -> None:
    """Prints the rows of ``order``."""
    start, config = shipped()
    known = {*map(canonical_form, benchmark.held_out(config.levels, seed=config.level_seed))}
    boards = benchmark.other_boards(known, seed=_SEED)
    ordered = [*islice(about_two_boxes(boards), _NUM_SENTENCES)]
    chance = random.Random(0)
    bags = [task._replace(text=shuffled(task.text, chance)) for task in ordered]
    sets = {"order": ordered, "bag": bags}
    say({"trained": "as shipped"} | counted(start, sets))
    for seed in seeds:
        for name, tasks in sets.items():
            path, is_bag = folder / f"{name}-{seed}", name == "bag"
            network = trained(start, config, path, seed=seed, steps=steps, is_bag=is_bag)
            say({"trained": name, "seed": seed} | counted(network, {name: tasks}))


def measure_pictures(folder: Path, seeds: Sequence[int], steps: int) -> None:
    """Prints the rows of ``pictures``."""
    start, config = shipped()
    sets = {"levels": [*of_split("levels", some_held_out(config, _NUM_LEVELS))]}
    say({"reads": "as shipped"} | counted(start, sets))
    for seed in seeds:
        for name, reads_pixels in (("pixels", True), ("features", False)):
            seeing = replace(config, reads_pixels=reads_pixels)
            new = with_new_stem(start, seeing, seed)
            path = folder / f"{name}-{seed}"
            network = trained(new, seeing, path, seed=seed, steps=steps)
            say({"reads": name, "seed": seed} | counted(network, sets))


_MEASURES = {
    "questions": measure_questions,
    "order": measure_order,
    "pictures": measure_pictures,
}


def main(argv: Sequence[str] | None = None) -> int:
    """Answers 0, or 2 for a folder that cannot be used."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=_MEASURES)
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--steps", type=int, default=350)
    chosen = parser.parse_args(argv)
    try:
        _MEASURES[chosen.what](chosen.folder, chosen.seeds, chosen.steps)
    except (ValueError, OSError) as error:
        print(error, file=sys.stderr)
        return ExitCode.INVALID_INPUT
    return 0


if __name__ == "__main__":
    sys.exit(main())
