"""How good the smallest translator becomes with more pairs to learn from, by one budget of steps.

FOLDER has pairs of files NAME.SOURCE.gz and NAME.TARGET.gz. The pairs of all corpora are shuffled
by the seed, and each size takes the first of them, so that a larger text holds the smaller ones.
All sizes have the same steps, batches and rate, and a vocabulary of their own; the translator is
that of preset tiny with the norms in front, which needs less patience. So small a budget says what
the first minutes of training make of more text, and not what the text could give: BLEU is next to
nothing then, and bits per byte of the references tell the sizes apart. What comes after `--` goes
to `tokoban train translation`.
"""

import argparse
import gzip
import json
import random
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from benchmarks.harness import hardware
from tokoban import cli
from tokoban.cli.options import add
from tokoban.cli.output import check_destination, write_output
from tokoban.systems.translation.pairs import Pair, read_pairs
from tokoban.training.run_directory import current_commit

# Sentences, questions and chat: what is not software strings or dictionary entries.
CORPORA = (
    "wmt-news-other-years", "tatoeba", "bcontrast", "mlqe-pe-wiki", "mt-geneval", "xquad-questions",
)  # fmt: skip


def files(folder: Path, name: str, languages: Sequence[str]) -> list[Path]:
    """The two files of a corpus."""
    return [folder / f"{name}.{language}.gz" for language in languages]


def shuffled_pairs(
    folder: Path, corpora: Sequence[str], languages: Sequence[str], *, seed: int
) -> list[Pair]:
    """The pairs of all corpora in an order that the seed decides."""
    pairs = [pair for name in corpora for pair in read_pairs(*files(folder, name, languages))]
    random.Random(seed).shuffle(pairs)
    return pairs


def write_pairs(pairs: Sequence[Pair], paths: Sequence[Path]) -> None:
    """Line n of the two files is pair n."""
    for path, lines in zip(paths, zip(*pairs, strict=True), strict=True):
        with gzip.open(path, "wt", encoding="utf-8", newline="\n") as file:
            file.writelines(f"{line}\n" for line in lines)


def measure(pairs: Sequence[Pair], folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    """A translator trained on the pairs, and what it makes of the test set."""
    started_s, run, scores = time.process_time(), folder / "run", folder / "scores.json"
    texts = files(folder, "train", (options.source, options.target))
    tests = files(options.folder, options.test, (options.source, options.target))
    write_pairs(pairs, texts)
    commands = [
        [
            "train", "translation", "--preset", "tiny", "--output", str(run),
            "--source-language", options.source, "--target-language", options.target,
            "--train-source", str(texts[0]), "--train-target", str(texts[1]),
            "--num-validation", "200", "--steps", str(options.steps), "--evaluate-every", "0",
            "--pre-norm", "true", "--dropout", "0.1", "--beam-width", "1",
            "--batch-tokens", str(options.batch_tokens), "--accumulate", "1",
            "--learning-rate", "2.5e-3", "--schedule", "cosine", "--warmup-steps", "100",
            "--clip-norm", "1", "--epsilon", "1e-9", "--average-last", "0", "--keep-every", "0",
            "--monitor", "", "--patience", "0", "--precision", "bf16", "--seed", str(options.seed),
            "--device", options.device, *options.training,
        ],
        [
            "evaluate", "translation", "--weights", str(run), "--source", str(tests[0]),
            "--reference", str(tests[1]), "--beam", "1", "--json", str(scores),
            "--device", options.device,
        ],
    ]  # fmt: skip
    for command in commands:
        code = cli.main(command)
        if code:
            raise RuntimeError(f"tokoban {' '.join(command[:2])} ended with {code}")
    metrics = json.loads(scores.read_text(encoding="utf-8"))
    return {
        "pairs": len(pairs),
        "target_words": sum(len(pair.target.split()) for pair in pairs),
        **{
            name: metrics[name]
            for name in ("bits_per_byte", "bleu", "chrf", "signature", "signature_chrf")
        },
        "cpu_s": time.process_time() - started_s,
    }


def main(argv: Sequence[str] | None = None) -> int:
    """Prints a line for each size."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--corpora", nargs="+", default=CORPORA, metavar="NAME")
    parser.add_argument("--test", default="newstest2013", metavar="NAME", help="never learned from")
    parser.add_argument("--sizes", type=int, nargs="+", required=True, metavar="N", help="of pairs")
    parser.add_argument("--source", default="de", metavar="LANGUAGE")
    parser.add_argument("--target", default="en", metavar="LANGUAGE")
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--batch-tokens", type=int, default=2048, metavar="N", help="of a step")
    parser.add_argument("--seed", type=int, default=0)
    add(parser, "--device")
    parser.add_argument("--json", metavar="OUT", help="write the rows here too (-: to stdout)")
    words = list(sys.argv[1:] if argv is None else argv)
    place = words.index("--") if "--" in words else len(words)
    options = parser.parse_args(words[:place], argparse.Namespace(training=words[place + 1 :]))
    check_destination(options.json)
    pairs = shuffled_pairs(
        options.folder, options.corpora, (options.source, options.target), seed=options.seed
    )
    if max(options.sizes) > len(pairs):
        parser.error(f"--sizes: {max(options.sizes)} of {len(pairs)} pairs")
    about = {
        "hardware": hardware(torch.device("cpu" if options.device == "auto" else options.device)),
        "commit": current_commit(),
        "steps": options.steps,
        "batch_tokens": options.batch_tokens,
        "seed": options.seed,
        "training": options.training,
        "corpora": list(options.corpora),
    }
    rows = []
    for size in options.sizes:
        with tempfile.TemporaryDirectory() as folder:
            rows.append(measure(pairs[:size], Path(folder), options))
        print(f"{size:>10,} pairs  {rows[-1]}", file=sys.stderr)
        if options.json is not None:
            write_output(options.json, json.dumps(about | {"rows": rows}, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
