"""Makes puzzles of several sizes, counts those that are the same, and measures them as Boxoban's.

A row is how many puzzles a second of the processor brings, all included; with it how many attempts
that took, and the 10th, 50th and 90th percentile of what is measured along a solution with the
fewest pushes. With ``--boxoban`` the same percentiles of levels drawn from its files, and how many
levels a second are measured so. Exits with 1 if two puzzles are the same.
"""

import random
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness import Report, parser
from tokoban.sokoban.canonical import canonical_form
from tokoban.sokoban.figures import Figures, count_figures
from tokoban.sokoban.formats.packed import read_packed
from tokoban.sokoban.puzzles.choices import choices_along
from tokoban.sokoban.puzzles.difficulty import DIFFICULTIES, Difficulty
from tokoban.sokoban.puzzles.generate import generate_puzzles
from tokoban.sokoban.puzzles.puzzle import Recipe
from tokoban.sokoban.puzzles.state_space import Choices
from tokoban.sokoban.search.combine.solver import solve
from tokoban.sokoban.search.limits import Limits

PERCENTILES = (10, 50, 90)
# Side with the walls, boxes, what is bounds, and how many, quickly and else.
SIZES = (
    (10, 4, "", 20, 1000),
    (10, 4, "easy", 20, 200),
    (10, 4, "medium", 20, 200),
    (10, 4, "hard", 10, 200),
    (10, 4, "expert", 2, 50),
    (12, 6, "", 3, 50),
    (18, 10, "", 1, 20),
)


def percentiles(measured: Iterable[tuple[Figures, Choices]]) -> dict[str, Any]:
    """Percentiles of each measure; of a losing share only the part that is proved."""
    table = [
        (figures.pushes, figures.box_changes, choices.branching, choices.losing_share)
        for figures, choices in measured
    ]
    found = np.percentile(table, PERCENTILES, axis=0).T.round(2)
    return dict(
        zip(("pushes", "box_changes", "branching", "losing_share"), found.tolist(), strict=True)
    )


def measure_puzzles(report: Report, recipe: Recipe, name: str, num_levels: int) -> bool:
    """Adds a row; whether some puzzles are the same."""
    list(generate_puzzles(1, recipe, seed=0))  # compiles
    num_attempts = 0

    def count_attempts(attempts: int) -> None:
        nonlocal num_attempts
        num_attempts = attempts

    started_s = time.process_time()
    puzzles = list(generate_puzzles(num_levels, recipe, seed=1, report=count_attempts))
    elapsed_s = time.process_time() - started_s
    num_different = len({canonical_form(puzzle.board) for puzzle in puzzles})
    measured = [(puzzle.figures, puzzle.choices) for puzzle in puzzles if puzzle.choices]
    report.add(
        name,
        batch=num_levels,
        per_second=num_levels / elapsed_s,
        attempts=num_attempts,
        duplicates=num_levels - num_different,
        at_least=sum(choices.unknown > 0 for _, choices in measured),
        **percentiles(measured),
    )
    return num_different < num_levels


def measure_boxoban(report: Report, file: str, num_levels: int) -> None:
    """Adds a row of levels drawn from a file."""
    packed = read_packed(Path(file).read_bytes(), file)
    assert packed is not None
    rows = random.Random(1).sample(range(len(packed)), min(num_levels, len(packed)))
    measured = []
    started_s = time.process_time()
    for row in rows:
        board = packed.board(row)
        answer = solve(board, minimise="pushes")
        assert answer.solution is not None
        choices = choices_along(board, answer.solution.directions, limits=Limits())
        measured.append((count_figures(board, answer.solution.directions), choices))
    elapsed_s = time.process_time() - started_s
    report.add(file, batch=len(rows), per_second=len(rows) / elapsed_s, **percentiles(measured))


def main(argv: Sequence[str] | None = None) -> int:
    """Runs what was asked for; the exit status."""
    options = parser(__doc__, num_threads=1)
    options.add_argument("--boxoban", nargs="*", default=[], metavar="FILE")
    options.add_argument("--levels", type=int, metavar="N", help="of the first size, and no others")
    arguments = options.parse_args(argv)
    report = Report(arguments, unit="levels", posted=())
    has_duplicates = False
    for side, num_boxes, difficulty, quick, full in SIZES[: 1 if arguments.levels else None]:
        bounds = DIFFICULTIES[difficulty] if difficulty else Difficulty()
        recipe = Recipe(rows=side, columns=side, num_boxes=num_boxes, difficulty=bounds)
        name = f"{side}x{side}, {num_boxes} boxes{', ' * bool(difficulty)}{difficulty}"
        num_levels = arguments.levels or (quick if arguments.quick else full)
        has_duplicates |= measure_puzzles(report, recipe, name, num_levels)
    for file in arguments.boxoban:
        measure_boxoban(report, file, 20 if arguments.quick else 500)
    report.finish()
    return int(has_duplicates)


if __name__ == "__main__":
    sys.exit(main())
