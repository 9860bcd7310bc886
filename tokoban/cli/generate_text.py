"""``tokoban generate-text``: a model goes on from prompts of the command line or standard input."""

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from tokoban.cli import in_one_line, options, report
from tokoban.cli.exit_codes import ExitCode
from tokoban.cli.lines import are_typed, blocks_of, lines_of
from tokoban.cli.output import check_outputs, write_text
from tokoban.cli.parser import whole
from tokoban.sokoban.wording import counted
from tokoban.training.device import find_device

if TYPE_CHECKING:
    from tokoban.decoding import Sampling
    from tokoban.inference.engine import Engine
    from tokoban.systems.gpt.model import Gpt
    from tokoban.systems.gpt.texts import Continuation

    _Written = tuple[str, list[Continuation]]  # a prompt, and its texts that are finished

SUMMARY = "continue a text, token by token, with a GPT"
UNDECIDED = ""

_LONGEST_TITLE = 60  # characters
_MOST_TOKENS = 1_000_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the prompts, the weights, the sampling, and when a text ends."""
    parser.add_argument(
        "prompt",
        nargs="*",
        metavar="PROMPT",
        help="text to continue, in quotes; without any, or for -, every line of standard input. "
        "An empty prompt counts as a line break. A prompt that the vocabulary cannot spell is "
        "refused, and the others are continued. The shipped weights write everyday sentences in "
        "English and German; they do not answer questions",
    )
    options.add(parser, "--weights", default="gpt-everyday")
    parser.add_argument(
        "--max-tokens",
        type=whole(1, _MOST_TOKENS),
        default=200,
        metavar="N",
        help="length limit of each text (default: 200)",
    )
    options.add(parser, "--temperature", default=0.3)
    options.add(parser, "--top-k", usual="all")
    options.add(parser, "--top-p", usual="all")
    options.add(parser, "--seed")
    parser.add_argument(
        "--stop",
        action="append",
        default=[],
        metavar="TEXT",
        help="end a text before TEXT, in which \\n is a line break; may be repeated (default: \\n "
        "for weights that were trained on lines, as the shipped ones were; else none)",
    )
    parser.add_argument(
        "--num",
        type=whole(1, options.MOST_TEXTS),
        default=1,
        metavar="N",
        help="number of texts for each prompt (default: 1)",
    )
    options.add(parser, "--json", "after Ctrl-C a prompt may have fewer texts than --num")
    options.add(parser, "--jsonl", "a line for each prompt")
    options.add(
        parser,
        "--attention",
        "for the text of one prompt, or its end if it is longer than the model's context",
    )
    options.add(
        parser,
        "--batch-size",
        "by default on a terminal, each text is printed token by token",
    )
    options.add(parser, "--device")


def run(arguments: argparse.Namespace) -> int:
    """Prints each prompt with its texts, on a terminal token by token."""
    _check(arguments)
    from tokoban.decoding import Sampling
    from tokoban.systems.gpt.engine import engine_of
    from tokoban.systems.gpt.texts import usual_stops

    names = "seed", "temperature", "top_k", "top_p"
    sampling = Sampling(**{name: getattr(arguments, name) for name in names})
    model = _load(arguments)
    arguments.stop = arguments.stop or usual_stops(model)
    engine = engine_of(model)
    prompts = lines_of(arguments.prompt, "prompt", on_refused=_report)
    is_printed = "-" not in (arguments.json, arguments.jsonl)
    is_streamed = is_printed and sys.stdout.isatty() and "--batch-size" not in arguments.given
    is_one_by_one = is_streamed or (
        are_typed(arguments.prompt) and "--batch-size" not in arguments.given
    )
    block_size = 1 if is_one_by_one else arguments.batch_size
    num_read = num_refused = 0
    with report.entries(arguments) as entries:
        for read in blocks_of(prompts, block_size):
            block = _readable(model, read, first=num_read)
            num_read, num_refused = num_read + len(read), num_refused + len(read) - len(block)
            if not block:
                continue
            try:
                _go_on(model, engine, block, arguments, sampling, is_streamed=is_streamed)
            finally:
                # What was finished is written, also after Ctrl-C.
                for number, (prompt, texts) in block.items():
                    if texts:
                        described = [asdict(text) for text in texts]
                        entries.add({"index": number + 1, "prompt": prompt, "texts": described})
            if arguments.attention is not None:
                [(prompt, (text,))] = block.values()
                _show_attention(model, prompt, text, arguments.attention)
    return ExitCode.INVALID_INPUT if num_refused else ExitCode.DONE


def _check(arguments: argparse.Namespace) -> None:
    """Refuses before the work what cannot be done, and options without effect."""
    check_outputs(arguments, "json", "jsonl", "attention", inputs=["weights"])
    is_one = len(arguments.prompt) == arguments.num == 1 and arguments.prompt != ["-"]
    if arguments.attention is not None and not is_one:
        raise ValueError(
            "--attention shows one text; expected one prompt, in the command line, and --num 1"
        )
    if "" in arguments.stop:
        raise ValueError("--stop is empty; expected the text before which to end")
    if arguments.temperature == 0:
        options.refuse(arguments, "--seed", "--top-k", "--top-p", because="with --temperature 0")
        if arguments.num > 1:
            raise ValueError(
                f"--temperature 0 writes one text for each prompt, not {arguments.num}"
            )


def _load(arguments: argparse.Namespace) -> "Gpt":
    from tokoban import pretrained
    from tokoban.systems.gpt.model import Gpt

    model, _ = pretrained.load(arguments.weights, system="gpt")
    assert isinstance(model, Gpt)
    return model.to(find_device(arguments.device))


def _report(sentence: str) -> None:
    print(f"tokoban: {sentence}", file=sys.stderr)


def _readable(model: "Gpt", prompts: Sequence[str | None], *, first: int) -> "dict[int, _Written]":
    """The prompts that the vocabulary can spell, by number; says which it cannot.

    It also says of which prompts the model does not see the beginning, and how much that is.
    """
    from tokoban.systems.gpt.stepper import context_start
    from tokoban.systems.gpt.texts import encode_prompts, tokenizer_of

    tokenizer_of(model)  # without one there is nothing to say of a single prompt
    found: dict[int, _Written] = {}
    for number, prompt in enumerate(prompts, start=first):
        if prompt is None:
            continue
        try:
            (tokens,) = encode_prompts(model, [prompt], numbers=[number])
        except ValueError as error:
            _report(in_one_line(error))
            continue
        found[number] = (prompt, [])
        if start := context_start(len(tokens), model.context_length):
            _report(
                f"prompt {number + 1} has {counted(len(tokens), 'token')} and the model sees at "
                f"most {model.context_length:,}; the first {start:,} are left out"
            )
    return found


def _go_on(
    model: "Gpt",
    engine: "Engine",
    block: "Mapping[int, _Written]",
    arguments: argparse.Namespace,
    sampling: "Sampling",
    *,
    is_streamed: bool,
) -> None:
    """Fills in and shows the texts of each prompt, which are given by their numbers.

    Of one prompt they may be streamed, each as it comes about; else they are printed at the end,
    unless that is done as JSON, and after Ctrl-C too.
    """
    from tokoban.systems.gpt.texts import generate_texts

    written = list(block.values())
    shown = 0  # the row of the text that is streamed

    def keep(row: int, text: "Continuation") -> None:
        written[row // arguments.num][1].append(text)

    def show(row: int, text: str) -> None:
        nonlocal shown
        write_text(text if row == shown else f"\n{written[0][0]}{text}")
        sys.stdout.flush()
        shown = row

    if is_streamed:
        show(shown, written[0][0])
    try:
        generate_texts(
            model,
            [prompt for prompt, _ in written],
            engine=engine,
            max_tokens=arguments.max_tokens,
            sampling=sampling,
            stops=[stop.replace("\\n", "\n") for stop in arguments.stop],
            num_each=arguments.num,
            numbers=list(block),
            batch_size=1 if is_streamed else arguments.batch_size,
            on_text=show if is_streamed else None,
            on_end=keep,
        )
    finally:
        if is_streamed:
            print()
        elif "-" not in (arguments.json, arguments.jsonl):
            for prompt, texts in written:
                for text in texts:
                    write_text(f"{prompt}{text.text}\n")
        sys.stdout.flush()


def _show_attention(model: "Gpt", prompt: str, text: "Continuation", destination: str) -> None:
    from tokoban import systems
    from tokoban.systems.gpt.stepper import context_start
    from tokoban.systems.gpt.texts import encode_prompts
    from tokoban.viewing.plots import write_attention

    (prompt_tokens,) = encode_prompts(model, [prompt])
    tokens = [*prompt_tokens, *text.tokens]
    most, read = model.context_length, tokens[:-1]
    # The model never read the last token, so what it alone would push out is shown in its place.
    if context_start(len(tokens), most) > context_start(len(read), most):
        tokens = read
    view = systems.load("gpt").attention(model, tokens)
    (panel,) = view.panels
    if len(panel.queries) < len(tokens):
        shown = f"the last {len(panel.queries):,} of {counted(len(tokens), 'token')}"
        _report(f"{destination} shows {shown}, all that the model saw")
    title = f"{prompt}{text.text}"[:_LONGEST_TITLE]
    write_attention(Path(destination), view, title=title)
