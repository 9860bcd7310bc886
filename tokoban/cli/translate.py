"""``tokoban translate``: sentences of the command line or of standard input, a line for each."""

import argparse
import itertools
import json
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tokoban.cli import attention_files
from tokoban.cli.lines import are_typed, lines_of
from tokoban.cli.output import check_outputs, counted, write_output, write_text
from tokoban.cli.ranges import check_ranges
from tokoban.training.device import add_device_option, find_device

if TYPE_CHECKING:
    from tokoban.decoding import Sampling
    from tokoban.pretrained.domains import Domain
    from tokoban.systems.translation.config import TranslationConfig
    from tokoban.systems.translation.model import Translator
    from tokoban.systems.translation.texts import Translation

SUMMARY = "translate sentences, from German to English or back"
UNDECIDED = ""

# Lines read at a time, in batches: sentences of like length among them are translated together.
_BATCHES_A_BLOCK = 8
_MOST = 100_000  # beams, or sentences at a time
_BEAM = 4
_LONGEST_NAME = 20  # of a word beside a picture
_MOST_NAMED = 5  # sentences that are far from what the weights have read


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the sentences, the weights, the search, and what else is to be seen of it."""
    parser.add_argument(
        "text",
        nargs="*",
        metavar="TEXT",
        help="a sentence, in quotes; without any, or for -, every line of standard input. There is "
        "a line for each, in their order, and an empty one for an empty one. A line that has more "
        "tokens than the weights have positions (511 of those that ship) ends the command with "
        "status 2, behind the translations of those before it. The weights that ship have read "
        "captions of pictures and nothing else; sentences that are far from these are named on "
        "standard error, since their translations are often wrong",
    )
    parser.add_argument(
        "--from", dest="source", metavar="LANGUAGE", help="de or en, say (default: de)"
    )
    parser.add_argument("--to", dest="target", metavar="LANGUAGE", help="(default: en, or de)")
    parser.add_argument(
        "--weights",
        metavar="NAME_OR_PATH",
        help="of the translator (default: translation-FROM-TO)",
    )
    parser.add_argument("--beam", type=int, metavar="K", help=f"beams (default: {_BEAM})")
    parser.add_argument(
        "--length-penalty",
        type=float,
        metavar="A",
        help="a translation of n tokens is judged by its log-probability / ((5 + n) / 6)^A "
        "(default: as the weights were validated)",
    )
    parser.add_argument(
        "--nbest",
        type=int,
        default=1,
        metavar="N",
        help="the N best translations of each sentence: its number, a tab, the score, a tab, the "
        "translation",
    )
    parser.add_argument(
        "--prefix", default="", metavar="TEXT", help="what every translation is to begin with"
    )
    parser.add_argument(
        "--sample", action="store_true", help="draw translations by their probability, not the best"
    )
    parser.add_argument("--seed", type=int, metavar="S", help="of --sample (default: 0)")
    parser.add_argument("--temperature", type=float, metavar="T", help="of --sample (default: 1)")
    parser.add_argument("--top-k", type=int, metavar="K", help="of --sample (default: any token)")
    parser.add_argument("--top-p", type=float, metavar="P", help="of --sample (default: any token)")
    parser.add_argument(
        "--attention",
        metavar="OUT",
        help="draw where the translator looked as it wrote each word of the one sentence given, "
        "PNG or SVG by the name; a name that ends in .html becomes a page to look around in, with "
        "the tokens and every layer and head",
    )
    parser.add_argument(
        "--alignment",
        metavar="OUT",
        help="write the same for every sentence as JSON: words, weights, and which belong "
        "together; - to print it in place of the translations",
    )
    parser.add_argument(
        "--batch-size",
        type=int,
        default=32,
        metavar="N",
        help="sentences at a time (default: 32). With 1, and at a keyboard, every line is answered "
        "before the next one is read",
    )
    add_device_option(parser)
    parser.add_argument(
        "--precision",
        choices=("fp32", "bf16", "int8"),
        default="fp32",
        help="bf16 is quicker on a GPU and for large weights; small ones are quickest in fp32 on a "
        "CPU, where they are compiled; bf16 and int8 may choose another word; int8 is for the CPU "
        "alone (default: fp32)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Prints each translation as soon as it is there; what was printed before an error stays."""
    if arguments.sample and arguments.beam is not None:
        raise ValueError("--beam is of the search; with --sample there is none")
    if arguments.beam is None:
        arguments.beam = _BEAM
    _check(arguments)
    sampling = _sampling(arguments)
    lines = lines_of(arguments.text, "sentence")
    if arguments.attention is not None:
        lines = iter([_only_sentence(lines)])
    model, config, domain = _load(arguments)
    if arguments.length_penalty is None:
        arguments.length_penalty = config.length_penalty
    if sampling is not None or arguments.prefix:
        domain = None  # neither a draw nor a prefix is the translator's own choice
    alignments: list[dict[str, Any]] = []
    far: list[int] = []  # the numbers of sentences that are far from the domain
    number = 0
    is_over = False
    try:
        with _progress(arguments.text) as advance:
            translated = _translated(model, lines, arguments, sampling)
            for number, (line, found) in enumerate(translated, start=1):
                if arguments.alignment != "-":
                    _print(number, found, is_numbered=arguments.nbest > 1)
                if arguments.alignment is not None:
                    alignments.append(_aligned(model, line, found[0]))
                if arguments.attention is not None:
                    _show_attention(model, found[0], arguments.attention)
                if domain and _nats_a_token(found[0], arguments) < domain.least_nats:
                    far.append(number)
                advance()
        is_over = True
    finally:
        # What is known is written, also after Ctrl-C and where a later line could not be read.
        if arguments.alignment is not None and (alignments or is_over):
            objects = ",\n".join(json.dumps(each, ensure_ascii=False) for each in alignments)
            write_output(arguments.alignment, f"[\n{objects}\n]\n")
        if domain and far:
            print(f"tokoban: {_told_of_far(far, number, domain)}", file=sys.stderr)
    return 0


