"""One puzzle from its seed: a room, goals, a start far from them, the proof, and the measures."""

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from tokoban.sokoban.board import Board, Direction, Square
from tokoban.sokoban.figures import Figures, count_figures
from tokoban.sokoban.puzzles.choices import Choices, choices_along
from tokoban.sokoban.puzzles.goals import place_goals
from tokoban.sokoban.puzzles.pulls import far_starts
from tokoban.sokoban.puzzles.rooms import MIN_SIDE, MOST_FLOOR_SHARE, STYLES, carve
from tokoban.sokoban.puzzles.wanted import Wanted
from tokoban.sokoban.search.bitboard.batch import solve_many
from tokoban.sokoban.search.bitboard.driver import Verdict
from tokoban.sokoban.search.bitboard.levels import Levels, from_board
from tokoban.sokoban.search.limits import Limits
from tokoban.sokoban.search.solver import solve
from tokoban.sokoban.sizes import MAX_SIDE

MIXED = "mixed"
_NOTHING = Wanted()

# Counts and not times, so that a seed means the same everywhere.
_PROOF_LIMITS = Limits(max_expansions=30_000)
# Of each push that is looked into; where a board fits one word an expansion costs far less.
_CHOICE_LIMITS, _LARGE_CHOICE_LIMITS = Limits(max_expansions=20_000), Limits(max_expansions=1_000)


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """What puzzles are to be like."""

    rows: int = 10  # walls included
    columns: int = 10
    num_boxes: int = 4
    style: str = MIXED  # one of ``STYLES``, or each by turns of chance
    wanted: Wanted = _NOTHING
    proves_moves: bool = False  # the fewest moves, besides the fewest pushes

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
        # A box can be pushed four ways.
        most_pushes, branching = 4 * self.num_boxes, self.wanted.min_branching
        if branching is not None and branching > most_pushes:
            told = f"expected at most {most_pushes}, four for each box"
            raise ValueError(f"min branching is {branching}; {told}")


@dataclass(frozen=True)
class Puzzle:
    """A level, the proof that so many pushes are its fewest, and what is measured along it."""

    board: Board
    style: str
    push_plan: tuple[Direction, ...]
    figures: Figures  # of ``push_plan``
    choices: Choices  # along ``push_plan``
    move_plan: tuple[Direction, ...] | None  # with the fewest moves, if that was to be proved


def draw_puzzle(recipe: Recipe, *, seed: int, draw: int) -> Puzzle | None:
    """The puzzle of one draw, or None where the draw is none: most are, if much is wanted."""
    draws = random.Random(f"{seed}/{draw}")
    style = draws.choice([*STYLES]) if recipe.style == MIXED else recipe.style
    floor = carve(style, rows=recipe.rows, columns=recipe.columns, draws=draws)
    goals = place_goals(floor, recipe.num_boxes, draws)
    if goals is None:
        return None
    everywhere = (
        Square(row, column) for row in range(recipe.rows) for column in range(recipe.columns)
    )
    walls = frozenset(everywhere) - floor
    solved = Board(recipe.rows, recipe.columns, walls, goals, goals, min(floor - goals))
    min_pushes, max_pushes = recipe.wanted.min_pushes, recipe.wanted.max_pushes
    if min_pushes is None:
        # A push for each box is no puzzle.
        min_pushes = min(2 * recipe.num_boxes, max_pushes or 2 * recipe.num_boxes)
    wanted = replace(recipe.wanted, min_pushes=min_pushes)
    starts = far_starts(solved, min_pushes=min_pushes, max_pushes=max_pushes, draws=draws)
    boards = [replace(solved, boxes=start.boxes, player=start.player) for start in starts]
    for board, push_plan in _proved(boards):
        figures = count_figures(board, push_plan)
        if not wanted.allows_pushes(figures.pushes):
            continue
        limits = _LARGE_CHOICE_LIMITS if from_board(board) is None else _CHOICE_LIMITS
        choices = choices_along(board, push_plan, limits=limits)
        if not wanted.allows(figures, choices):
            continue
        move_plan = None
        if recipe.proves_moves:
            answer = solve(board, minimise="moves", max_expansions=_PROOF_LIMITS.max_expansions)
            if answer.solution is None:
                continue
            move_plan = answer.solution.directions
        return Puzzle(board, style, push_plan, figures, choices, move_plan)
    return None


def _proved(boards: list[Board]) -> Iterator[tuple[Board, tuple[Direction, ...]]]:
    """The boards whose fewest pushes can be proved, with a plan of them.

    Small boards come with most pushes and changes of boxes first, large ones as they are given.
    """
    levels = [from_board(board) for board in boards]
    words = [level for level in levels if level is not None]
    if len(words) < len(boards) or not boards:
        for board in boards:
            answer = solve(board, minimise="pushes", max_expansions=_PROOF_LIMITS.max_expansions)
            if answer.solution is not None:
                yield board, answer.solution.directions
        return
    answers = solve_many(
        Levels(*map(np.concatenate, zip(*words, strict=True))), "pushes", limits=_PROOF_LIMITS
    )
    proved = [
        (board, answers.directions(i))
        for i, board in enumerate(boards)
        if answers.verdict[i] == Verdict.SOLVED
    ]

    def worth(found: tuple[Board, tuple[Direction, ...]]) -> int:
        figures = count_figures(*found)
        return figures.pushes + figures.box_changes

    yield from sorted(proved, key=worth, reverse=True)
