"""Many different puzzles: the same arguments give the same ones, whoever does the work."""

import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cache, partial
from itertools import count
from typing import NamedTuple

from tokoban.sokoban.board import Board
from tokoban.sokoban.canonical import canonical_form
from tokoban.sokoban.puzzles.puzzle import Puzzle, Recipe, sample_puzzle
from tokoban.sokoban.puzzles.rooms import MIN_SIDE
from tokoban.sokoban.search.limits import DEFAULT_LIMITS, Limits, Watch
from tokoban.sokoban.sizes import SIDE, check_num_levels, check_seed
from tokoban.sokoban.work import Workers, in_order

# A recipe is given up after so many attempts in a row without a new puzzle: they take seconds where
# a room fits one word, and minutes where it does not.
_MOST_FAILURES_OF_WORDS, _MOST_FAILURES = 2_000, 200
_ONE_THREAD = Workers(1)


class Attempt(NamedTuple):
    """An item of work."""

    recipe: Recipe
    seed: int
    number: int
    limits: Limits  # of each search


def generate_puzzles(
    num_levels: int,
    recipe: Recipe,
    *,
    seed: int,
    avoid: Iterable[Board] = (),
    workers: Workers = _ONE_THREAD,
    limits: Limits = DEFAULT_LIMITS,
    report: Callable[[int], None] | None = None,
) -> Iterator[Puzzle]:
    """``num_levels`` puzzles in the order of their attempts, no two of them the same level.

    None is the same as one of ``avoid`` either, however it is turned, mirrored or shifted. The time
    limit and the stop flag end the iteration early, with the first puzzles of those that it gives
    without them; the other limits hold for each search. ``report`` is called with the number of
    attempts so far. Raises ``ValueError`` for arguments that no level can meet, and after many
    attempts in a row without a new puzzle.
    """
    check_num_levels(num_levels)
    check_seed(seed)
    known = set(map(canonical_form, avoid))
    return _new_ones(num_levels, recipe, seed, known, workers, limits, report)


def _new_ones(
    num_levels: int,
    recipe: Recipe,
    seed: int,
    known: set[str],
    workers: Workers,
    limits: Limits,
    report: Callable[[int], None] | None,
) -> Iterator[Puzzle]:
    most_failures = _MOST_FAILURES_OF_WORDS if _is_small(recipe) else _MOST_FAILURES
    num_found = num_failures = num_attempts = 0
    workers.prepare(partial(prepare, recipe))
    watch = Watch(limits)
    of_search = Limits(memory_limit_mb=limits.memory_limit_mb, max_expansions=limits.max_expansions)
    attempts = (Attempt(recipe, seed, number, of_search) for number in count())
    for number, found in in_order(workers.results(try_once, attempts, watch), count()):
        if number > num_attempts:
            continue  # after one that the end of the work has cut off
        num_attempts += 1
        if report:
            report(num_attempts)
        if found is None:
            raise ValueError(
                f"{num_found} of {num_levels} levels were found: attempt {number} "
                "ended several workers, perhaps for lack of memory"
            )
        num_failures += 1
        for puzzle in found:
            if (form := canonical_form(puzzle.board)) not in known:
                known.add(form)
                num_found, num_failures = num_found + 1, 0
                yield puzzle
        if num_found == num_levels:
            return
        if num_failures == most_failures:
            size = f"{recipe.rows}x{recipe.columns} with {recipe.num_boxes} boxes"
            asked = f" and {recipe.difficulty}" if str(recipe.difficulty) else ""
            raise ValueError(
                f"no new level of {size}{asked} in {num_failures} attempts; "
                f"{num_found} of {num_levels} levels were found"
            )


def prepare(recipe: Recipe) -> None:
    """Compiles what its puzzles need, by making the smallest of their kind."""
    columns = MIN_SIDE + 1 if _is_small(recipe) else SIDE + 3
    smallest = Recipe(
        rows=MIN_SIDE,
        columns=columns,
        num_boxes=1,
        proves_moves=recipe.proves_moves,
        measures_choices=recipe.measures_choices,
    )
    _make_one(smallest)


@cache
def _make_one(recipe: Recipe) -> None:
    next(filter(None, (sample_puzzle(recipe, seed=0, attempt=number) for number in count())))


def try_once(attempt: Attempt, stop: threading.Event) -> tuple[Puzzle, ...] | None:
    """The puzzle of an attempt, if there is one; None where ``stop`` may have changed it."""
    prepare(attempt.recipe)
    limits = replace(attempt.limits, stop=stop)
    puzzle = sample_puzzle(attempt.recipe, seed=attempt.seed, attempt=attempt.number, limits=limits)
    if stop.is_set():
        return None
    return () if puzzle is None else (puzzle,)


def _is_small(recipe: Recipe) -> bool:
    """Whether its rooms fit one word."""
    return max(recipe.rows, recipe.columns) <= SIDE + 2
