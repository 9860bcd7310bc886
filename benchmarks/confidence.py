"""How far the confidence of a translator can be trusted, on held-out sentences; it fits it, too.

A translation is usable if its chrF against the reference is at least USABLE_CHRF. Of the shipped
WEIGHTS the parameters in tokoban/pretrained/confidence.json are measured; with --fit they are
fitted to all sentences given and written there, and measured by five-fold cross-validation. A row
has, for the sentences of a file and of all:

* usable, confidence: the share of usable translations, and the mean confidence;
* ece: the expected calibration error over ten bins of equal width;
* bad_found, good_doubted: the shares of the unusable and of the usable ones that are doubtful;
* repeats: the share of translations with a word four times running.
"""

import argparse
import json
import random
import sys
from collections.abc import Sequence
from pathlib import Path

import torch
from sacrebleu.metrics import CHRF
from torch import Tensor

from benchmarks.everyday import by_channel_alone
from tokoban import cli, pretrained
from tokoban.cli.exit_codes import ExitCode
from tokoban.cli.parser import whole
from tokoban.pretrained.confidence import TABLE, confidence_of
from tokoban.pretrained.reranking import reranker_of
from tokoban.systems.translation.confidence import DOUBTFUL_BELOW, USABLE_CHRF, features
from tokoban.systems.translation.engine import prepare_for_inference
from tokoban.systems.translation.model import Translator
from tokoban.systems.translation.pairs import Pair, read_pairs, tidied
from tokoban.systems.translation.texts import translate_texts
from tokoban.training.checkpoint import write_json_atomically

_NUM_FOLDS = 5
_NUM_BINS = 10
_RIDGE = 1.0  # keeps the coefficients finite where the sentences can be told apart


def drawn_pairs(files: Sequence[Path], *, most: int, seed: int) -> list[Pair]:
    """At most so many pairs of two files, those that the seed draws."""
    pairs, _ = tidied(read_pairs(*files))
    return random.Random(seed).sample(pairs, min(most, len(pairs)))


def fit(seen: Tensor, is_usable: Tensor) -> tuple[float, list[float]]:
    """The intercept and the coefficients of a logistic regression, by Newton's method."""
    mean, deviation = seen.mean(0), seen.std(0).clamp_min(1e-9)
    inputs = torch.cat([torch.ones(len(seen), 1), (seen - mean) / deviation], dim=1)
    ridge = _RIDGE * torch.eye(inputs.shape[1], dtype=seen.dtype)
    ridge[0, 0] = 0
    weights = torch.zeros(inputs.shape[1], dtype=seen.dtype)
    for _ in range(50):
        shares = torch.sigmoid(inputs @ weights)
        slope = inputs.T @ (shares - is_usable) + ridge @ weights
        curvature = (inputs.T * (shares * (1 - shares))) @ inputs + ridge
        weights = weights - torch.linalg.solve(curvature, slope)
    coefficients = weights[1:] / deviation
    return float(weights[0] - coefficients @ mean), coefficients.tolist()


def calibration_error(shares: Tensor, is_usable: Tensor) -> float:
    """Mean distance of confidence and share of usable ones in a bin, each bin as it is filled."""
    bins = (shares * _NUM_BINS).long().clamp(max=_NUM_BINS - 1)
    distances = [
        abs(float((shares - is_usable)[bins == place].sum())) for place in range(_NUM_BINS)
    ]
    return sum(distances) / len(shares)


def row_of(shares: Tensor, is_usable: Tensor, has_run: Tensor) -> dict[str, float]:
    """The figures of some sentences."""
    is_good, is_doubtful = is_usable.bool(), (shares < DOUBTFUL_BELOW).double()
    return {
        "usable": float(is_usable.mean()),
        "confidence": float(shares.mean()),
        "ece": calibration_error(shares, is_usable),
        "bad_found": float(is_doubtful[~is_good].mean()),
        "good_doubted": float(is_doubtful[is_good].mean()),
        "repeats": float(has_run.mean()),
    }


