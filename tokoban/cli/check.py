"""``tokoban check``: are these good levels, and do the solutions in the files solve them?"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict

from tokoban.cli import in_one_line, options
from tokoban.cli.exit_codes import ExitCode
from tokoban.cli.output import check_outputs, report_findings
from tokoban.cli.report import write_object
from tokoban.sokoban.figures import count_figures
from tokoban.sokoban.formats import Level, Problem, Solution, lurd, printable, quoted, read_levels
from tokoban.sokoban.wording import counted

SUMMARY = "check level files: report invalid levels, wrong solutions and duplicates"
UNDECIDED = ""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the files to read, what to look for, and where the findings go besides."""
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="level files (XSB, SOK, RLE, SLC or Boxoban); - for standard input. Solutions in the "
        "files are replayed; this does not check that a level without one is solvable",
    )
    parser.add_argument(
        "--duplicates",
        action="store_true",
        help="list levels that are equal after rotation, reflection and translation; what is "
        "outside the walls, and where the player stands in its area, makes no difference",
    )
    options.add(parser, "--json")


def run(arguments: argparse.Namespace) -> int:
    """Answers 0 if nothing is wrong, else 2, with each problem in a line on standard error."""
    check_outputs(arguments, "json", inputs=["files"])
    levels: list[Level] = []
    problems: list[Problem] = []
    warnings: list[Problem] = []
    is_unread = False
    for file in arguments.files:
        try:
            found = read_levels(file)
        except (OSError, ValueError) as error:
            print(f"tokoban: {in_one_line(error)}", file=sys.stderr)
            is_unread = True
            continue
        levels += found.levels
        problems += found.problems
        warnings += found.warnings
        report_findings(found.problems, found.warnings)
    groups = _duplicates(levels) if arguments.duplicates else []
    if arguments.json:
        findings: dict[str, object] = {
            "levels": [_describe_level(level) for level in levels],
            "problems": [_describe_problem(problem) for problem in problems],
            "warnings": [_describe_problem(warning) for warning in warnings],
        }
        if arguments.duplicates:
            findings["duplicates"] = [_describe_group(group) for group in groups]
        write_object(arguments.json, findings)
    if arguments.json != "-":
        for level in levels:
            _show_solutions(level)
        for group in groups:
            _show_group(group)
        print(_summarise(levels, problems, groups if arguments.duplicates else None))
    return ExitCode.INVALID_INPUT if problems or is_unread else ExitCode.DONE


def _described_place(level: Level) -> dict[str, object]:
    place = {"file": level.source, "line": level.line}
    return {**place, "index": level.number, "title": level.title}


def _describe_level(level: Level) -> dict[str, object]:
    return {
        **_described_place(level),
        "author": level.author,
        "boxes": len(level.board.boxes),
        "solutions": [_describe_solution(level, solution) for solution in level.solutions],
        "saved_games": [
            {"line": game.line, "title": game.title, "moves": len(game.directions)}
            for game in level.saved_games
        ],
    }


def _describe_solution(level: Level, solution: Solution) -> dict[str, object]:
    return {
        "line": solution.line,
        "title": solution.title,
        "lurd": lurd.format(level.board, solution.directions),
        **asdict(count_figures(level.board, solution.directions)),
    }


def _describe_problem(problem: Problem) -> dict[str, object]:
    return {
        "file": problem.source,
        "line": problem.line,
        "index": problem.level or None,
        "title": problem.title,
        "message": problem.message,
    }


def _show_solutions(level: Level) -> None:
    """A line of figures for each solution; among several, which has the fewest moves or pushes."""
    figures = [count_figures(level.board, solution.directions) for solution in level.solutions]
    best = {
        "fewest moves": min(figures, key=lambda own: (own.moves, own.pushes), default=None),
        "fewest pushes": min(figures, key=lambda own: (own.pushes, own.moves), default=None),
    }
    for solution, own in zip(level.solutions, figures, strict=True):
        parts = [f"{name.replace('_', ' ')} {count}" for name, count in asdict(own).items()]
        if len(figures) > 1:
            parts += [f"{name} of these" for name, fewest in best.items() if own is fewest]
        title = printable(solution.title)
        print(f"{_place(level, solution.line)}: {title}: {', '.join(parts)}")


def _duplicates(levels: Sequence[Level]) -> list[list[Level]]:
    """The levels that are the same, in groups of two and more, in the order of the first ones."""
    from tokoban.sokoban.canonical import canonical_form

    groups: dict[str, list[Level]] = {}
    for level in levels:
        groups.setdefault(canonical_form(level.board), []).append(level)
    return [group for group in groups.values() if len(group) > 1]


def _players(group: Sequence[Level]) -> list[str]:
    """The hash of each level of a group that also depends on the player's square."""
    from tokoban.sokoban.canonical import canonical_hash

    return [canonical_hash(level.board, exact_player=True) for level in group]


def _describe_group(group: Sequence[Level]) -> dict[str, object]:
    from tokoban.sokoban.canonical import canonical_hash

    return {
        "hash": canonical_hash(group[0].board),
        "levels": [
            {**_described_place(level), "hash": player}
            for level, player in zip(group, _players(group), strict=True)
        ],
    }


def _show_group(group: Sequence[Level]) -> None:
    print(f"{len(group)} levels are the same:")
    players = _players(group)
    for level, player in zip(group, players, strict=True):
        moved = "" if player == players[0] else ", the player on another square"
        print(f"  {_place(level, level.line)}{moved}")


def _place(level: Level, line: int) -> str:
    """The place in the file, in the form of problems."""
    name = f'"{quoted(level.title)}"' if level.title else f"level {level.number}"
    return f"{printable(level.source)}:{line}: {name}"


def _summarise(
    levels: Sequence[Level],
    problems: Sequence[Problem],
    groups: Sequence[Sequence[Level]] | None,
) -> str:
    counts = {
        "good level": len(levels),
        "solution": sum(len(level.solutions) for level in levels),
        "problem": len(problems),
    }
    if groups is not None:
        counts["duplicate"] = sum(len(group) - 1 for group in groups)
    return ", ".join(counted(count, name) for name, count in counts.items())
