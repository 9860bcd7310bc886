"""``tokoban generate``: random levels as a file; the same arguments give the same bytes."""

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from tokoban.cli import options, puzzle_options
from tokoban.cli.cluster import workers_of
from tokoban.cli.exit_codes import ExitCode
from tokoban.cli.output import check_outputs, report_interrupted, write_output
from tokoban.cli.parser import whole
from tokoban.cli.report import choices_described, entries
from tokoban.sokoban.formats import NO_SOLUTION, Level, format_board, read_levels, write_levels
from tokoban.sokoban.formats.budget import MAX_UNITS, OF_A_BOARD, OF_A_GAME
from tokoban.sokoban.formats.levels import MAX_BYTES
from tokoban.sokoban.wording import counted

if TYPE_CHECKING:
    from tokoban.sokoban.puzzles.puzzle import Puzzle
    from tokoban.sokoban.search.limits import Limits

_BETWEEN_LINES_S = 10.0  # on the progress, where there is no bar
# Of a level and of a puzzle in a file, for title and notes.
_BYTES_BESIDES = 60, 200

SUMMARY = "generate levels from a seed, with a chosen difficulty"
UNDECIDED = "fewer levels were found within the time limit than were asked for"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares how many levels of which kind are wanted, and where they go."""
    options.add(parser, "--levels", required=True)
    options.add(parser, "--seed", required=True, default=None)
    for name, what in (("--rows", "height"), ("--columns", "width")):
        about = f"{what}, walls included (default: 8; puzzles: 10)"
        parser.add_argument(name, type=whole(1), metavar="N", help=about)
    parser.add_argument(
        "--boxes",
        type=int,
        metavar="N",
        help="number of boxes in each level (default: 1; puzzles: 4)",
    )
    parser.add_argument(
        "--solvable-share",
        type=float,
        metavar="SHARE",
        help="share of the levels that are solvable, 0 to 1 (default: 0.5); puzzles always are",
    )
    options.add(parser, "--output", required=True)
    parser.add_argument(
        "--solutions",
        action="store_true",
        help="also write a shortest solution of each level, or a note that it has none; for a "
        "puzzle, a solution with the fewest pushes",
    )
    options.add(
        parser,
        "--time-limit",
        "for all levels together; those found by then are written",
        usual="none",
        default=None,
    )
    options.add(parser, "--memory-limit", "for each search; a thread or worker runs one at a time")
    options.add(parser, "--json", "solutions included")
    options.add(parser, "--jsonl", "solutions included")
    puzzle_options.add_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Writes the levels, titled by their numbers: those that were found before an early end too."""
    check_outputs(arguments, "output", "json", "jsonl", inputs=["avoid"])
    is_puzzle = puzzle_options.asks_for_puzzles(arguments)
    _check_number(arguments, is_puzzle=is_puzzle)
    make = _puzzles if is_puzzle else _two_rooms

    from tokoban.cli.screen import Screen
    from tokoban.sokoban.search.limits import Limits

    limits = Limits(**options.limits_of(arguments))
    levels: list[Level] = []
    status, tried = 0, counted(0, "attempt")
    screen, said_s = Screen(stderr=True), time.monotonic()
    try:
        bar = screen.counting("making levels", arguments.levels)
        with entries(arguments) as written, bar as update:

            def report(number: int) -> None:
                nonlocal tried, said_s
                tried = counted(number, "attempt")
                update(description=f"making levels, {tried}")
                if not screen.is_terminal and time.monotonic() - said_s >= _BETWEEN_LINES_S:
                    said_s = time.monotonic()
                    message = f"{len(levels):,} of {counted(arguments.levels, 'level')}, {tried}"
                    print(f"tokoban: {message}", file=sys.stderr)

            for level, more in make(arguments, limits, report):
                levels.append(level)
                update(completed=len(levels))
                written.add(_described(len(levels), level) | more)
    except KeyboardInterrupt:
        report_interrupted(len(levels), arguments.levels)
        status = ExitCode.INTERRUPTED
    finally:
        if levels:
            if not arguments.solutions:
                levels = [_without_answers(level) for level in levels]
            write_output(arguments.output, write_levels(levels))
    if status == 0 and len(levels) < arguments.levels:
        message = f"{len(levels):,} of {counted(arguments.levels, 'level')} found"
        print(f"tokoban: {message} within {arguments.time_limit:g} s and {tried}", file=sys.stderr)
        status = ExitCode.UNDECIDED
    return status


