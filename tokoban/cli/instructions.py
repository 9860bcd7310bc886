"""``tokoban instructions``: a benchmark of sentences with exact truth; and its scorer."""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tokoban.cli import options
from tokoban.cli.exit_codes import ExitCode
from tokoban.cli.output import check_folder, check_outputs, write_output
from tokoban.cli.parser import Parser, whole
from tokoban.sokoban.formats import printable
from tokoban.sokoban.wording import counted
from tokoban.training.tables import two_columns

SUMMARY = "write a benchmark of instructions and questions with exact truth"
UNDECIDED = ""

ANSWERS = (
    "score the answers of any model instead: lines of `tokoban instructions` with a field "
    '"response" (docs/instructions.md); no other option but --benchmark and --json may be '
    "given with it"
)
BENCHMARK = (
    "folder of `tokoban instructions`, with --answers: of splits that are answered, items without "
    "a line count as wrong; lines that are none of its items are refused"
)
_MOST_LEVELS = 10_000
_README = """# Instructions with exact truth

Written by `tokoban instructions --levels {levels} --seed {seed}`. Each line of a file is an item: a
Sokoban board, and an English or German instruction or question. No level of train.jsonl is in other
files, not even turned or mirrored. Add a field "response" to the lines: a solution in LURD,
"impossible", or the answer to a question. `tokoban evaluate instructions --answers FILE --benchmark
DIR`, with this folder, scores it.

Licence: MIT, as that of tokoban.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares how many levels there are, and where the files go."""
    parser.add_argument(
        "--output",
        metavar="DIR",
        required=True,
        help="folder of the files, one of JSON lines for each split; docs/instructions.md",
    )
    options.add(parser, "--seed")
    options.add(
        parser,
        "--levels",
        "for the test splits; the training split has four times as many",
        type=whole(2, _MOST_LEVELS),
        default=100,
    )


def run(arguments: argparse.Namespace) -> int:
    """Writes a file for each split, and one that explains them."""
    from tokoban.cli.report import line_of
    from tokoban.sokoban.instructions import benchmark

    check_folder(arguments.output, "--output")
    folder = Path(arguments.output)
    folder.mkdir(parents=True, exist_ok=True)
    boards = benchmark.boards(arguments.levels, seed=arguments.seed)
    texts: dict[Path, str] = {}
    for name, split in benchmark.SPLITS.items():
        items = [*benchmark.items(name, boards[split.is_training], seed=arguments.seed)]
        lines = [f"{line_of(item)}\n" for item in items]
        file = folder / f"{name}.jsonl"
        texts[file] = "".join(lines)
        if file.exists() and file.read_bytes() != texts[file].encode():
            raise ValueError(f"{file} exists and has other lines; expected another --output")
        num_questions = sum(item["kind"] == "question" for item in items)
        num_impossible = sum(item.get("pushes", 0) is None for item in items)
        num_possible = len(items) - num_impossible - num_questions
        told = f"{num_possible} possible, {num_impossible} impossible, {num_questions} questions"
        print(f"{name}: {counted(len(items), 'item')} ({told})")
    for file, text in texts.items():
        write_output(str(file), text)
    about = _README.format(levels=arguments.levels, seed=arguments.seed)
    write_output(str(folder / "README.md"), about)
    return 0


def evaluate(words: Sequence[str]) -> int:
    """``tokoban evaluate instructions --answers FILE``: prints the scores; 2 if lines are wrong."""
    from tokoban.cli.report import write_object
    from tokoban.sokoban.instructions.scoring import score

    parser = Parser(prog="tokoban evaluate instructions")
    parser.add_argument("--answers", metavar="FILE", required=True, help=ANSWERS)
    parser.add_argument("--benchmark", metavar="DIR", help=BENCHMARK)
    options.add(parser, "--json")
    chosen = parser.parse_args(words)
    check_outputs(chosen, "json", inputs=["answers"])
    items = () if chosen.benchmark is None else _items(Path(chosen.benchmark))
    metrics, problems = score(_objects(chosen.answers), items)
    if not metrics and not problems:
        raise ValueError(
            f"{chosen.answers}: no line; expected those of the benchmark with responses"
        )
    if chosen.json is not None:
        write_object(chosen.json, metrics)
    if metrics and chosen.json != "-":
        print(two_columns({printable(name): value for name, value in metrics.items()}))
    for problem in problems:
        print(printable(f"{chosen.answers}:{problem}"), file=sys.stderr)
    return ExitCode.INVALID_INPUT if problems else ExitCode.DONE


def _items(folder: Path) -> Iterator[Any]:
    """The items of a benchmark; ``OSError`` or ``ValueError`` where a file is not whole."""
    from tokoban.sokoban.instructions import benchmark, scoring

    for name in benchmark.SPLITS:
        file = folder / f"{name}.jsonl"
        for number, item in _objects(str(file)):
            try:
                scoring.board_of(item)
            except ValueError as error:
                raise ValueError(f"{file}:{number}: {error}") from None
            yield item


def _objects(path: str) -> Iterator[tuple[int, Any]]:
    """The lines of a file, numbered; a line that is not JSON comes as its text."""
    for number, line in enumerate(Path(path).read_bytes().splitlines(), 1):
        try:
            yield number, json.loads(line)
        except (ValueError, RecursionError):
            yield number, line.decode(errors="replace")
