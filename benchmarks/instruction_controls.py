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


def obeyed(network: InstructionNet, tasks: Sequence[Task], name: str) -> dict[str, float]:
    """How many greedy play obeys."""
    found = obey_all(network.eval(), tasks, most_evaluated=_MOST_PUSHES, is_greedy=True)
    count = sum(search.moves is not None for search in found)
    return {f"{name}_of": len(tasks), **share(name, count, len(tasks))}


def say(row: Mapping[str, Any]) -> None:
    """Prints it."""
    print(json.dumps(row), flush=True)


class Trainings:
    """Trainings that begin with the same weights."""

    def __init__(self, chosen: argparse.Namespace) -> None:
        self._chosen = chosen
        self.config: InstructionsConfig = self.network_and_config()[1]

    def network_and_config(self) -> tuple[InstructionNet, InstructionsConfig]:
        """Those that they begin with."""
        network, config = pretrained.load(self._chosen.weights, system="instructions")
        assert isinstance(network, InstructionNet)
        return network, config

    def after(
        self,
        start: InstructionNet,
        seed: int,
        name: str,
        *,
        asks: bool = True,
        is_bag: bool = False,
        reads_pixels: bool = False,
    ) -> InstructionNet:
        """The network after one of them."""
        config = replace(
            self.config,
            has_questions=asks,
            reads_pixels=reads_pixels,
            data_seed=seed + 1,
            batch_examples=self._chosen.batch_examples,
            workers=0,
        )
        run = replace(
            SPEC.presets["base"].run,
            minutes=None,
            steps=self._chosen.steps,
            seed=seed,
            device="cpu",
            learning_rate=6e-3,
            muon=0.25,
            schedule="linear",
            warmup_steps=20,
            ema_decay=0.98,
        )
        path = self._chosen.folder / f"{name}-{seed}"
        directory = RunDirectory(path, system="instructions", config=to_dict(config))
        system = make_system(config, start)
        if is_bag:
            system = BagSystem(system.config, system.held_out, system.words)
        loop.fit(system, run, directory, resume=path.exists(), start=start.state_dict())
        network, _ = pretrained.load(str(path), system="instructions")
        assert isinstance(network, InstructionNet)
        return network


def measure_questions(chosen: argparse.Namespace) -> None:
    """Prints the rows of ``questions``."""
    trainings = Trainings(chosen)
    boards = some_held_out(trainings.config, chosen.levels)
    sets = {split: [*of_split(split, boards)] for split in ("names", "levels")}

    def row(network: InstructionNet) -> dict[str, float]:
        return {
            k: v for name, tasks in sets.items() for k, v in obeyed(network, tasks, name).items()
        }

    say({"words": "known"} | row(trainings.network_and_config()[0]))
    for seed in chosen.seeds:
        forgetful, _ = trainings.network_and_config()
        forget(forgetful, seed)
        about = {"words": "forgotten", "seed": seed}
        say(about | row(forgetful))
        for asks in (True, False):
            name = "with" if asks else "without"
            say(
                about | {"questions": name} | row(trainings.after(forgetful, seed, name, asks=asks))
            )


def measure_order(chosen: argparse.Namespace) -> None:
    """Prints the rows of ``order``."""
    trainings = Trainings(chosen)
    config = trainings.config
    known = {*map(canonical_form, benchmark.held_out(config.levels, seed=config.level_seed))}
    boards = benchmark.other_boards(known, seed=_SEED)
    ordered = [*islice(about_two_boxes(boards), chosen.sentences)]
    chance = random.Random(0)
    bags = [task._replace(text=shuffled(task.text, chance)) for task in ordered]
    start, _ = trainings.network_and_config()
    say({"trained": "as shipped", **obeyed(start, ordered, "order"), **obeyed(start, bags, "bag")})
    for seed in chosen.seeds:
        for is_bag in (False, True):
            name = "bag" if is_bag else "order"
            network = trainings.after(start, seed, name, is_bag=is_bag)
            say(
                {"trained": name, "seed": seed} | obeyed(network, bags if is_bag else ordered, name)
            )


def measure_pictures(chosen: argparse.Namespace) -> None:
    """Prints the rows of ``pictures``."""
    trainings = Trainings(chosen)
    boards = some_held_out(trainings.config, chosen.levels)
    tasks = [*of_split("levels", boards)]
    shipped, config = trainings.network_and_config()
    say({"reads": "as shipped"} | obeyed(shipped, tasks, "levels"))
    for seed in chosen.seeds:
        for reads_pixels in (True, False):
            name = "pixels" if reads_pixels else "features"
            start = with_new_stem(shipped, replace(config, reads_pixels=reads_pixels), seed)
            network = trainings.after(start, seed, name, reads_pixels=reads_pixels)
            say({"reads": name, "seed": seed} | obeyed(network, tasks, "levels"))


_MEASURES = {
    "questions": measure_questions,
    "order": measure_order,
    "pictures": measure_pictures,
}


def main(argv: Sequence[str] | None = None) -> int:
    """Answers 0, or 2 for weights or a folder that cannot be used."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=_MEASURES)
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--weights", default="sokoban-instructions")
    parser.add_argument("--levels", type=int, default=100, help="of the splits")
    parser.add_argument("--sentences", type=int, default=1000, help="about two boxes")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--steps", type=int, default=350)
    parser.add_argument("--batch-examples", type=int, default=128)
    chosen = parser.parse_args(argv)
    try:
        _MEASURES[chosen.what](chosen)
    except (ValueError, OSError) as error:
        print(error, file=sys.stderr)
        return ExitCode.INVALID_INPUT
    return 0


if __name__ == "__main__":
    sys.exit(main())
