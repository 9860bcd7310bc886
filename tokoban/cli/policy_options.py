"""How the policy is to play: the options of every command that lets it."""

import argparse
import re
from typing import get_args

from tokoban.cli.options import add
from tokoban.systems.sokoban_policy.config import MAX_BEAM_WIDTH, SCORES, Precision
from tokoban.systems.sokoban_policy.memory import DEFAULT_LIMIT_BYTES

_UNITS = {"MB": 10**6, "GB": 10**9}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the weights, the search, and what of the machine it may use."""
    parser.add_argument(
        "--weights",
        default="sokoban-8x8",
        metavar="NAME_OR_PATH",
        help="of the policy (default: sokoban-8x8)",
    )
    parser.add_argument(
        "--width", type=int, default=32, metavar="K", help="beams of the search (default: 32)"
    )
    parser.add_argument(
        "--score",
        choices=SCORES,
        default="log_likelihood",
        help="which beams of the search live on: those whose moves are the likeliest, those with "
        "the fewest moves left as the policy thinks, or the best by the first less the second. The "
        "last two have the policy read every successor of every beam, which is four times the work "
        "and the memory (default: log_likelihood)",
    )
    parser.add_argument(
        "--max-unsolvable",
        type=float,
        default=1.0,
        metavar="P",
        help="beams of the search that the policy takes for unsolvable with a higher probability "
        "are dropped; a search that loses all of them gives the level up (default: 1, none is)",
    )
    parser.add_argument(
        "--max-moves",
        type=int,
        metavar="M",
        help="of the policy's plans; not more than it has room for, which is also the default: "
        "30 for sokoban-8x8",
    )
    parser.add_argument(
        "--memory-limit",
        default=f"{DEFAULT_LIMIT_BYTES / _UNITS['GB']:g}GB",
        metavar="SIZE",
        help="what may be used of memory beside the program and the weights, such as 500MB: where "
        "it is short the policy plays fewer levels together, and A* gives levels up "
        "(default: %(default)s)",
    )
    add(parser, "--device")
    parser.add_argument(
        "--precision",
        choices=get_args(Precision),
        default="fp32",
        help="of the policy's network; bf16 is quicker on a GPU and may change a plan "
        "(default: fp32)",
    )


def check(arguments: argparse.Namespace) -> None:
    """Raises ``ValueError`` for what no policy can do, before any is loaded."""
    if not 1 <= arguments.width <= MAX_BEAM_WIDTH:
        raise ValueError(f"--width {arguments.width}: expected 1 to {MAX_BEAM_WIDTH} beams")
    if not 0 <= arguments.max_unsolvable <= 1:
        raise ValueError(
            f"--max-unsolvable {arguments.max_unsolvable:g}: expected a probability, 0 to 1"
        )
    if arguments.max_moves is not None and arguments.max_moves < 1:
        raise ValueError(f"--max-moves {arguments.max_moves}: expected at least 1")
    memory_limit_bytes(arguments)


def memory_limit_bytes(arguments: argparse.Namespace) -> int:
    """What ``--memory-limit`` says, in bytes."""
    # Twelve digits are more than any machine has.
    size = re.fullmatch(r"(\d{1,12}(?:\.\d+)?) ?(MB|GB)", arguments.memory_limit, re.IGNORECASE)
    if size is None:
        told = f"--memory-limit {arguments.memory_limit}"
        raise ValueError(f"{told}: expected a size such as 500MB or 2GB")
    return int(float(size[1]) * _UNITS[size[2].upper()])