def _check_number(arguments: argparse.Namespace, *, is_puzzle: bool) -> None:
    """Raises ``ValueError`` for more levels than are read from one file again."""
    default = 10 if is_puzzle else 8
    rows, columns = (arguments.rows or default, arguments.columns or default)
    squares = rows * columns
    num_solutions = (1 + is_puzzle) * arguments.solutions
    # A solution is taken for as many moves as there are squares.
    units = OF_A_BOARD + squares + num_solutions * (OF_A_GAME + 2 * squares)
    num_bytes = rows + (1 + num_solutions) * squares + _BYTES_BESIDES[is_puzzle]
    most = min(MAX_UNITS // units, MAX_BYTES // num_bytes)
    if 0 < most < arguments.levels:
        message = f"expected at most {most:,} of this size, which can be read again from one file"
        raise ValueError(f"--levels {arguments.levels}: {message}")


def _puzzles(
    arguments: argparse.Namespace, limits: "Limits", report: Callable[[int], None]
) -> Iterator[tuple[Level, dict[str, Any]]]:
    """Puzzles, each with its further fields of ``--json``."""
    from tokoban.sokoban.puzzles.as_levels import level_of_puzzle, title_of
    from tokoban.sokoban.puzzles.generate import generate_puzzles

    avoid = [read_levels(file, strict=True).levels for file in arguments.avoid or ()]
    with workers_of(arguments) as workers:
        puzzles = generate_puzzles(
            arguments.levels,
            puzzle_options.recipe_of(arguments),
            seed=arguments.seed,
            avoid=[level.board for levels in avoid for level in levels],
            workers=workers,
            limits=limits,
            report=report,
        )
        for number, puzzle in enumerate(puzzles, 1):
            yield level_of_puzzle(puzzle, title_of(number, arguments.seed)), _measured(puzzle)


def _two_rooms(
    arguments: argparse.Namespace, limits: "Limits", report: Callable[[int], None]
) -> Iterator[tuple[Level, dict[str, Any]]]:
    """Levels in the manner of the post, which have no further fields."""
    from tokoban.sokoban.puzzles.as_levels import level_of_board, title_of
    from tokoban.sokoban.puzzles.random_levels import generate

    asked = {
        "rows": arguments.rows,
        "columns": arguments.columns,
        "num_boxes": arguments.boxes,
        "solvable_share": arguments.solvable_share,
    }
    given = {name: value for name, value in asked.items() if value is not None}
    drawn = generate(arguments.levels, seed=arguments.seed, limits=limits, report=report, **given)
    for number, level in enumerate(drawn, 1):
        yield level_of_board(level.board, level.solution, title_of(number, arguments.seed)), {}


def _without_answers(level: Level) -> Level:
    """The level without what tells whether and how it is solved."""
    notes = tuple(note for note in level.notes if note != NO_SOLUTION)
    return replace(level, notes=notes, solutions=())


def _described(number: int, level: Level) -> dict[str, Any]:
    """The object of a level in ``--json``; its solution is the first one."""
    solution = level.solutions[0] if level.solutions else None
    return {
        "index": number,
        "title": level.title,
        "board": format_board(level.board).split("\n"),
        "lurd": solution and solution.lurd,
        "moves": solution and solution.num_moves,
        "pushes": solution and solution.num_pushes,
    }


def _measured(puzzle: "Puzzle") -> dict[str, Any]:
    """The further fields of a puzzle."""
    fewest = puzzle.move_solution
    return {
        "moves_at_least": None if fewest is None else len(fewest),
        "pushes_at_least": puzzle.figures.pushes,
        "style": puzzle.style,
        "figures": asdict(puzzle.figures),
        "along_solution": puzzle.choices and choices_described(puzzle.choices),
    }
