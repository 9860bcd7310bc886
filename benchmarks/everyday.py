"""Translators of everyday sentences and captions: their text, their training, their scores.

DATA has the folders translation/ and multi30k/ with pairs of files NAME.de.gz and NAME.en.gz. What
is measured on shares no side with any training pair, in letters of one case (digits, punctuation
and spaces apart): 2,000 pairs of Tatoeba, 1,000 more to look at during training, Multi30k's tests,
newstest2013, and the phrase book and the daily book beside this script. The office book beside it
(names, numbers, times, letters, chat) has fixed sentences of letters that the training text has.

`text` writes the training text to FOLDER, with the pairs that ``made_pairs`` makes; `train both`
trains one translator on both directions at once, and `train de-en` and `train en-de` go on from it
in one direction (Ding et al. 2021, https://arxiv.org/abs/2109.07780), or from other weights with
`--start-from`. A training that was killed goes on when the command is repeated.
`score` prints cased BLEU and chrF with the 95 % interval of a bootstrap over sentences.
"""

import argparse
import gzip
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path

import numpy as np

from benchmarks.made_pairs import TOPICS, formulas, framed, substituted, written
from benchmarks.multi30k import TESTS, asked_once
from tokoban import cli, pretrained
from tokoban.cli.exit_codes import ExitCode
from tokoban.pretrained.reranking import reranker_of
from tokoban.systems.translation.config import TranslationConfig
from tokoban.systems.translation.model import Translator
from tokoban.systems.translation.pairs import Pair, clean, read_pairs
from tokoban.systems.translation.reranking import Reranker
from tokoban.systems.translation.texts import translate_texts

CORPORA = {
    "everyday": ("translation/tatoeba",),
    "captions": ("multi30k/train",),
    "news": ("translation/wmt-news-other-years",),
    "other": tuple(
        f"translation/{name}"
        for name in ("bcontrast", "mlqe-pe-wiki", "mt-geneval", "xquad-questions")
    ),
}
# By ``made_pairs``: Tatoeba's pairs with other names and numbers, filled frames, fixed sentences,
# and sentences written for this.
MADE = ("substituted", "framed", "formulas", *TOPICS)
NUM_SUBSTITUTED, NUM_FRAMED = 60_000, 45_000
MEASURED = ("translation/newstest2013", "multi30k/val", *(f"multi30k/{name}" for name in TESTS))
NUM_HELD_OUT, NUM_VALIDATION = 2000, 1000
LONGEST = 120  # characters of a training sentence: the long ones of the news cost the most to read
_SPLIT_SEED = 2026


def letters(sentence: str) -> str:
    """The sentence's letters in one case: what two sentences that count as the same share."""
    return "".join(
        char for char in unicodedata.normalize("NFKC", sentence).casefold() if char.isalpha()
    )


def held_out(pairs: Sequence[Pair], number: int) -> list[Pair]:
    """``number`` pairs, drawn from those that share neither side with another pair."""
    counts = [Counter(letters(pair[side]) for pair in pairs) for side in (0, 1)]
    alone = [
        pair for pair in pairs if all(counts[side][letters(pair[side])] == 1 for side in (0, 1))
    ]
    order = np.random.default_rng(_SPLIT_SEED).permutation(len(alone))
    return [alone[place] for place in order[:number]]


def apart(pairs: Iterable[Pair], measured: Iterable[Pair]) -> list[Pair]:
    """The pairs, once each, without those that share a side with a measured one."""
    sides = [{letters(side) for side in column} for column in zip(*measured, strict=True)]
    return [
        pair
        for pair in clean(pairs)[0]
        if not any(letters(text) in known for text, known in zip(pair, sides, strict=True))
    ]


def phrases(direction: str, *, book: str = "phrase_book") -> list[Pair]:
    """Sentences written for this project, and their translations."""
    return [pair for pairs in by_kind(direction, book=book).values() for pair in pairs]