def has_run(text: str) -> bool:
    """Whether a word stands four times running."""
    words = text.lower().split()
    return any(len(set(words[place : place + 4])) == 1 for place in range(len(words) - 3))


def measure(options: argparse.Namespace) -> None:
    """Prints a row for each pair of files, and one for all."""
    confidence = confidence_of(options.weights)
    if options.weights not in pretrained.names() or not (options.fit or confidence):
        raise ValueError(f"{options.weights}: no shipped weights with a confidence; see --fit")
    torch.manual_seed(options.seed)
    names, pairs = list[str](), list[Pair]()
    for files in options.pairs:
        drawn = drawn_pairs(files, most=options.most, seed=options.seed)
        names += [files[0].name] * len(drawn)
        pairs += drawn
    if not pairs:
        raise ValueError("the files have no sentence")
    model, config = pretrained.load(options.weights, system="translation")
    assert isinstance(model, Translator)
    reranker = reranker_of(options.weights)
    assert reranker is not None
    found = translate_texts(
        model,
        [pair.source for pair in pairs],
        engine=prepare_for_inference(model, torch.device("cpu")),
        length_penalty=config.length_penalty,
        reranker=by_channel_alone(reranker),
    )
    bests = [best for best, *_ in found]
    chrf = CHRF()
    is_usable = torch.tensor([
        float(chrf.sentence_score(best.text, [pair.target]).score >= USABLE_CHRF)
        for best, pair in zip(bests, pairs, strict=True)
    ], dtype=torch.float64)  # fmt: skip
    seen = torch.tensor([features(best) for best in bests], dtype=torch.float64)
    if options.fit:
        shares, fold = torch.empty_like(is_usable), torch.randperm(len(seen)) % _NUM_FOLDS
        for number in range(_NUM_FOLDS):
            is_out = fold == number
            intercept, coefficients = fit(seen[~is_out], is_usable[~is_out])
            slopes = torch.tensor(coefficients, dtype=torch.float64)
            shares[is_out] = torch.sigmoid(seen[is_out] @ slopes + intercept)
        intercept, coefficients = fit(seen, is_usable)
        table = json.loads(TABLE.read_text(encoding="utf-8"))
        table[options.weights] = {"intercept": intercept, "coefficients": coefficients}
        write_json_atomically(TABLE, dict(sorted(table.items())))
    else:
        assert confidence is not None
        shares = torch.tensor([confidence.of(best) for best in bests], dtype=torch.float64)
    runs = torch.tensor([float(has_run(best.text)) for best in bests])
    for name in [*dict.fromkeys(names), "all"]:
        is_in = torch.tensor([name in (each, "all") for each in names])
        row = row_of(shares[is_in], is_usable[is_in], runs[is_in])
        figures = "  ".join(f"{figure} {value:.3f}" for figure, value in row.items())
        print(f"{name:>24} {int(is_in.sum()):>6,}  {figures}")


def main(argv: Sequence[str] | None = None) -> int:
    """Answers 0 once it is done, and 2 for what cannot be done."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("weights", metavar="WEIGHTS", help="a name of shipped ones")
    parser.add_argument(
        "--pairs", type=Path, nargs=2, action="append", required=True, metavar="FILE",
        help="sentences and their translations, line by line; may be repeated",
    )  # fmt: skip
    parser.add_argument(
        "--most", type=whole(1), default=1000, metavar="N", help="sentences of a file"
    )
    parser.add_argument("--fit", action="store_true", help="fit, and write the parameters")
    parser.add_argument("--seed", type=int, default=0, help="of the sentences and the folds")
    options = parser.parse_args(argv)
    try:
        measure(options)
    except (ValueError, OSError) as error:
        print(cli.in_one_line(error), file=sys.stderr)
        return ExitCode.INVALID_INPUT
    return 0


if __name__ == "__main__":
    sys.exit(main())
