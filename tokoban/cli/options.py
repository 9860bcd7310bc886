"""The options that several commands share: one spelling, one type, one help text for each.

A command picks from them by ``add``, with a note on what the option means there.
"""

import argparse
import math
import re
from collections.abc import Mapping
from typing import Any

from tokoban.cli.parser import Number, quoted_word, whole
from tokoban.sokoban.sizes import MAX_THREADS

MOST_TEXTS = 100_000  # beams, texts, or sentences at a time
_UNITS = {"MB": 10**6, "GB": 10**9}


def size_bytes(word: str) -> int:
    """The type of ``--memory-limit``: bytes of a size such as 500MB."""
    # Twelve digits are more than any machine has.
    size = re.fullmatch(r"(\d{1,12}(?:\.\d+)?) ?(MB|GB)", word, re.IGNORECASE | re.ASCII)
    if size is None:
        raise argparse.ArgumentTypeError(
            f"expected a size such as 500MB or 2GB, got {quoted_word(word)}"
        )
    return int(float(size[1]) * _UNITS[size[2].upper()])


# By the option, what ``add_argument`` gets; ``default`` as typed.
SHARED: Mapping[str, dict[str, Any]] = {
    # which levels
    "--levels": dict(metavar="N", type=whole(1), help="number of levels"),
    "--level": dict(
        metavar="N",
        type=int,
        help="use only level N; boards are counted from 1, invalid ones too",
    ),
    # limits of a search
    "--time-limit": dict(
        metavar="SECONDS",
        type=Number(float, "more than 0 seconds", lambda seconds: seconds > 0),
        default=10.0,
        help="time limit in seconds",
    ),
    "--memory-limit": dict(
        metavar="SIZE",
        type=size_bytes,
        default="2GB",
        help="memory limit, such as 500MB, not counting the program and the weights",
    ),
    "--max-expansions": dict(
        metavar="N",
        type=whole(1),
        help="limit of positions expanded by each search; unlike a time limit, it ends a search "
        "at the same position on any machine",
    ),
    "--threads": dict(metavar="N", type=whole(1, MAX_THREADS), default=1, help="number of threads"),
    "--cluster": dict(
        metavar="ADDRESS",
        help="give the work to the workers of a Dask cluster instead of to threads: the address of "
        "its scheduler, such as tcp://10.0.0.1:8786, or its scheduler file",
    ),
    # networks
    "--weights": dict(
        metavar="NAME_OR_PATH", help="weights: the name of shipped ones, a file or a run's folder"
    ),
    "--device": dict(
        choices=("auto", "cpu", "cuda"),
        default="auto",
        help="where the network runs; auto is the GPU if there is one",
    ),
    "--precision": dict(
        choices=("fp32", "bf16"),
        default="fp32",
        help="number format of the network; bf16 is faster on a GPU and may change a result",
    ),
    "--batch-size": dict(
        metavar="N",
        type=whole(1, MOST_TEXTS),
        default=32,
        help="number of texts processed together",
    ),
    "--beam": dict(metavar="K", type=whole(1, MOST_TEXTS), help="width of the beam search"),
    "--length-penalty": dict(
        metavar="A",
        type=Number(float, "0 (none) to 100", lambda alpha: 0 <= alpha <= 100),
        help="exponent of the length penalty: the beam search ranks n tokens by "
        "log-probability / ((5 + n) / 6)^A",
    ),
    # sampling
    "--seed": dict(
        metavar="S",
        type=whole(0),
        default=0,
        help="seed of the random numbers; the same seed gives the same result",
    ),
    "--temperature": dict(
        metavar="T",
        type=Number(float, "0 (greedy) or more, finite", lambda value: 0 <= value < math.inf),
        help="temperature of the sampling; 0 takes the most probable token",
    ),
    "--top-k": dict(metavar="K", type=whole(1), help="sample only from the K most probable tokens"),
    "--top-p": dict(
        metavar="P",
        type=Number(float, "more than 0, at most 1", lambda share: 0 < share <= 1),
        help="sample only from the fewest tokens whose probabilities add up to P",
    ),
    # results
    "--output": dict(metavar="OUT", help="write the result to this file; - prints it"),
    "--json": dict(metavar="OUT", help="write the results as JSON; - prints them"),
    "--jsonl": dict(
        metavar="OUT",
        help="write each result as a line of JSON as soon as it is known; - prints them",
    ),
    "--attention": dict(
        metavar="OUT",
        help="write the attention weights as an interactive page (.html) or a picture (.png, .svg)",
    ),
}


def add(
    parser: "argparse.ArgumentParser | argparse._ArgumentGroup",
    name: str,
    note: str = "",
    *,
    usual: str = "",
    **changes: Any,
) -> None:
    """Declares a shared option; ``note`` is what its help says of it in this command.

    ``usual`` describes a default that is no value; ``changes`` replace fields of the option.
    """
    option = SHARED[name] | changes
    if (default := option.get("default")) is not None:
        usual = usual or (f"{default:g}" if isinstance(default, float) else str(default))
    option["help"] += f"; {note}" * bool(note) + f" (default: {usual})" * bool(usual)
    parser.add_argument(name, **option)


def limits_of(arguments: argparse.Namespace) -> dict[str, Any]:
    """The limits of a search, as the library takes them."""
    limits = {
        "time_limit_s": arguments.time_limit,
        "memory_limit_mb": arguments.memory_limit / 1e6,
    }
    if "max_expansions" in arguments:
        limits["max_expansions"] = arguments.max_expansions
    return limits


def refuse(arguments: argparse.Namespace, *names: str, because: str) -> None:
    """Raises ``ValueError`` for the first option given that has no effect ``because`` of others."""
    for name in names:
        if name in arguments.given:
            raise ValueError(f"{name} has no effect {because}")
