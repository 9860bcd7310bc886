"""Many different puzzles: the same arguments give the same ones, whatever the number of threads."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import count

from tokoban import compiling
from tokoban.sokoban.board import Board
from tokoban.sokoban.canonical import canonical_form
from tokoban.sokoban.puzzles.puzzle import Puzzle, Recipe, sample_puzzle
from tokoban.sokoban.search.limits import Limits, Watch
from tokoban.sokoban.sizes import SIDE, check_num_levels

# A recipe is given up after so many attempts in a row without a new puzzle: they take seconds where
# a room fits one word, and minutes where it does not.
_MOST_FAILURES_OF_WORDS, _MOST_FAILURES = 2_000, 200


def generate_puzzles(
    num_levels: int,
    recipe: Recipe,
    *,
    seed: int,
    avoid: Iterable[Board] = (),
    num_threads: int = 1,
    limits: Limits | None = None,
    report: Callable[[int], None] | None = None,
    clock: Callable[[], float] = compiling.clock,
) -> Iterator[Puzzle]:
    """``num_levels`` puzzles in the order of their attempts, no two of them the same level.

    None is the same as one of ``avoid`` either, however it is turned, mirrored or shifted. The time
    limit and the stop flag end the iteration early, with the first puzzles of those that it gives
    without them; the other limits hold for each search. ``report`` is called with the number of
    attempts so far. Raises ``ValueError`` for arguments that no level can meet, and after many
    attempts in a row without a new puzzle.
    """
    check_num_levels(num_levels)
    if not 0 <= seed < 2**63:
        raise ValueError(f"the seed is {seed}; expected 0 to 2^63 - 1")
    if num_threads < 1:
        raise ValueError(f"the number of threads is {num_threads}; expected at least 1")
    watch = Watch(limits or Limits(), clock)
    known = set(map(canonical_form, avoid))
    return _new_ones(num_levels, recipe, seed, known, num_threads, watch, report)


def _new_ones(
    num_levels: int,
    recipe: Recipe,
    seed: int,
    known: set[str],
    num_threads: int,
    watch: Watch,
    report: Callable[[int], None] | None,
) -> Iterator[Puzzle]:
    is_small = max(recipe.rows, recipe.columns) <= SIDE + 2
    most_failures = _MOST_FAILURES_OF_WORDS if is_small else _MOST_FAILURES
    num_found = num_failures = 0
    limits = watch.as_stop_flag()

    def attempt(number: int) -> Puzzle | None:
        return sample_puzzle(recipe, seed=seed, attempt=number, limits=limits)

    for num_attempts, puzzle in enumerate(_in_turn(attempt, num_threads), 1):
        if watch.reason_to_end() is not None:
            return  # also without a puzzle that the end of its attempt may have changed
        if report:
            report(num_attempts)
        num_failures += 1
        if puzzle is not None and (form := canonical_form(puzzle.board)) not in known:
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


def _in_turn(attempt: Callable[[int], Puzzle | None], num_threads: int) -> Iterator[Puzzle | None]:
    """The results of attempts 0, 1, 2 ..., in their order, without end."""
    if num_threads == 1:
        yield from map(attempt, count())
        return
    pool = ThreadPoolExecutor(num_threads)
    waiting: deque[Future[Puzzle | None]] = deque()
    try:
        for number in count():
            waiting.append(pool.submit(attempt, number))
            if len(waiting) == 2 * num_threads:
                yield waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)
