"""``tokoban evaluate SYSTEM``: one form for every system; the rest of its options are its own."""

import argparse
import json
import math
import sys

from tokoban.cli.exit_codes import ExitCode
from tokoban.cli.output import check_outputs, counted, write_output
from tokoban.systems import SYSTEMS, load
from tokoban.training.numbers import limit_numbers_of

SUMMARY = "measure trained weights; `tokoban evaluate SYSTEM --help` lists what can be chosen"
UNDECIDED = ""


# What systems call their options for files to write, and for files to read.
_OUTPUTS = ("json", "output", "film", "plot", "confusion", "attention")
_INPUTS = ("weights", "source", "reference", "levels", "text")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the system; what follows it is read when the system is known."""
    parser.add_argument("system", choices=SYSTEMS)
    parser.add_argument(
        "options", nargs=argparse.REMAINDER, metavar="--weights NAME_OR_PATH [--json OUT] ..."
    )


def run(arguments: argparse.Namespace) -> int:
    """Prints the figures, one line each, and writes them as one flat JSON object if asked.

    Where a figure ``invalid_levels`` says that some were left out, the exit status is 2.
    """
    from tokoban import pretrained
    from tokoban.sokoban.formats import printable

    evaluate = load(arguments.system, "evaluate")
    parser = argparse.ArgumentParser(
        prog=f"tokoban evaluate {arguments.system}", allow_abbrev=False
    )
    limit_numbers_of(parser)
    parser.add_argument("--weights", required=True, metavar="NAME_OR_PATH")
    parser.add_argument("--json", metavar="OUT", help="write the figures to this file (- to print)")
    evaluate.add_arguments(parser)
    chosen = parser.parse_args(arguments.options)
    check_outputs(
        chosen,
        *(name for name in _OUTPUTS if name in chosen),
        inputs=[name for name in _INPUTS if name in chosen],
    )
    named = [chosen.env] if getattr(chosen, "env", None) else []
    model, config = pretrained.load(chosen.weights, system=arguments.system, named=named)
    print(f"measuring {chosen.weights}; this may take minutes", file=sys.stderr)
    figures: dict[str, float | str] = evaluate.evaluate_model(model, config, chosen)
    if chosen.json != "-":
        width = max(map(len, figures), default=0)
        for name, value in figures.items():
            told = printable(value) if isinstance(value, str) else format(value, ".6g")
            print(f"{printable(name):<{width}}  {told}")
    if chosen.json is not None:
        # JSON has no NaN: what could not be measured (a share of nothing) is null.
        known = {
            name: x if isinstance(x, str) or math.isfinite(x) else None
            for name, x in figures.items()
        }
        write_output(chosen.json, json.dumps(known, indent=2) + "\n")
    num_invalid = figures.get("invalid_levels", 0)
    if not num_invalid:
        return 0
    told = counted(int(num_invalid), "level")
    print(f"tokoban: {told} left out: invalid, or not what the weights know", file=sys.stderr)
    return ExitCode.INVALID_INPUT
