"""``tokoban generate-text``: a model goes on from prompts of the command line or standard input."""

import argparse
import itertools
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from tokoban.cli import attention_files
from tokoban.cli.lines import are_typed, lines_of
from tokoban.cli.output import check_destination, write_output

if TYPE_CHECKING:
    from tokoban.decoding import Sampling
    from tokoban.systems.gpt.model import Gpt
    from tokoban.systems.gpt.texts import Continuation

SUMMARY = "go on from a text, token by token, with a GPT"

_LONGEST_TITLE = 60  # characters


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
        help="write prompts, texts, their tokens and log-probabilities to this file (- to print)",
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
    parser.add_argument("--device", choices=("auto", "cpu", "cuda"), default="auto")


def run(arguments: argparse.Namespace) -> int:
    """Prints each prompt with its texts, on a terminal as they come about."""
    check_destination(arguments.json)
    attention_files.check(arguments.attention)
    num_prompts = len([prompt for prompt in arguments.prompt if prompt != "-"])
    if arguments.attention is not None and (num_prompts, arguments.num) != (1, 1):
        raise ValueError(
            f"--attention shows one text, of one prompt and --num 1; got {num_prompts} in the "
            f"command line and --num {arguments.num}"
        )
    if arguments.batch_size < 1:
        raise ValueError(f"--batch-size is {arguments.batch_size}; expected at least 1")
    sampling, model = _sampling(arguments), _load(arguments)
    prompts = lines_of(arguments.prompt, "prompt")
    is_streamed = arguments.json != "-" and sys.stdout.isatty()
    is_one_by_one = is_streamed or are_typed(arguments.prompt)
    block_size = 1 if is_one_by_one else arguments.batch_size
    objects: list[dict[str, Any]] = []
    is_over = False
    try:
        for first in itertools.count(0, block_size):
            block = list(itertools.islice(prompts, block_size))
            if not block:
                break
            if is_streamed:
                found = [_streamed(model, block[0], arguments, sampling, number=first)]
            else:
                found = _generated(model, block, arguments, sampling, first=first)
            for prompt, texts in zip(block, found, strict=True):
                if not is_streamed and arguments.json != "-":
                    _print(prompt, texts)
                objects.append({"prompt": prompt, "texts": [asdict(text) for text in texts]})
                if arguments.attention is not None:
                    _show_attention(model, prompt, texts[0], arguments.attention)
        is_over = True
    finally:
        # What finished prompts gave is written, also after Ctrl-C and where a later one is refused.
        if arguments.json is not None and (objects or is_over):
            lines = ",\n".join(json.dumps(each, ensure_ascii=False) for each in objects)
            write_output(arguments.json, f"[\n{lines}\n]\n")
    return 0


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
    from tokoban.training.device import find_device

    model, _ = pretrained.load(arguments.weights, system="gpt")
    assert isinstance(model, Gpt)
    return model.to(find_device(arguments.device))


def _generated(
    model: "Gpt",
    prompts: Sequence[str],
    arguments: argparse.Namespace,
    sampling: "Sampling",
    *,
    first: int,
    on_text: Callable[[int, str], None] | None = None,
) -> "list[list[Continuation]]":
    """The texts of prompts, of which ``first`` came before; on ``on_text`` see generate_texts."""
    from tokoban.systems.gpt.texts import generate_texts

    return generate_texts(
        model,
        prompts,
        max_tokens=arguments.max_tokens,
        sampling=sampling,
        repetition_penalty=arguments.repetition_penalty,
        stops=[stop.replace("\\n", "\n") for stop in arguments.stop],
        num_each=arguments.num,
        first_number=first,
        batch_size=1 if on_text is not None else arguments.batch_size,
        on_text=on_text,
    )


def _streamed(
    model: "Gpt", prompt: str, arguments: argparse.Namespace, sampling: "Sampling", *, number: int
) -> "list[Continuation]":
    """The texts of one prompt, one after the other, each seen as it comes about."""
    last_row = 0

    def show(row: int, text: str) -> None:
        nonlocal last_row
        sys.stdout.write(text if row == last_row else f"\n{prompt}{text}")
        sys.stdout.flush()
        last_row = row

    sys.stdout.write(prompt)
    sys.stdout.flush()
    try:
        return _generated(model, [prompt], arguments, sampling, first=number, on_text=show)[0]
    finally:
        print()


def _print(prompt: str, texts: "Sequence[Continuation]") -> None:
    for text in texts:
        print(f"{prompt}{text.text}")
    sys.stdout.flush()


def _show_attention(model: "Gpt", prompt: str, text: "Continuation", destination: str) -> None:
    from tokoban.systems.gpt.attention import attention_panel
    from tokoban.systems.gpt.texts import encode_prompts, tokenizer_of

    (tokens,) = encode_prompts(model, [prompt])
    panel = attention_panel(model, [*tokens, *text.tokens], tokenizer_of(model))
    attention_files.write(destination, [panel], title=f"{prompt}{text.text}"[:_LONGEST_TITLE])
