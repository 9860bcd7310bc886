"""``tokoban ask``: a question about each level, answered exactly or by a network."""

import argparse
import sys

from tokoban.cli import in_one_line, level_options, options, policies
from tokoban.cli.exit_codes import ExitCode
from tokoban.cli.output import check_outputs
from tokoban.cli.report import entries

SUMMARY = "answer a question about each level, exactly or by a network"
UNDECIDED = "a level is too large for exact answers, or not answered within the limits"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the file, the question, and who answers."""
    parser.add_argument("file", metavar="FILE", help=level_options.FILE_HELP)
    parser.add_argument(
        "question",
        metavar="QUESTION",
        help='English or German, such as "how many pushes are left"; docs/instructions.md lists '
        "the questions. Floors lie within 8 x 8 squares",
    )
    options.add(parser, "--level")
    parser.add_argument(
        "--by",
        choices=("search", "policy"),
        default="search",
        help="who answers: search (exactly) or policy (the network that reads sentences; it may be "
        "wrong) (default: search)",
    )
    options.add(parser, "--weights", "those of the policy", usual=policies.READER)
    options.add(parser, "--attention", "of the policy's words and squares, for one level")
    options.add(parser, "--time-limit", "of exact answers, for each level")
    options.add(parser, "--memory-limit")
    options.add(parser, "--json")
    options.add(parser, "--jsonl")


def run(arguments: argparse.Namespace) -> int:
    """Prints a line for each level; says on which ones the question means nothing."""
    import tokoban
    from tokoban.sokoban.instructions import grammar
    from tokoban.sokoban.instructions.machine import TooLargeError

    if arguments.by == "search":
        options.refuse(arguments, "--weights", "--attention", because="with --by search")
    else:
        options.refuse(arguments, "--time-limit", "--memory-limit", because="with --by policy")
    check_outputs(arguments, "attention", "json", "jsonl", inputs=["file", "weights"])
    question = arguments.question
    chosen = level_options.read(arguments.file, number=arguments.level)
    grammar.question(question)  # behind the file, so that two that changed places name the file
    if arguments.attention is not None:
        level_options.check_one(chosen.levels)
    policy = None
    if arguments.by == "policy":
        policy = tokoban.load(arguments.weights or policies.READER, system="instructions")
    status = ExitCode.DONE
    with entries(arguments) as written:
        for number, level in chosen.levels.items():
            described: dict[str, object] = {"index": number, "title": level.title, "answer": None}
            try:
                described["answer"] = said = tokoban.ask(
                    level.board, question, policy=policy, **options.limits_of(arguments)
                )
                if "-" not in (arguments.json, arguments.jsonl):
                    print(f"{number:>4}  {said}")
                if policy is not None and arguments.attention is not None:
                    attention = arguments.attention
                    policies.write_reader_attention(policy, level.board, question, attention)
            except ValueError as error:
                print(f"tokoban: level {number}: {in_one_line(error)}", file=sys.stderr)
                is_large = isinstance(error, TooLargeError)
                status = max(status, ExitCode.UNDECIDED if is_large else ExitCode.INVALID_INPUT)
            written.add(described)
    return chosen.conclude(status)