def _nats_a_token(found: "Translation", arguments: argparse.Namespace) -> float:
    """The mean log-probability of a token of a translation, its end counted."""
    from tokoban.systems.translation.translate import gnmt_penalty

    length = len(found.tokens) + 1
    return found.score * gnmt_penalty(arguments.length_penalty)(length) / length


def _told_of_far(far: Sequence[int], num_sentences: int, domain: "Domain") -> str:
    """Which sentences are far from what the weights have read."""
    which, whose = "the sentence is", "its translation"
    if num_sentences > 1:
        numbers = ", ".join(map(str, far[:_MOST_NAMED])) + ", ..." * (len(far) > _MOST_NAMED)
        are, whose = ("is", whose) if len(far) == 1 else ("are", "their translations")
        which = f"{len(far):,} of {counted(num_sentences, 'sentence')} (number {numbers}) {are}"
    known = f"{domain.texts}, all that these weights have read"
    return f"{which} far from {known}; {whose} may be wrong"


def _check(arguments: argparse.Namespace) -> None:
    """Refuses at once, by the option's own name, what would come to light after the work."""
    from tokoban.systems.translation.config import LARGEST_PENALTY

    check_outputs(arguments, "attention", "alignment", inputs=["weights"])
    attention_files.check(arguments.attention)
    beam, penalty = arguments.beam, arguments.length_penalty
    seed, temperature = arguments.seed, arguments.temperature
    top_k, top_p = arguments.top_k, arguments.top_p
    check_ranges(
        arguments,
        ("beam", 1 <= beam <= _MOST, f"1 to {_MOST:,}"),
        (
            "length_penalty",
            penalty is None or 0 <= penalty <= LARGEST_PENALTY,
            f"0 (none) to {LARGEST_PENALTY}",
        ),
        ("nbest", 1 <= arguments.nbest <= _MOST, f"1 to {_MOST:,}"),
        ("nbest", arguments.sample or arguments.nbest <= beam, f"at most --beam, which is {beam}"),
        ("seed", seed is None or 0 <= seed < 2**63, "0 to 2^63 - 1"),
        (
            "temperature",
            temperature is None or 0 <= temperature < math.inf,
            "0 (greedy) or more, finite",
        ),
        ("top_k", top_k is None or top_k >= 1, "at least 1"),
        ("top_p", top_p is None or 0 < top_p <= 1, "more than 0, at most 1"),
        ("batch_size", 1 <= arguments.batch_size <= _MOST, f"1 to {_MOST:,}"),
    )


def _sampling(arguments: argparse.Namespace) -> "Sampling | None":
    given = {
        name: getattr(arguments, name)
        for name in ("seed", "temperature", "top_k", "top_p")
        if getattr(arguments, name) is not None
    }
    if not arguments.sample:
        for name in given:
            raise ValueError(f"--{name.replace('_', '-')} goes with --sample, which is not given")
        return None
    from tokoban.decoding import Sampling

    return Sampling(**({"seed": 0} | given))


def _only_sentence(lines: Iterable[str]) -> str:
    sentences = [line for line in lines if line.strip()]
    if len(sentences) != 1:
        raise ValueError(f"--attention draws one sentence, got {len(sentences)}")
    return sentences[0]


def _load(
    arguments: argparse.Namespace,
) -> "tuple[Translator, TranslationConfig, Domain | None]":
    """The model of the weights, on its device, and what shipped ones have read.

    ``ValueError`` if it is for other languages.
    """
    from tokoban import pretrained
    from tokoban.pretrained.domains import DOMAINS
    from tokoban.systems.translation.model import Translator
    from tokoban.systems.translation.translate import made_ready

    source = arguments.source or ("en" if arguments.target == "de" else "de")
    target = arguments.target or ("de" if source == "en" else "en")
    weights = arguments.weights
    if weights is None:
        weights = f"translation-{source}-{target}"
        if weights not in pretrained.names():
            raise ValueError(
                f"no weights from {source} to {target} come with tokoban; "
                "--weights takes those of a `tokoban train translation`"
            )
    model, config = pretrained.load(weights, system="translation")
    asked = arguments.source or config.source_language, arguments.target or config.target_language
    if asked != (config.source_language, config.target_language):
        raise ValueError(
            f"{weights} translates from {config.source_language} to {config.target_language}, "
            f"not from {asked[0]} to {asked[1]}"
        )
    assert isinstance(model, Translator)
    device = find_device(arguments.device)
    ready = made_ready(model, device, precision=arguments.precision)
    return ready, config, DOMAINS.get(weights)


