"""One puzzle from its seed: a room, goals, a start far from them, the proof, and the figures.

After Taylor and Parberry, "Procedural generation of Sokoban levels" (GAME-ON NA, 2011).
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from tokoban.sokoban.board import Board, Direction, Square
from tokoban.sokoban.figures import Figures, count_figures
from tokoban.sokoban.puzzles.choices import choices_along
from tokoban.sokoban.puzzles.difficulty import Difficulty
from tokoban.sokoban.puzzles.rooms import MIN_SIDE, MOST_FLOOR_SHARE, STYLES, carve, place_goals
from tokoban.sokoban.puzzles.starts import far_starts
from tokoban.sokoban.puzzles.state_space import Choices
from tokoban.sokoban.search.bitboard.batch import solve_many
from tokoban.sokoban.search.bitboard.driver import Verdict
from tokoban.sokoban.search.bitboard.levels import Levels, from_board
from tokoban.sokoban.search.combine.solver import solve
from tokoban.sokoban.search.limits import DEFAULT_LIMITS, Limits
from tokoban.sokoban.sizes import MAX_SIDE

MIXED = "mixed"
_ANY = Difficulty()

# Counts and not times, so that a seed means the same everywhere.
_PROOF_EXPANSIONS = 30_000
# Of each push that is looked into; where a board fits one word an expansion costs far less.
_CHOICE_EXPANSIONS, _LARGE_CHOICE_EXPANSIONS = 20_000, 1_000


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """The kind of puzzles to generate."""

    rows: int = 10  # walls included
    columns: int = 10
    num_boxes: int = 4
    style: str = MIXED  # one of ``STYLES``, or a random one for each puzzle
    difficulty: Difficulty = _ANY
    proves_moves: bool = False  # the fewest moves, besides the fewest pushes
    # Off for many large levels, where the choices take nine tenths of the time.
    measures_choices: bool = True

    def __post_init__(self) -> None:
        if not all(MIN_SIDE <= side <= MAX_SIDE for side in (self.rows, self.columns)):
            expected = f"expected {MIN_SIDE} to {MAX_SIDE} of each, walls included"
            raise ValueError(f"{self.rows} rows and {self.columns} columns; {expected}")
        if self.style not in (MIXED, *STYLES):
            raise ValueError(f"style {self.style!r}; expected {MIXED} or one of {[*STYLES]}")
        inside = (self.rows - 2) * (self.columns - 2)
        most = (int(MOST_FLOOR_SHARE * inside) - 1) // 2
        if not 1 <= self.num_boxes <= most:
            size = f"{self.rows}x{self.columns}"
            raise ValueError(f"{self.num_boxes} boxes; expected 1 to {most} in a room of {size}")
        bounds = self.difficulty.min_branching, self.difficulty.min_losing_share
        if not self.measures_choices and bounds != (None, None):
            raise ValueError(
                f"the choices are not measured; expected no bound on them, got {self.difficulty}"
            )
        # A box can be pushed four ways.
        most_pushes, branching = 4 * self.num_boxes, self.difficulty.min_branching
        if branching is not None and branching > most_pushes:
            message = f"expected at most {most_pushes}, four for each box"
            raise ValueError(f"min branching is {branching}; {message}")


@dataclass(frozen=True)
class Puzzle:
    """A level, a solution with the fewest pushes, and the figures along it."""

    board: Board
    style: str
    push_solution: tuple[Direction, ...]
    figures: Figures  # of ``push_solution``
    choices: Choices | None  # along ``push_solution``, if they were to be measured
    move_solution: tuple[Direction, ...] | None  # with the fewest moves, if that was to be proved


def sample_puzzle(
    recipe: Recipe, *, seed: int, attempt: int, limits: Limits = DEFAULT_LIMITS
) -> Puzzle | None:
    """The puzzle of one attempt; None if it fails, as most do where the difficulty is high.

    The limits hold for each search. The attempt fails once the stop flag is set.
    """
    rng = random.Random(f"{seed}/{attempt}")
    style = rng.choice([*STYLES]) if recipe.style == MIXED else recipe.style
    floor = carve(style, rows=recipe.rows, columns=recipe.columns, rng=rng)
    goals = place_goals(floor, recipe.num_boxes, rng)
    if goals is None:
        return None
    everywhere = (
        Square(row, column) for row in range(recipe.rows) for column in range(recipe.columns)
    )
    walls = frozenset(everywhere) - floor
    solved = Board(recipe.rows, recipe.columns, walls, goals, goals, min(floor - goals))
    min_pushes, max_pushes = recipe.difficulty.min_pushes, recipe.difficulty.max_pushes
    if min_pushes is None:
        # A push for each box is no puzzle.
        min_pushes = min(2 * recipe.num_boxes, max_pushes or 2 * recipe.num_boxes)
    difficulty = replace(recipe.difficulty, min_pushes=min_pushes)
    starts = far_starts(
        solved, min_pushes=min_pushes, max_pushes=max_pushes, rng=rng, stop=limits.stop
    )
    boards = [replace(solved, boxes=start.boxes, player=start.player) for start in starts]
    for board, push_solution in _proved(boards, limits):
        figures = count_figures(board, push_solution)
        if not difficulty.allows_pushes(figures.pushes):
            continue
        choices = None
        if recipe.measures_choices:
            is_large = from_board(board) is None
            most = _LARGE_CHOICE_EXPANSIONS if is_large else _CHOICE_EXPANSIONS
            choices = choices_along(board, push_solution, limits=limits.at_most(most))
            if not difficulty.allows(figures, choices):
                continue
        move_solution = None
        if recipe.proves_moves:
            answer = solve(board, minimise="moves", limits=limits.at_most(_PROOF_EXPANSIONS))
            if answer.solution is None:
                continue
            move_solution = answer.solution.directions
        return Puzzle(board, style, push_solution, figures, choices, move_solution)
    return None


def _proved(boards: list[Board], limits: Limits) -> Iterator[tuple[Board, tuple[Direction, ...]]]:
    """The boards whose fewest pushes can be proved, with a solution of them.

    Small boards come with most pushes and changes of boxes first, large ones as they are given.
    """
    limits = limits.at_most(_PROOF_EXPANSIONS)
    levels = [from_board(board) for board in boards]
    words = [level for level in levels if level is not None]
    if len(words) < len(boards) or not boards:
        for board in boards:
            answer = solve(board, minimise="pushes", limits=limits)
            if answer.solution is not None:
                yield board, answer.solution.directions
        return
    answers = solve_many(
        Levels(*map(np.concatenate, zip(*words, strict=True))), "pushes", limits=limits
    )
    proved = [
        (board, answers.directions(i))
        for i, board in enumerate(boards)
        if answers.verdict[i] == Verdict.SOLVED
    ]

    def rank(found: tuple[Board, tuple[Direction, ...]]) -> int:
        figures = count_figures(*found)
        return figures.pushes + figures.box_changes

    yield from sorted(proved, key=rank, reverse=True)
