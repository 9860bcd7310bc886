"""``tokoban translate``: sentences of the command line or of standard input, a line for each."""

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tokoban.cli import options, report
from tokoban.cli.exit_codes import ExitCode
from tokoban.cli.lines import are_typed, blocks_of, lines_of
from tokoban.cli.output import check_outputs, write_text
from tokoban.cli.parser import whole
from tokoban.training.device import find_device

if TYPE_CHECKING:
    from tokoban.inference.engine import Engine
    from tokoban.systems.translation.config import TranslationConfig
    from tokoban.systems.translation.model import Translator
    from tokoban.systems.translation.reranking import Reranker
    from tokoban.systems.translation.texts import Translation

SUMMARY = "translate sentences from German to English or back"
UNDECIDED = ""

# Lines read at a time, in batches: sentences of similar length among them are translated together.
_BATCHES_PER_BLOCK = 2
_NAMES = {"german": "de", "deutsch": "de", "english": "en", "englisch": "en"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the sentences, the weights, the search, and what is written."""
    parser.add_argument(
        "text",
        nargs="*",
        metavar="TEXT",
        help="a sentence in quotes, or lines of them; without any, or for -, every line of "
        "standard input. Each line gives one line of output, and an empty line an empty one. A "
        "line with more tokens than the weights accept (511 for the shipped ones) gives an empty "
        "one, a message and status 2. Indents, list signs and tags around a text stay, and code "
        "between fences of Markdown is translated; emoji, addresses, placeholders and identifiers "
        "are copied. Common abbreviations are read in full, words in capitals in normal case, most "
        "acronyms apart, and missing capitals, umlauts, apostrophes and final marks put in. The "
        "shipped weights translate many sentences wrongly; a message on standard error names "
        "translations that are probably not usable",
    )
    parser.add_argument(
        "--from",
        dest="source",
        metavar="LANGUAGE",
        type=_language,
        help="source language (default: de)",
    )
    parser.add_argument(
        "--to",
        dest="target",
        metavar="LANGUAGE",
        type=_language,
        help="target language (default: the other of en and de)",
    )
    options.add(parser, "--weights", usual="translation-FROM-TO")
    options.add(parser, "--beam", default=4)
    parser.add_argument(
        "--no-reranking",
        action="store_true",
        help="take the beam's own order, which is faster. Of shipped weights' beams, the other "
        "direction's weights and gpt-everyday choose the best, and what loses a number comes "
        "last; only these have a confidence, by which bad ones are named",
    )
    options.add(parser, "--length-penalty", usual="the one chosen in the validation of the weights")
    parser.add_argument(
        "--nbest",
        type=whole(1, options.MOST_TEXTS),
        default=1,
        metavar="N",
        help="print the N best translations of each sentence, no two alike, each in a line: number "
        "of the sentence, tab, score, tab, translation (default: 1, without number and score)",
    )
    parser.add_argument(
        "--prefix", default="", metavar="TEXT", help="force each translation to start with TEXT"
    )
    options.add(parser, "--json")
    options.add(parser, "--jsonl")
    parser.add_argument(
        "--alignment",
        action="store_true",
        help="with --json or --jsonl: add the words of both sentences, the attention weights "
        "between them and the pairs that belong together",
    )
    options.add(parser, "--attention", "for one sentence")
    options.add(
        parser,
        "--batch-size",
        "with 1, and by default at a keyboard, each line is translated before the next one is read",
    )
    options.add(parser, "--device")
    options.add(
        parser,
        "--precision",
        "int8 runs on a CPU only; small weights are fastest in fp32 on a CPU",
        choices=("fp32", "bf16", "int8"),
    )


def run(arguments: argparse.Namespace) -> int:
    """Prints each translation as soon as it is there; what was printed before an error stays."""
    from tokoban import pretrained
    from tokoban.cli.screen import Screen
    from tokoban.pretrained.confidence import confidence_of
    from tokoban.pretrained.reranking import reranker_of
    from tokoban.systems.translation.alignment import align_sentences
    from tokoban.systems.translation.confidence import DOUBTFUL_BELOW
    from tokoban.systems.translation.languages import num_words_by_language

    _check(arguments)
    refused: list[str] = []  # what is too long, or no text

    def refuse(sentence: str) -> None:
        refused.append(sentence)
        if sys.stdout.isatty():
            print(f"tokoban: {sentence}", file=sys.stderr)

    given = lines_of(arguments.text, "sentence", on_refused=refuse)
    lines: Iterator[str] = (line for text in given for line in (text or "").split("\n"))
    if arguments.attention is not None:
        lines = iter([_only_sentence(lines)])
    model, engine, config, weights = _load(arguments)
    if weights not in pretrained.names():
        options.refuse(arguments, "--no-reranking", because="with weights that are not shipped")
    reranker = confidence = None
    if not arguments.no_reranking:
        device = model.embedding.weight.device
        reranker = reranker_of(weights, device=device, precision=arguments.precision)
        confidence = confidence_of(weights)
    if arguments.length_penalty is None:
        arguments.length_penalty = config.length_penalty
    if arguments.prefix:
        confidence = None  # it is not the translator's own choice
    is_printed = "-" not in (arguments.json, arguments.jsonl)
    doubtful: list[int] = []  # numbers of the sentences
    num_words = Counter[str]()  # common ones, by language
    source, target = config.source_language, config.target_language
    number = 0
    try:
        num_lines = sum(1 + text.count("\n") for text in arguments.text)
        total = None if "-" in (arguments.text or ["-"]) else num_lines
        is_shown = not sys.stdout.isatty()  # where the translations themselves are seen
        bar = Screen(stderr=True).counting("sentences", total, is_shown=is_shown)
        with report.entries(arguments) as entries, bar as update:
            translated = _translated(model, engine, reranker, lines, arguments, on_too_long=refuse)
            for number, (line, found) in enumerate(translated, start=1):
                if is_printed:
                    _print(number, found, is_numbered=arguments.nbest > 1)
                if arguments.weights is None:
                    num_words.update(num_words_by_language(line))
                has_words = bool(found and found[0].tokens)
                share = confidence.of(found[0]) if confidence and has_words else None
                if share is not None and share < DOUBTFUL_BELOW:
                    doubtful.append(number)
                    if sys.stdout.isatty():
                        print(f"tokoban: {_doubt([number])} ({share:.0%})", file=sys.stderr)
                described = _described(number, line, found, confidence=share)
                if arguments.alignment:
                    described["alignment"] = (
                        align_sentences(model, found[0]).to_dict() if found else None
                    )
                entries.add(described)
                if arguments.attention is not None and found:
                    _show_attention(model, found[0], arguments.attention)
                update(advance=1)
    finally:
        if num_words[target] > max(1, 2 * num_words[source]):
            use = f"use --from {target} --to {source}"
            print(f"tokoban: the input seems to be in {target}; {use}", file=sys.stderr)
        if doubtful and not sys.stdout.isatty():
            of_all = f" ({len(doubtful):,} of {number:,})" * (number > 1)
            print(f"tokoban: {_doubt(doubtful)}{of_all}", file=sys.stderr)
        for sentence in refused if not sys.stdout.isatty() else ():
            print(f"tokoban: {sentence}", file=sys.stderr)
    return ExitCode.INVALID_INPUT if refused else ExitCode.DONE


def _language(word: str) -> str:
    """The code of a language, in lower case; names of the shipped weights' languages have one."""
    return _NAMES.get(word.casefold(), word.casefold())


def _doubt(numbers: Sequence[int]) -> str:
    """The message on translations that are probably not usable, with the numbers of all."""
    if len(numbers) == 1:
        return f"the translation of sentence {numbers[0]} is probably not usable"
    return f"the translations of sentences {_runs(numbers)} are probably not usable"


def _runs(numbers: Sequence[int]) -> str:
    """Such as "1, 4-6"."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][1] == number - 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(
        f"{first:d}-{last:d}" if first < last else f"{first:d}" for first, last in runs
    )


def _check(arguments: argparse.Namespace) -> None:
    """Refuses before the work what cannot be done, and options without effect."""
    check_outputs(arguments, "attention", "json", "jsonl", inputs=["weights"])
    if arguments.nbest > arguments.beam:
        raise ValueError(
            f"--nbest is {arguments.nbest}; expected at most --beam, which is {arguments.beam}"
        )
    if arguments.json is None and arguments.jsonl is None:
        options.refuse(arguments, "--alignment", because="without --json or --jsonl")


def _only_sentence(lines: Iterable[str]) -> str:
    sentences = [line for line in lines if line.strip()]
    if len(sentences) != 1:
        raise ValueError(f"--attention draws one sentence, got {len(sentences)}")
    return sentences[0]


def _load(
    arguments: argparse.Namespace,
) -> "tuple[Translator, Engine, TranslationConfig, str]":
    """The model on its device, its engine, its config, and which weights they are.

    ``ValueError`` if it is for other languages.
    """
    from tokoban import pretrained
    from tokoban.systems.translation.engine import prepare_for_inference
    from tokoban.systems.translation.model import Translator

    source = arguments.source or ("en" if arguments.target == "de" else "de")
    target = arguments.target or ("de" if source == "en" else "en")
    weights = arguments.weights
    if weights is None:
        weights = f"translation-{source}-{target}"
        if weights not in pretrained.names():
            raise ValueError(
                f"no weights from {source} to {target} come with tokoban, only from de to en and "
                "from en to de; --weights takes those of a training by `tokoban train translation`"
            )
    model, config = pretrained.load(weights, system="translation")
    known = _language(config.source_language), _language(config.target_language)
    asked = arguments.source or known[0], arguments.target or known[1]
    if asked != known:
        raise ValueError(
            f"{weights} translates from {config.source_language} to {config.target_language}, "
            f"not from {asked[0]} to {asked[1]}"
        )
    assert isinstance(model, Translator)
    device = find_device(arguments.device)
    engine = prepare_for_inference(model, device, precision=arguments.precision)
    return model, engine, config, weights


def _translated(
    model: "Translator",
    engine: "Engine",
    reranker: "Reranker | None",
    lines: Iterator[str],
    arguments: argparse.Namespace,
    *,
    on_too_long: Callable[[str], None],
) -> Iterator[tuple[str, "list[Translation]"]]:
    from tokoban.systems.translation.lines import translate_lines

    batch_size = arguments.batch_size
    if are_typed(arguments.text) and "--batch-size" not in arguments.given:
        batch_size = 1
    return translate_lines(
        model,
        _blocks(lines, batch_size),
        engine=engine,
        on_too_long=on_too_long,
        forced_prefix=arguments.prefix,
        beam=arguments.beam,
        length_penalty=arguments.length_penalty,
        nbest=arguments.nbest,
        batch_size=batch_size,
        reranker=reranker,
    )


def _blocks(lines: Iterator[str], batch_size: int) -> Iterator[list[str]]:
    """First a batch, so that something comes out soon."""
    yield from blocks_of(islice(lines, batch_size), batch_size)
    yield from blocks_of(lines, 1 if batch_size == 1 else _BATCHES_PER_BLOCK * batch_size)


def _print(number: int, found: "Sequence[Translation]", *, is_numbered: bool) -> None:
    for translation in found:
        start = f"{number}\t{translation.score:.4f}\t" if is_numbered else ""
        write_text(f"{start}{translation.text}\n")
    if not found:
        write_text("\n")
    sys.stdout.flush()


def _described(
    number: int, line: str, found: "Sequence[Translation]", *, confidence: float | None
) -> dict[str, Any]:
    """The object of a sentence, without its alignment."""
    return {
        "index": number,
        "text": line,
        "translations": [{"text": each.text, "score": each.score} for each in found],
        "confidence": None if confidence is None else round(confidence, 4),
    }


def _show_attention(model: "Translator", best: "Translation", destination: str) -> None:
    with_words = [each for each in best.sentences or (best,) if each.tokens]
    if len(with_words) != 1:
        raise ValueError(f"--attention draws one sentence with words, got {len(with_words)}")
    (best,) = with_words
    from tokoban import systems
    from tokoban.viewing.plots import write_attention

    view = systems.load("translation").attention(model, best.source_tokens, best.tokens)
    write_attention(Path(destination), view, title=best.text)
