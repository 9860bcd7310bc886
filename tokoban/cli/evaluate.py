"""``tokoban evaluate SYSTEM``: one form for every system; the rest of its options are its own."""

import argparse
import hashlib
import json
import sys
from dataclasses import asdict, replace
from typing import Any

from tokoban.cli.exit_codes import ExitCode, meanings
from tokoban.cli.field_options import (
    add_field_arguments,
    add_system,
    files_of,
    overrides,
)
from tokoban.cli.options import add
from tokoban.cli.output import check_outputs
from tokoban.cli.parser import Parser
from tokoban.cli.report import write_object
from tokoban.sokoban.formats import printable
from tokoban.sokoban.wording import counted
from tokoban.systems import load_named_by_user
from tokoban.training.device import find_device
from tokoban.training.tables import two_columns

SUMMARY = "evaluate trained weights; `tokoban evaluate SYSTEM --help` lists the options"
UNDECIDED = ""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the system; what follows it is read when the system is known."""
    add_system(parser, "--weights NAME_OR_PATH [--json OUT] ...")


def run(arguments: argparse.Namespace) -> int:
    """Prints the metrics as a table, and writes them as a JSON object with their origin if asked.

    Where a metric ``invalid_levels`` says that some were left out, the exit status is 2.
    """
    from tokoban import pretrained
    from tokoban.cli import instructions

    of_answers = "--answers", "--benchmark"
    scores_answers = any(word.startswith(of_answers) for word in arguments.options)
    if arguments.system == "instructions" and scores_answers:
        return instructions.evaluate(arguments.options)
    spec = load_named_by_user(arguments.system)
    parser = Parser(
        prog=f"tokoban evaluate {arguments.system}",
        description=(spec.evaluate.__doc__ or "").replace("``", "`"),
    )
    add(parser, "--weights", required=spec.shipped is None, default=spec.shipped)
    add(parser, "--json")
    add(parser, "--device")
    if arguments.system == "instructions":
        parser.add_argument("--answers", metavar="FILE", help=instructions.ANSWERS)
        parser.add_argument("--benchmark", metavar="DIR", help=instructions.BENCHMARK)
    add_field_arguments(
        parser, spec.evaluation_type, usual=spec.evaluation_type(), paths=spec.data_fields
    )
    parser.add_argument_group("exit status", meanings(UNDECIDED))
    chosen = parser.parse_args(arguments.options)
    given = overrides(chosen, spec.evaluation_type)
    options = spec.evaluation_type(**given)
    _check_files(spec.evaluation_type, options, chosen)
    named = [value for value in given.values() if isinstance(value, str)]
    trained = pretrained.load_trained(chosen.weights, spec, named=named)
    trained = replace(trained, players=pretrained.players(spec.plays_beside))
    trained.model.to(find_device(chosen.device))
    print(f"measuring {chosen.weights}; this may take minutes", file=sys.stderr)
    metrics = spec.evaluate(trained, options)
    if chosen.json != "-":
        print(
            two_columns(
                {
                    printable(name): printable(value) if isinstance(value, str) else value
                    for name, value in metrics.items()
                }
            )
        )
    if chosen.json is not None:
        with trained.weights.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        about = {
            "weights": chosen.weights,
            "weights_sha256": digest,
            "options": json.loads(json.dumps(asdict(options), default=str)),
        }
        write_object(chosen.json, {**about, **metrics})
    num_invalid = metrics.get("invalid_levels", 0)
    if not num_invalid:
        return 0
    message = counted(int(num_invalid), "level")
    print(f"tokoban: {message} left out: invalid, or unfit for these weights", file=sys.stderr)
    return ExitCode.INVALID_INPUT


def _check_files(kind: type, options: Any, chosen: argparse.Namespace) -> None:
    """Refuses before the work a file that cannot be written, or one of an unexpected kind."""
    outputs, inputs = files_of(kind)
    files = {name: getattr(options, name) for name in (*outputs, *inputs)}
    both = argparse.Namespace(weights=chosen.weights, json=chosen.json, **files)
    endings = {name: suffixes for name, suffixes in outputs.items() if suffixes}
    check_outputs(both, "json", *outputs, inputs=["weights", *inputs], required=endings)
