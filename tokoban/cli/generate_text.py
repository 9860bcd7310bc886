"""``tokoban generate-text``: a model goes on from prompts of the command line or standard input."""

import argparse
import itertools
import json
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING

from tokoban.cli import attention_files
from tokoban.cli.lines import are_typed, lines_of
from tokoban.cli.output import check_outputs, counted, write_output, write_text
from tokoban.cli.ranges import check_ranges
from tokoban.training.device import add_device_option, find_device

if TYPE_CHECKING:
    from tokoban.decoding import Sampling
    from tokoban.systems.gpt.model import Gpt
    from tokoban.systems.gpt.texts import Continuation

    _Written = tuple[str, list[Continuation]]  # a prompt, and its texts that are finished

SUMMARY = "go on from a text, token by token, with a GPT"
UNDECIDED = ""

_LONGEST_TITLE = 60  # characters
_MOST_TOKENS, _MOST_TEXTS = 1_000_000, 100_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the prompts, the weights, how tokens are chosen, and when a text ends."""
    parser.add_argument(
        "prompt",
        nargs="*",
        metavar="PROMPT",
        help="what to go on from, in quotes; without any, or for -, every line of standard input. "
        "An empty one is read as a line break",
    )
    parser.add_argument(
        "--weights",
        default="gpt-python-docs",
        metavar="NAME_OR_PATH",
        help="of the model (default: gpt-python-docs, which has read Python's documentation)",
    )
    parser.add_argument(
        "--max-tokens", type=int, default=200, metavar="N", help="of each text (default: 200)"
    )
    parser.add_argument(
        "--temperature",
        type=float,
        default=0.8,
        metavar="T",
        help="of the draws; 0 takes the most probable token each time (default: 0.8)",
    )
    parser.add_argument("--top-k", type=int, metavar="K", help="draw from the K most probable")
    parser.add_argument(
        "--top-p",
        type=float,
        metavar="P",
        help="draw from the fewest most probable that are so probable together",
    )
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="(default: 0)")
    parser.add_argument(
        "--repetition-penalty",
        type=float,
        default=1.0,
        metavar="R",
        help="above 1, what the text has already becomes less probable: p^R (default: 1)",
    )
    parser.add_argument(
        "--stop",
        action="append",
        default=[],
        metavar="TEXT",
        help="end before this; may be given several times. \\n is a line break",
    )
    parser.add_argument(
        "--num", type=int, default=1, metavar="N", help="texts for each prompt (default: 1)"
    )
    parser.add_argument(
        "--json",
        metavar="OUT",
        help="write prompts, texts, their tokens and log-probabilities to this file (- to print); "
        "after Ctrl-C a prompt may have fewer texts than --num",
    )
    parser.add_argument(
        "--attention",
        metavar="OUT",
        help="show where the model looked in the text of the one prompt given, its end if it is "
        "longer than the model can see: a page of HTML to look around in, PNG or SVG, by the name",
    )
    parser.add_argument(
        "--batch-size", type=int, default=32, metavar="N", help="texts at a time (default: 32)"
    )
    add_device_option(parser)


def run(arguments: argparse.Namespace) -> int:
    """Prints each prompt with its texts, on a terminal as they come about."""
    _check(arguments)
    sampling, model = _sampling(arguments), _load(arguments)
    prompts = lines_of(arguments.prompt, "prompt")
    is_streamed = arguments.json != "-" and sys.stdout.isatty()
    is_one_by_one = is_streamed or are_typed(arguments.prompt)
    block_size = 1 if is_one_by_one else arguments.batch_size
    written: list[_Written] = []
    is_over = False
    try:
        for first in itertools.count(0, block_size):
            block: list[_Written]
            block = [(prompt, []) for prompt in itertools.islice(prompts, block_size)]
            if not block:
                break
            written += block
            _tell_dropped(model, [prompt for prompt, _ in block], first=first)
            _go_on(model, block, arguments, sampling, first=first, is_streamed=is_streamed)
            if arguments.attention is not None:
                (prompt, (text,)) = block[0]
                _show_attention(model, prompt, text, arguments.attention)
        is_over = True
    finally:
        # What was finished is written, also after Ctrl-C and where a later prompt is refused.
        known = [
            {"prompt": prompt, "texts": [asdict(text) for text in texts]}
            for prompt, texts in written
            if texts
        ]
        if arguments.json is not None and (known or is_over):
            lines = ",\n".join(json.dumps(each, ensure_ascii=False) for each in known)
            write_output(arguments.json, f"[\n{lines}\n]\n")
    return 0


def _check(arguments: argparse.Namespace) -> None:
    """Refuses at once, by the option's own name, what would come to light after the work."""
    check_outputs(arguments, "json", "attention", inputs=["weights"])
    attention_files.check(arguments.attention)
    num_prompts = len([prompt for prompt in arguments.prompt if prompt != "-"])
    if arguments.attention is not None and (num_prompts, arguments.num) != (1, 1):
        raise ValueError(
            f"--attention shows one text, of one prompt and --num 1; got {num_prompts} in the "
            f"command line and --num {arguments.num}"
        )
    if "" in arguments.stop:
        raise ValueError("--stop is empty; expected the text before which to end")
    top_k, top_p = arguments.top_k, arguments.top_p
    check_ranges(
        arguments,
        ("max_tokens", 1 <= arguments.max_tokens <= _MOST_TOKENS, f"1 to {_MOST_TOKENS:,}"),
        ("temperature", 0 <= arguments.temperature < math.inf, "0 (greedy) or more, finite"),
        ("top_k", top_k is None or top_k >= 1, "at least 1"),
        ("top_p", top_p is None or 0 < top_p <= 1, "more than 0, at most 1"),
        ("seed", 0 <= arguments.seed < 2**63, "0 to 2^63 - 1"),
        (
            "repetition_penalty",
            0 < arguments.repetition_penalty < math.inf,
            "more than 0, and finite",
        ),
        ("num", 1 <= arguments.num <= _MOST_TEXTS, f"1 to {_MOST_TEXTS:,}"),
        ("batch_size", 1 <= arguments.batch_size <= _MOST_TEXTS, f"1 to {_MOST_TEXTS:,}"),
    )


