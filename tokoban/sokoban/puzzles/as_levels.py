"""Generated boards as levels, with their solutions and what is known about them."""

from collections.abc import Sequence

from tokoban.sokoban.board import Board, Direction
from tokoban.sokoban.formats import NO_SOLUTION, Level, Solution
from tokoban.sokoban.puzzles.puzzle import Puzzle


def level_of_puzzle(puzzle: Puzzle, title: str) -> Level:
    """The level with its measures as notes, and its solutions with the fewest pushes and moves."""
    notes = [
        f"Style: {puzzle.style}",
        f"Pushes: {puzzle.figures.pushes}",
        f"Box changes: {puzzle.figures.box_changes}",
    ]
    if (choices := puzzle.choices) is not None:
        at_least = "at least " * (choices.unknown > 0)
        notes.append(f"Branching: {choices.branching:.2f}")
        notes.append(f"Losing share: {at_least}{choices.losing_share:.2f}")
    solutions = [Solution.of(puzzle.board, puzzle.push_solution, "Solution/Pushes")]
    if puzzle.move_solution is not None:
        notes.insert(1, f"Moves: {len(puzzle.move_solution)}")
        solutions.append(Solution.of(puzzle.board, puzzle.move_solution, "Solution/Moves"))
    return Level(puzzle.board, title, notes=tuple(notes), solutions=tuple(solutions))


def level_of_board(board: Board, solution: Sequence[Direction] | None, title: str) -> Level:
    """The level with its solution, or with a note that it has none."""
    if solution is None:
        return Level(board, title, notes=(NO_SOLUTION,))
    return Level(board, title, solutions=(Solution.of(board, solution),))


def title_of(number: int, seed: int) -> str:
    """The title of a generated level."""
    return f"Level {number} of seed {seed}"
