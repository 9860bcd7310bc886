"""Tokens a second that a GPT writes, with its cache and without; both write the same.

Greedy, from one prompt of a few tokens, random weights of two sizes; a row has its number of texts
as batch. The network without a cache reads the whole text again for each token, as minGPT and
nanoGPT do: its rows are the baseline. On the CPU times are of the processor, which other work on
the machine stretches little.
"""

import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import torch

from benchmarks.harness import Report, in_turns, parser
from tokoban.cli.parser import whole
from tokoban.inference.engine import Engine
from tokoban.inference.plain import PlainEngine
from tokoban.systems.gpt import config
from tokoban.systems.gpt.config import GptConfig
from tokoban.systems.gpt.engine import network_of
from tokoban.systems.gpt.generate import generate
from tokoban.systems.gpt.model import Gpt
from tokoban.systems.gpt.train import build_model

PLAIN, CACHED = "read again for each token", "with a cache"
PROMPT_TOKENS = 7


def sizes(num_tokens: int) -> dict[str, GptConfig]:
    """The networks by name, with room for a text of ``num_tokens`` and its prompt."""
    room = num_tokens + PROMPT_TOKENS
    return {
        "0.8 M parameters": replace(config.small(), context_length=room),
        "10.6 M parameters": replace(config.shakespeare(), context_length=room),
    }


def measure(report: Report, model: Gpt, name: str, *, num_tokens: int, num_texts: int) -> None:
    """A row for each way, the better of two calls; ``num_unexplained`` are tokens that differ."""
    prompts = [[number % 65 for number in range(PROMPT_TOKENS)]] * num_texts

    def written(engine: Engine | None) -> torch.Tensor:
        return generate(model, prompts, max_tokens=num_tokens, engine=engine).actions

    ways = {PLAIN: partial(written, PlainEngine(network_of(model))), CACHED: partial(written, None)}
    num_differing = int((ways[PLAIN]() != ways[CACHED]()).sum())
    for way, all_s in in_turns(ways, report.device, rounds=2).items():
        report.add(
            f"{name}, {num_tokens} tokens, {way}",
            batch=num_texts,
            per_second=num_texts * num_tokens / min(all_s),
            num_unexplained=num_differing,
        )


def ratios(report: Report) -> dict[str, float]:
    """By the rows' names and batch: how many times as fast the cache makes it."""
    rates = {(row["name"], row["batch"]): row["per_second"] for row in report.measured}
    found = {}
    for (name, batch), rate in rates.items():
        if name.endswith(CACHED):
            plain = rates[name.removesuffix(CACHED) + PLAIN, batch]
            found[f"{name}, batch {batch}"] = rate / plain
    return found


def main(argv: Sequence[str] | None = None) -> int:
    options = parser(__doc__, num_threads=1)
    options.add_argument("--tokens", type=whole(1), default=256, metavar="N")
    options.add_argument("--texts", type=whole(1), default=1, metavar="N", help="at once")
    arguments = options.parse_args(argv)
    report = Report(arguments, unit="tokens", posted=())
    num_tokens = min(32, arguments.tokens) if arguments.quick else arguments.tokens
    for name, chosen in sizes(num_tokens).items():
        torch.manual_seed(0)
        model = build_model(chosen).to(report.device)
        measure(report, model, name, num_tokens=num_tokens, num_texts=arguments.texts)
    report.note(times_as_fast=ratios(report))
    report.finish()
    for name, ratio in ratios(report).items():
        print(f"{ratio:.1f} times as fast: {name}", file=sys.stderr)
    return report.exit_code()


if __name__ == "__main__":
    sys.exit(main())
