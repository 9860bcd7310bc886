"""``tokoban check``: are these good levels, and do the solutions in the file solve them?"""

import argparse
import json
import sys
from typing import TYPE_CHECKING

from tokoban.cli.output import check_destination, write_output

if TYPE_CHECKING:
    from tokoban.sokoban.formats import Level, LevelFile, Problem

SUMMARY = "say what is wrong with the levels of a file, and with their solutions"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the file to read, and where the findings go besides."""
    parser.add_argument("file", metavar="FILE", help="levels; - for standard input")
    parser.add_argument("--json", metavar="OUT", help="write the findings here, - to print them")


def run(arguments: argparse.Namespace) -> int:
    """Answers 0 if nothing is wrong, else 2, with each problem in a line on standard error."""
    from tokoban.cli import BAD_INPUT
    from tokoban.sokoban.formats import read_levels

    check_destination(arguments.json)
    found = read_levels(arguments.file)
    for problem in found.problems:
        print(problem, file=sys.stderr)
    if arguments.json:
        findings = {
            "levels": [_describe_level(level) for level in found.levels],
            "problems": [_describe_problem(problem) for problem in found.problems],
        }
        write_output(arguments.json, json.dumps(findings, indent=2) + "\n")
    if arguments.json != "-":
        print(_summarise(found))
    return BAD_INPUT if found.problems else 0


def _describe_level(level: "Level") -> dict[str, object]:
    from tokoban.sokoban.formats import lurd

    solutions = []
    for solution in level.solutions:
        moves = lurd.format(level.board, solution.directions)
        solutions.append(
            {
                "title": solution.title,
                "lurd": moves,
                "moves": len(moves),
                "pushes": sum(map(str.isupper, moves)),
            }
        )
    return {
        "line": level.line,
        "title": level.title,
        "author": level.author,
        "boxes": len(level.board.boxes),
        "solutions": solutions,
    }


def _describe_problem(problem: "Problem") -> dict[str, object]:
    return {
        "line": problem.line,
        "level": problem.level,
        "title": problem.title,
        "message": problem.message,
    }


def _summarise(found: "LevelFile") -> str:
    counts = {
        "good level": len(found.levels),
        "solution": sum(len(level.solutions) for level in found.levels),
        "problem": len(found.problems),
    }
    return ", ".join(f"{count} {name}{'s' * (count != 1)}" for name, count in counts.items())
