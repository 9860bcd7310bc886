"""``tokoban generate``: random levels as a file; the same arguments give the same bytes."""

import argparse

from tokoban.cli.output import check_destination, write_output

SUMMARY = "make random levels from a seed"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares how many levels of which kind are wanted, and where they go."""
    parser.add_argument("--levels", type=int, required=True, metavar="N")
    parser.add_argument("--seed", type=int, required=True, metavar="S")
    parser.add_argument("--rows", type=int, default=8, help="walls included (default: 8)")
    parser.add_argument("--columns", type=int, default=8, help="walls included (default: 8)")
    parser.add_argument("--boxes", type=int, default=1, help="of each level (default: 1)")
    parser.add_argument(
        "--solvable-share",
        type=float,
        default=0.5,
        metavar="SHARE",
        help="of the levels, 0 to 1 (default: 0.5)",
    )
    parser.add_argument("--output", required=True, metavar="FILE", help="- for standard output")
    parser.add_argument(
        "--solutions",
        action="store_true",
        help="write a shortest solution of each level with it, or a note that it has none",
    )


def run(arguments: argparse.Namespace) -> int:
    """Writes the levels, titled by their numbers."""
    from tokoban.sokoban.formats import NO_SOLUTION, Level, Solution, write_levels
    from tokoban.sokoban.generator import generate

    check_destination(arguments.output)
    generated = generate(
        arguments.levels,
        seed=arguments.seed,
        rows=arguments.rows,
        columns=arguments.columns,
        num_boxes=arguments.boxes,
        solvable_share=arguments.solvable_share,
    )
    levels = []
    for number, level in enumerate(generated, start=1):
        title = f"Level {number} of seed {arguments.seed}"
        if not arguments.solutions:
            levels.append(Level(level.board, title))
        elif level.solution is None:
            levels.append(Level(level.board, title, notes=(NO_SOLUTION,)))
        else:
            levels.append(Level(level.board, title, solutions=(Solution(level.solution),)))
    write_output(arguments.output, write_levels(levels))
    return 0
