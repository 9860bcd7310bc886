"""Translators of Multi30k as the papers on it are judged: both directions, some seeds, their means.

DATA has the pairs of files NAME.de.gz and NAME.en.gz of train, val and the three tests, and tok/
NAME.lc.norm.tok.de.gz and so on, the same texts in lower case and cut into words. With `--text
papers` translators learn from those and are scored on them, as the papers' are; with `--text raw`
on text as it is written, and then scored on both scales. Nothing else is ever learned from.

With `--found DE EN` they learn from the pairs beside translations of the whole training text in
both directions, as they are written (data diversification, Nguyen et al. 2020,
https://arxiv.org/abs/1911.01986); said again, it names those of other translators as well.

FOLDER keeps runs, translations and scores: what is there is not done again, and a training that
was killed goes on from its checkpoint.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from tokoban import cli
from tokoban.cli.exit_codes import ExitCode
from tokoban.cli.options import add
from tokoban.cli.output import write_output
from tokoban.systems.translation.evaluate import lowercased_tokenised
from tokoban.systems.translation.pairs import read_lines
from tokoban.training.device import find_device

Text = Literal["raw", "papers"]
Direction = Literal["en-de", "de-en"]

TESTS = ("test_2016_flickr", "test_2017_flickr", "test_2017_mscoco")
BEAM = 5
METRICS = ("bleu_lowercased_tokenised", "bleu", "chrf")
RECIPES = {
    # Wu et al. 2021: 8,192 tokens a step, there of two GPUs
    "published": ("--preset", "tiny", "--batch-tokens", "8192", "--accumulate", "1"),
    # of the weights that ship: for one core of a CPU, with the norms in front
    "small-steps": (
        *("--preset", "tiny", "--batch-tokens", "2048", "--accumulate", "1", "--steps", "15000"),
        *("--pre-norm", "true", "--dropout", "0.3", "--clip-norm", "1", "--epsilon", "1e-9"),
        *("--learning-rate", "2.5e-3", "--schedule", "cosine", "--warmup-steps", "500"),
        *("--average-last", "0", "--keep-every", "0", "--ema-decay", "0.999"),
        *("--monitor", "", "--patience", "0"),
        *("--evaluate-every", "2500"),
    ),
}
DIVERSIFIED = ("--dropout", "0.2")  # more text, less need of it


class Job(NamedTuple):
    """One training."""

    direction: Direction
    seed: int

    @property
    def languages(self) -> tuple[str, str]:
        """That which is read, and that which is written."""
        source, target = self.direction.split("-")
        return source, target


@dataclass(frozen=True)
class Contest:
    """The options that all runs share."""

    data: Path
    folder: Path
    text: Text
    recipe: str
    steps: int | None  # in place of the recipe's
    device: str
    precision: str  # of the trainings
    num_found: int  # translations of the training text, of each language
    num_threads: int  # of a training or a scoring

    def text_file(self, name: str, language: str) -> Path:
        """One side of a part of the data."""
        if self.text == "papers":
            return self.data / "tok" / f"{name}.lc.norm.tok.{language}.gz"
        return self.data / f"{name}.{language}.gz"

    def run(self, job: Job) -> Path:
        """The folder of a training."""
        behind = "-diversified" if self.num_found else ""
        return self.folder / f"{self.text}-{self.recipe}-{job.direction}-{job.seed}{behind}"

    def found(self, place: int, language: str) -> Path:
        """Translations of the training text, in the spelling of the contest."""
        return self.folder / f"{self.text}-found-{place}.{language}"

    def command(self, job: Job, words: Sequence[str]) -> None:
        """Runs a command in a process of its own; what it says goes into a file beside the run."""
        log = self.run(job).with_suffix(".log")
        environment = os.environ | {"OMP_NUM_THREADS": f"{self.num_threads}"}
        with log.open("a", encoding="utf-8") as said:
            python = [sys.executable, "-m", "tokoban"]
            code = subprocess.call([*python, *words], stdout=said, stderr=said, env=environment)
        if code == ExitCode.INTERRUPTED:
            raise KeyboardInterrupt
        if code:
            raise RuntimeError(f"tokoban {' '.join(words)} ended with {code}: see {log}")


def train(contest: Contest, job: Job) -> None:
    """Trains what is not trained yet."""
    source, target = job.languages
    own = {language: [contest.text_file("train", language)] for language in job.languages}
    count = contest.num_found
    back, forth = (
        [contest.found(place, language) for place in range(count)] for language in job.languages
    )
    texts = {
        source: own[source] + back + own[source] * count,
        target: own[target] + own[target] * count + forth,
    }
    words = ["train", "translation", *RECIPES[contest.recipe], "--seed", str(job.seed)]
    words += DIVERSIFIED if contest.num_found else ()
    words += ["--source-language", source, "--target-language", target]
    for part, language in (("source", source), ("target", target)):
        words += [f"--train-{part}", ",".join(map(str, texts[language]))]
        words += [f"--validation-{part}", str(contest.text_file("val", language))]
    words += ["--device", contest.device, "--precision", contest.precision]
    words += ["--output", str(contest.run(job))]
    words += [] if contest.steps is None else ["--steps", str(contest.steps)]
    words = asked_once(contest.run(job), words)
    if words:
        contest.command(job, words)


def asked_once(run: Path, words: Sequence[str]) -> list[str]:
    """The command that trains, or goes on with what was killed; none where that is over.

    ``ValueError`` where another command trained what lies there.
    """
    asked, line = run.with_suffix(".command"), "\n".join(words) + "\n"
    if asked.exists() and asked.read_text(encoding="utf-8") != line:
        raise ValueError(f"{asked}: of other options; take another --folder, or remove it")
    write_output(str(asked), line)
    if (run / "result.json").exists():
        return []
    return [*words, *["--resume"] * (run / "config.json").exists()]


def score(contest: Contest, job: Job) -> list[dict[str, Any]]:
    """A row for each test."""
    source, target = job.languages
    run = contest.run(job)
    rows = []
    for name in TESTS:
        path = run / f"{name}.json"
        if not path.exists():
            words = ["evaluate", "translation", "--weights", str(run), "--json", str(path)]
            words += ["--source", str(contest.text_file(name, source))]
            words += ["--reference", str(contest.text_file(name, target))]
            words += ["--beam", str(BEAM), "--device", contest.device]
            words += ["--tokenised"] if contest.text == "papers" else []
            contest.command(job, words)
        rows.append(job._asdict() | {"test": name} | json.loads(path.read_text(encoding="utf-8")))
    return rows


def copy_found(contest: Contest, place: int, german: Path, english: Path) -> None:
    """Translations of the training text, as they are written, in the spelling of the contest."""
    for language, path in (("de", german), ("en", english)):
        lines = read_lines(path)
        expected = len(read_lines(contest.text_file("train", language)))
        if len(lines) != expected:
            raise ValueError(f"{path}: {len(lines)} lines; the training text has {expected}")
        if contest.text == "papers":
            lines = lowercased_tokenised(lines, language=language)
        out = contest.found(place, language)
        if out.exists() and read_lines(out) != lines:
            raise ValueError(f"{out}: of other translations than {path}; take another --folder")
        write_output(str(out), "".join(f"{line}\n" for line in lines))


def train_and_score(contest: Contest, job: Job) -> list[dict[str, Any]]:
    """Rows of scores."""
    train(contest, job)
    return score(contest, job)


def by_place(rows: Sequence[dict[str, Any]]) -> dict[str, dict[str, list[float]]]:
    """The metrics of all seeds, by direction and test."""
    found: dict[str, dict[str, list[float]]] = {}
    for row in rows:
        metrics = found.setdefault(f"{row['direction']}, {row['test']}", {})
        for name in METRICS:
            metrics.setdefault(name, []).append(row[name])
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Answers 0 once all is scored, 2 for what cannot be done and 130 after Ctrl-C."""
    options = _options(argv)
    try:
        rows = contest_rows(options)
    except KeyboardInterrupt:
        print("interrupted; the same command goes on", file=sys.stderr)
        return ExitCode.INTERRUPTED
    except (ValueError, OSError, RuntimeError, ModuleNotFoundError) as error:
        print(cli.in_one_line(error), file=sys.stderr)
        return ExitCode.INVALID_INPUT
    for place, metrics in by_place(rows).items():
        for name, values in metrics.items():
            each = ", ".join(f"{value:.2f}" for value in values)
            print(f"{place:<48} {name:<26} {sum(values) / len(values):6.2f}  ({each})")
    return 0