def by_kind(direction: str, *, book: str) -> dict[str, list[Pair]]:
    """The sentences of a book by their kind, such as "letters"; the phrase book has one, ""."""
    path = Path(__file__).with_name(f"{book}.{direction}.tsv")
    kinds: dict[str, list[Pair]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        *kind, one, other = line.split("\t")
        kinds.setdefault("".join(kind), []).append(Pair(one, other))
    return kinds


def _read(data: Path, name: str) -> list[Pair]:
    return read_pairs(data / f"{name}.de.gz", data / f"{name}.en.gz")


def write_text(data: Path, folder: Path, found: Sequence[Path]) -> dict[str, int]:
    """Writes NAME.de.gz and NAME.en.gz of each corpus and of what is measured on; their sizes.

    ``found`` are the German and the English captions as earlier translators wrote them, line by
    line beside the training captions.
    """
    everyday = clean(_read(data, *CORPORA["everyday"]))[0]
    drawn = held_out(everyday, NUM_HELD_OUT + NUM_VALIDATION)
    texts = {"held-out": drawn[:NUM_HELD_OUT], "validation": drawn[NUM_HELD_OUT:]}
    measured = [pair for name in MEASURED for pair in _read(data, name)] + drawn
    for book in ("phrase_book", "daily_book"):
        measured += phrases("de-en", book=book)
        measured += [Pair(de, en) for en, de in phrases("en-de", book=book)]
    for corpus, names in CORPORA.items():
        pairs = [pair for name in names for pair in _read(data, name)]
        if corpus == "captions" and found:
            german, english = (list(column) for column in zip(*pairs, strict=True))
            for line, other in ((german, found[1]), (found[0], english)):
                pairs += _beside(line, other)
        short = (pair for pair in pairs if max(map(len, pair)) <= LONGEST)
        texts[corpus] = apart(short, measured)
    changed = substituted(texts["everyday"], NUM_SUBSTITUTED, seed=_SPLIT_SEED)
    made = changed, framed(NUM_FRAMED, seed=_SPLIT_SEED), formulas(), *map(written, TOPICS)
    texts |= {name: apart(pairs, measured) for name, pairs in zip(MADE, made, strict=True)}
    folder.mkdir(parents=True, exist_ok=True)
    for name, pairs in texts.items():
        for side, language in enumerate(("de", "en")):
            text = "".join(f"{pair[side]}\n" for pair in pairs)
            path = folder / f"{name}.{language}.gz"
            path.write_bytes(gzip.compress(text.encode(), mtime=0))
    return {name: len(pairs) for name, pairs in texts.items()}


def _beside(german: Sequence[str] | Path, english: Sequence[str] | Path) -> list[Pair]:
    columns = [
        side.read_text(encoding="utf-8").splitlines() if isinstance(side, Path) else side
        for side in (german, english)
    ]
    return [Pair(*both) for both in zip(*columns, strict=True)]


def train(folder: Path, direction: str, options: Sequence[str]) -> None:
    """Trains what is not trained yet, in FOLDER/``direction``."""
    forth = direction.split("-") if direction != "both" else ["de", "en"]
    ways = [forth] if direction != "both" else [forth, forth[::-1]]
    words = ["train", "translation", "--preset", "everyday", "--output", str(folder / direction)]
    for part, place in (("source", 0), ("target", 1)):
        files = [
            str(folder / f"{name}.{way[place]}.gz") for way in ways for name in (*CORPORA, *MADE)
        ]
        words += [f"--{part}-language", forth[place], f"--train-{part}", ",".join(files)]
        words += [f"--validation-{part}", str(folder / f"validation.{forth[place]}.gz")]
    if direction != "both":
        words += ["--start-from", str(folder / "both")]
    words = asked_once(folder / direction, [*words, *options])
    if words and (code := cli.main(words)):
        raise (
            KeyboardInterrupt
            if code == ExitCode.INTERRUPTED
            else RuntimeError(f"the training ended with {code}")
        )


def by_channel_alone(reranker: Reranker) -> Reranker:
    """Without the language model, which has read most of Tatoeba and would know the right one."""
    return replace(reranker, language_model=lambda lines: [0.0] * len(lines))


def score(data: Path, folder: Path, weights: str, output: Path | None, *, reranking: str) -> None:
    """Prints a row for each measured text; ``output`` gets source, reference and translation.

    Of shipped weights they are reranked as by ``tokoban translate``, by the channel alone, or not.
    """
    model, config = pretrained.load(weights, system="translation")
    assert isinstance(model, Translator)
    assert isinstance(config, TranslationConfig)
    reranker = reranker_of(weights) if reranking != "none" else None
    if reranker is not None and reranking == "channel":
        reranker = by_channel_alone(reranker)
    languages = config.source_language, config.target_language
    texts = {"held-out": read_pairs(*(folder / f"held-out.{name}.gz" for name in languages))}
    books = {
        book.replace("_", " "): by_kind("-".join(languages), book=book)
        for book in ("phrase_book", "office_book", "daily_book")
    }
    texts |= {name: [*chain(*kinds.values())] for name, kinds in books.items()}
    for name in (*(f"multi30k/{name}" for name in TESTS), "translation/newstest2013"):
        texts[name] = read_pairs(*(data / f"{name}.{language}.gz" for language in languages))
    for name, pairs in texts.items():
        sources, references = zip(*pairs, strict=True)
        # The beam is as wide as by `tokoban translate`, not as in the training's validation.
        translated = translate_texts(
            model, sources, length_penalty=config.length_penalty, reranker=reranker
        )
        found = [best.text for best, *_ in translated]
        print_scores(name, found, references)
        rest = iter(zip(found, references, strict=True))
        for kind, some in books.get(name, {}).items():
            of_kind = zip(*islice(rest, len(some)), strict=True)
            if kind:
                print_scores(f"{name}: {kind}", *map(list, of_kind))
        if output is not None:
            lines = ("\t".join(one) for one in zip(sources, references, found, strict=True))
            output.mkdir(parents=True, exist_ok=True)
            path = output / f"{name.replace('/', '-').replace(' ', '-')}.tsv"
            path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def print_scores(text: str, found: Sequence[str], references: Sequence[str]) -> None:
    """Cased BLEU and chrF, each with half its 95 % interval."""
    from sacrebleu.metrics import BLEU, CHRF

    bleu, chrf = (
        metric.corpus_score(found, None, n_bootstrap=1000)
        for metric in (BLEU(references=[references]), CHRF(references=[references]))
    )
    print(f"{text:<28} BLEU {bleu.score:5.2f} ± {bleu._ci:4.2f}", end="  ")
    print(f"chrF {chrf.score:5.2f} ± {chrf._ci:4.2f}", flush=True)


def main(argv: Sequence[str] | None = None) -> int:
    """Answers 0 once it is done, 2 for what cannot be done and 130 after Ctrl-C."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path, metavar="DATA")
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parts = parser.add_subparsers(dest="part", required=True)
    text = parts.add_parser("text", help="write the training text")
    text.add_argument(
        "--found", type=Path, nargs=2, default=(), metavar=("DE", "EN"),
        help="translations of the training captions, one a line, read beside them",
    )  # fmt: skip
    training = parts.add_parser("train", help="other options go to `tokoban train translation`")
    training.add_argument("direction", choices=("both", "de-en", "en-de"))
    scoring = parts.add_parser("score", help="score weights on every measured text")
    scoring.add_argument("weights", help="a run's folder or a name of shipped weights")
    scoring.add_argument(
        "--reranking", choices=("all", "channel", "none"), default="all",
        help="channel: without the language model (default: all)",
    )  # fmt: skip
    scoring.add_argument("--translations", type=Path, metavar="DIR", help="keep them here")
    options, others = parser.parse_known_args(argv)
    if others and options.part != "train":
        parser.error(f"unrecognised: {' '.join(others)}")
    try:
        if options.part == "text":
            for name, size in write_text(options.data, options.folder, options.found).items():
                print(f"{name:<12} {size:>8,} pairs")
        elif options.part == "train":
            train(options.folder, options.direction, others)
        else:
            score(
                options.data,
                options.folder,
                options.weights,
                options.translations,
                reranking=options.reranking,
            )
    except KeyboardInterrupt:
        print("interrupted; the same command goes on", file=sys.stderr)
        return ExitCode.INTERRUPTED
    except (ValueError, OSError, RuntimeError) as error:
        print(cli.in_one_line(error), file=sys.stderr)
        return ExitCode.INVALID_INPUT
    return 0


if __name__ == "__main__":
    sys.exit(main())