def _translated(
    model: "Translator",
    lines: Iterator[str],
    arguments: argparse.Namespace,
    sampling: "Sampling | None",
) -> Iterator[tuple[str, "list[Translation]"]]:
    """Each line with its translations; those before a line that cannot be read come first."""
    from tokoban.systems.translation.pairs import tidy
    from tokoban.systems.translation.texts import num_tokens, tokenizer_of, translate_texts

    is_line_by_line = are_typed(arguments.text) or arguments.batch_size <= 1
    block_size = 1 if is_line_by_line else _BATCHES_A_BLOCK * arguments.batch_size
    prefix_length = len(tokenizer_of(model).encode(tidy(arguments.prefix)))
    for first in itertools.count(1, block_size):
        block, trouble = _read(lines, block_size)
        for place, length in enumerate(num_tokens(model, block)):
            complaint = _complaint(length, model.max_positions - 1, prefix_length)
            if complaint:
                trouble = ValueError(f"line {first + place} {complaint}")
                block = block[:place]
                break
        found = translate_texts(
            model,
            block,
            beam=arguments.beam,
            length_penalty=arguments.length_penalty,
            nbest=arguments.nbest,
            forced_prefix=arguments.prefix,
            sampling=sampling,
            batch_size=arguments.batch_size,
            first_number=first,
        )
        yield from zip(block, found, strict=True)
        if trouble is not None:
            raise trouble
        if len(block) < block_size:
            return


def _complaint(length: int, longest: int, prefix_length: int) -> str:
    """Why a line of so many tokens cannot be translated; empty if it can."""
    from tokoban.systems.translation.model import EXTRA_LENGTH

    if length > longest:
        return f"has {length} tokens; this translator reads at most {longest}"
    room = length + EXTRA_LENGTH
    if length and prefix_length >= room:
        return (
            f"has {length} tokens, whose translation may have {room} with its end; "
            f"the prefix has {prefix_length}"
        )
    return ""


def _read(lines: Iterator[str], num_lines: int) -> tuple[list[str], ValueError | None]:
    """The next lines, and what is wrong with the one after them, if that is why they are few."""
    block: list[str] = []
    try:
        block.extend(itertools.islice(lines, num_lines))
    except ValueError as error:
        return block, error
    return block, None


def _print(number: int, found: "Sequence[Translation]", *, is_numbered: bool) -> None:
    for translation in found:
        start = f"{number}\t{translation.score:.4f}\t" if is_numbered else ""
        write_text(f"{start}{translation.text}\n")
    sys.stdout.flush()


def _aligned(model: "Translator", line: str, best: "Translation") -> dict[str, Any]:
    """Both texts, their words, and how much of each source word every target word took."""
    from tokoban.systems.translation.alignment import align

    words = align(model, best.source_tokens, best.tokens).to_dict()
    return {"text": line, "translation": best.text} | words


_GUIDE = (
    "In the first panel, look for heads that act as a dictionary, where each written token attends "
    "to the source token that it translates; in the other two, for heads that attend to a "
    "neighbour, or to a word that belongs to the query's."
)


def _show_attention(model: "Translator", best: "Translation", destination: str) -> None:
    """A page of every token, layer and head, or a picture of the words alone."""
    from tokoban.systems.translation.alignment import align
    from tokoban.systems.translation.attention_panels import attention_panels
    from tokoban.viewing.plots import plot_weights

    if attention_files.is_page(destination):
        panels = attention_panels(model, best.source_tokens, best.tokens)
        attention_files.write(destination, panels, title=best.text, guide=_GUIDE)
        return
    words = align(model, best.source_tokens, best.tokens)
    plot_weights(
        words.weights,
        row_names=[_shortened(word) for word in words.target_words],
        column_names=[_shortened(word) for word in words.source_words],
        picture=Path(destination),
    )


def _shortened(word: str) -> str:
    """So that a German number leaves room for the picture."""
    return word if len(word) <= _LONGEST_NAME else f"{word[: _LONGEST_NAME - 1]}…"


@contextmanager
def _progress(texts: Sequence[str]) -> Iterator[Callable[[], None]]:
    """A function that counts one more; seen where standard error is a terminal, and no other is."""
    if not sys.stderr.isatty() or sys.stdout.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
    )

    total = None if "-" in (texts or ["-"]) else len(texts)
    columns = (TextColumn("sentences"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    screen = Console(stderr=True)
    # Else rich would draw on the terminal what was to be printed into a file.
    with Progress(*columns, console=screen, redirect_stdout=False, redirect_stderr=False) as bar:
        task = bar.add_task("", total=total)
        yield lambda: bar.advance(task)