def _options(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path, metavar="DATA")
    folder = Path("benchmarks/results/multi30k")
    parser.add_argument(
        "--folder", type=Path, default=folder, metavar="DIR", help="default: %(default)s"
    )
    directions = get_args(Direction)
    parser.add_argument(
        "--directions", nargs="+", choices=directions, default=directions, help="default: both"
    )
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2], metavar="S")
    parser.add_argument("--recipe", choices=RECIPES, default="small-steps")
    parser.add_argument("--text", choices=get_args(Text), default="raw")
    parser.add_argument(
        "--found",
        type=Path,
        nargs=2,
        action="append",
        default=[],
        metavar=("DE", "EN"),
        help="as said above; may be said several times",
    )
    parser.add_argument("--steps", type=int, metavar="N", help="of each training (the recipe's)")
    parser.add_argument(
        "--precision",
        choices=("auto", "fp32", "bf16"),
        default="auto",
        help="of the trainings (auto: bf16 on a GPU)",
    )
    add(parser, "--device")
    parser.add_argument(
        "--at-once",
        type=int,
        metavar="N",
        help="trainings in processes of their own (default: on a GPU all, else one for each core)",
    )
    return parser.parse_args(argv)


def contest_rows(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Trains and scores what is missing: a row for each training and test."""
    jobs = [Job(direction, seed) for seed in options.seeds for direction in options.directions]
    device, cores = find_device(options.device).type, os.cpu_count() or 1
    at_once = options.at_once or (len(jobs) if device == "cuda" else min(cores, len(jobs)))
    contest = Contest(
        data=options.data,
        folder=options.folder,
        text=options.text,
        recipe=options.recipe,
        steps=options.steps,
        device=device,
        precision=options.precision,
        num_found=len(options.found),
        num_threads=max(1, cores // at_once),
    )
    for name in ("train", "val", *TESTS):
        for language in ("de", "en"):
            path = contest.text_file(name, language)
            if not path.is_file():
                raise FileNotFoundError(
                    f"{path}: no such file; expected Multi30k in {contest.data}"
                )
    if find_spec("sacremoses") is None:
        raise ModuleNotFoundError("the papers' scale needs the package sacremoses")
    contest.folder.mkdir(parents=True, exist_ok=True)
    for place, (german, english) in enumerate(options.found):
        copy_found(contest, place, german, english)
    with ThreadPoolExecutor(at_once) as pool:
        return [row for rows in pool.map(partial(train_and_score, contest), jobs) for row in rows]


if __name__ == "__main__":
    sys.exit(main())
