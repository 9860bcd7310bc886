"""``tokoban generate``: random levels as a file; the same arguments give the same bytes."""

import argparse
from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from tokoban.cli import options, puzzle_options
from tokoban.cli.exit_codes import ExitCode
from tokoban.cli.output import check_outputs, report_interrupted, write_output
from tokoban.cli.report import choices_described, entries

if TYPE_CHECKING:
    from tokoban.sokoban.formats import Level
    from tokoban.sokoban.puzzles.puzzle import Puzzle

# Of a level and of a puzzle in a file, for title and notes.
_BYTES_BESIDES = 60, 200

SUMMARY = "generate levels from a seed, with a chosen difficulty"
UNDECIDED = ""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares how many levels of which kind are wanted, and where they go."""
    options.add(parser, "--levels", required=True)
    options.add(parser, "--seed", required=True, default=None)
    parser.add_argument(
        "--rows", type=int, metavar="N", help="height, walls included (default: 8; puzzles: 10)"
    )
    parser.add_argument(
        "--columns", type=int, metavar="N", help="width, walls included (default: 8; puzzles: 10)"
    )
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
    options.add(parser, "--json", "solutions included")
    options.add(parser, "--jsonl", "solutions included")
    puzzle_options.add_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Writes the levels, titled by their numbers."""
    check_outputs(arguments, "output", "json", "jsonl", inputs=["avoid"])
    _check_number(arguments)
    if puzzle_options.asks_for_puzzles(arguments):
        return _run_puzzles(arguments)

    import tokoban
    from tokoban.sokoban.formats import write_levels

    levels = tokoban.generate(
        arguments.levels,
        seed=arguments.seed,
        style=puzzle_options.TWO_ROOMS,
        rows=arguments.rows,
        columns=arguments.columns,
        num_boxes=arguments.boxes,
        solvable_share=arguments.solvable_share,
    )
    with entries(arguments) as written:
        for number, level in enumerate(levels, start=1):
            written.add(_described(number, level))
    if not arguments.solutions:
        levels = [replace(level, notes=(), solutions=()) for level in levels]
    write_output(arguments.output, write_levels(levels))
    return 0


def _check_number(arguments: argparse.Namespace) -> None:
    """Raises ``ValueError`` for more levels than are read from one file again."""
    from tokoban.sokoban.formats.budget import MAX_UNITS, OF_A_BOARD, OF_A_GAME
    from tokoban.sokoban.formats.levels import MAX_BYTES

    is_puzzle = puzzle_options.asks_for_puzzles(arguments)
    default = 10 if is_puzzle else 8
    rows, columns = (arguments.rows or default, arguments.columns or default)
    squares = max(rows * columns, 1)
    num_solutions = (1 + is_puzzle) * arguments.solutions
    # A solution is taken for as many moves as there are squares.
    units = OF_A_BOARD + squares + num_solutions * (OF_A_GAME + 2 * squares)
    num_bytes = rows + (1 + num_solutions) * squares + _BYTES_BESIDES[is_puzzle]
    most = min(MAX_UNITS // units, MAX_BYTES // num_bytes)
    if 0 < most < arguments.levels:
        message = f"expected at most {most:,} of this size, which can be read again from one file"
        raise ValueError(f"--levels {arguments.levels}: {message}")


def _run_puzzles(arguments: argparse.Namespace) -> int:
    """Writes what was found, also if it is fewer than wanted."""
    from tokoban.sokoban.formats import read_levels, write_levels
    from tokoban.sokoban.puzzles.as_levels import level_of_puzzle, title_of
    from tokoban.sokoban.puzzles.generate import generate_puzzles

    avoid = [read_levels(file, strict=True).levels for file in arguments.avoid or ()]
    puzzles = generate_puzzles(
        arguments.levels,
        puzzle_options.recipe_of(arguments),
        seed=arguments.seed,
        avoid=[level.board for levels in avoid for level in levels],
        num_threads=arguments.threads,
    )
    levels: list[Level] = []
    status = 0
    try:
        with entries(arguments) as written:
            for puzzle in _with_bar(puzzles, arguments.levels):
                level = level_of_puzzle(puzzle, title_of(len(levels) + 1, arguments.seed))
                levels.append(level if arguments.solutions else replace(level, solutions=()))
                measures = _measured(puzzle)
                written.add(_described(len(levels), level) | measures)
    except KeyboardInterrupt:
        report_interrupted(len(levels), arguments.levels)
        status = ExitCode.INTERRUPTED
    finally:
        if levels:
            write_output(arguments.output, write_levels(levels))
    return status


def _described(number: int, level: "Level") -> dict[str, Any]:
    """The object of a level in ``--json``; its solution is the first one."""
    from tokoban.sokoban.formats import format_board

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


def _with_bar(puzzles: "Iterator[Puzzle]", num_levels: int) -> "Iterator[Puzzle]":
    """The same puzzles, with a bar on a terminal."""
    from rich.progress import track

    from tokoban.cli.screen import Screen

    screen = Screen(stderr=True)
    yield from track(
        puzzles,
        description="making puzzles",
        total=num_levels,
        console=screen,
        transient=True,
        disable=not screen.is_terminal,
    )