def _sampling(arguments: argparse.Namespace) -> "Sampling":
    from tokoban.decoding import Sampling

    return Sampling(
        seed=arguments.seed,
        temperature=arguments.temperature,
        top_k=arguments.top_k,
        top_p=arguments.top_p,
    )


def _load(arguments: argparse.Namespace) -> "Gpt":
    from tokoban import pretrained
    from tokoban.systems.gpt.model import Gpt

    model, _ = pretrained.load(arguments.weights, system="gpt")
    assert isinstance(model, Gpt)
    return model.to(find_device(arguments.device))


def _tell_dropped(model: "Gpt", prompts: Sequence[str], *, first: int) -> None:
    """Says of which prompts the model does not see the beginning, and how much that is."""
    from tokoban.systems.gpt.stepper import context_start
    from tokoban.systems.gpt.texts import encode_prompts

    encoded = encode_prompts(model, prompts, first_number=first)
    for number, tokens in enumerate(encoded, start=first + 1):
        if start := context_start(len(tokens), model.context_length):
            print(
                f"tokoban: prompt {number} has {counted(len(tokens), 'token')} and the model sees "
                f"at most {model.context_length:,}; the first {start:,} are left out",
                file=sys.stderr,
            )


def _go_on(
    model: "Gpt",
    block: "Sequence[_Written]",
    arguments: argparse.Namespace,
    sampling: "Sampling",
    *,
    first: int,
    is_streamed: bool,
) -> None:
    """Fills in and shows the texts of each prompt; ``first`` prompts came before these."""
    from tokoban.systems.gpt.texts import generate_texts

    def keep(row: int, text: "Continuation") -> None:
        block[row // arguments.num][1].append(text)

    shown = _as_it_comes(block[0][0]) if is_streamed else _at_the_end(block, arguments)
    with shown as show:
        generate_texts(
            model,
            [prompt for prompt, _ in block],
            max_tokens=arguments.max_tokens,
            sampling=sampling,
            repetition_penalty=arguments.repetition_penalty,
            stops=[stop.replace("\\n", "\n") for stop in arguments.stop],
            num_each=arguments.num,
            first_number=first,
            batch_size=1 if is_streamed else arguments.batch_size,
            on_text=show,
            on_end=keep,
        )


@contextmanager
def _as_it_comes(prompt: str) -> Iterator[Callable[[int, str], None]]:
    """Shows the texts of one prompt, one after the other, each as it comes about."""
    last_row = 0

    def show(row: int, text: str) -> None:
        nonlocal last_row
        write_text(text if row == last_row else f"\n{prompt}{text}")
        sys.stdout.flush()
        last_row = row

    sys.stdout.write(prompt)
    sys.stdout.flush()
    try:
        yield show
    finally:
        print()


@contextmanager
def _at_the_end(block: "Sequence[_Written]", arguments: argparse.Namespace) -> Iterator[None]:
    """Prints the finished texts, unless they are to be printed as JSON; after Ctrl-C too."""
    try:
        yield
    finally:
        if arguments.json != "-":
            for prompt, texts in block:
                for text in texts:
                    write_text(f"{prompt}{text.text}\n")
            sys.stdout.flush()


def _show_attention(model: "Gpt", prompt: str, text: "Continuation", destination: str) -> None:
    from tokoban.systems.gpt.attention import attention_panel
    from tokoban.systems.gpt.texts import encode_prompts, tokenizer_of

    (prompt_tokens,) = encode_prompts(model, [prompt])
    tokens = [*prompt_tokens, *text.tokens]
    panel = attention_panel(model, tokens, tokenizer_of(model))
    guide = (
        "Look for heads that attend to the token before, or to an earlier place of the same token; "
        "a head that attends to the first token alone has nothing to add here."
    )
    if len(panel.queries) < len(tokens):
        shown = f"the last {len(panel.queries):,} of {counted(len(tokens), 'token')}"
        guide += f" The model no longer saw the beginning of the text: these are {shown}."
        print(f"tokoban: {destination} shows {shown}, all that the model saw", file=sys.stderr)
    title = f"{prompt}{text.text}"[:_LONGEST_TITLE]
    attention_files.write(destination, [panel], title=title, guide=guide)
