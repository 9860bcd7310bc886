"""Many puzzles, each another: the same arguments give the same ones, whatever the threads."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import count

from tokoban.sokoban.board import Board
from tokoban.sokoban.canonical import canonical_form
from tokoban.sokoban.puzzles.puzzle import Puzzle, Recipe, draw_puzzle
from tokoban.sokoban.sizes import SIDE, check_num_levels

# A recipe is given up when so many draws one after the other bring no new puzzle: they take seconds
# where a room fits one word, and minutes where it does not.
_MAX_BARREN_DRAWS_OF_WORDS, _MAX_BARREN_DRAWS = 2_000, 200


def generate_puzzles(
    num_levels: int,
    recipe: Recipe,
    *,
    seed: int,
    avoid: Iterable[Board] = (),
    num_threads: int = 1,
    report: Callable[[int], None] | None = None,
) -> Iterator[Puzzle]:
    """``num_levels`` puzzles in the order of drawing, none the same as another or as one of
    ``avoid``, whichever way they are turned, mirrored or drawn.

    ``report`` is called with the number of draws so far. Raises ``ValueError`` for arguments that
    no level can meet, and when no puzzle has turned up for long.
    """
    check_num_levels(num_levels)
    if not 0 <= seed < 2**63:
        raise ValueError(f"the seed is {seed}; expected 0 to 2^63 - 1")
    if num_threads < 1:
        raise ValueError(f"the number of threads is {num_threads}; expected at least 1")
    return _new_ones(num_levels, recipe, seed, set(map(canonical_form, avoid)), num_threads, report)


def _new_ones(
    num_levels: int,
    recipe: Recipe,
    seed: int,
    known: set[str],
    num_threads: int,
    report: Callable[[int], None] | None,
) -> Iterator[Puzzle]:
    is_small = max(recipe.rows, recipe.columns) <= SIDE + 2
    most_barren = _MAX_BARREN_DRAWS_OF_WORDS if is_small else _MAX_BARREN_DRAWS
    num_found = num_barren = 0
    draws = _in_turn(lambda draw: draw_puzzle(recipe, seed=seed, draw=draw), num_threads)
    for num_draws, puzzle in enumerate(draws, 1):
        if report:
            report(num_draws)
        num_barren += 1
        if puzzle is not None and (form := canonical_form(puzzle.board)) not in known:
            known.add(form)
            num_found, num_barren = num_found + 1, 0
            yield puzzle
            if num_found == num_levels:
                return
        if num_barren == most_barren:
            size = f"{recipe.rows}x{recipe.columns} with {recipe.num_boxes} boxes"
            asked = f" and {recipe.wanted}" if str(recipe.wanted) else ""
            raise ValueError(
                f"no new level of {size}{asked} among {num_barren} draws; "
                f"{num_found} of {num_levels} levels were found"
            )


def _in_turn(draw: Callable[[int], Puzzle | None], num_threads: int) -> Iterator[Puzzle | None]:
    """What draws 0, 1, 2 ... bring, in their order, without end."""
    if num_threads == 1:
        yield from map(draw, count())
        return
    pool = ThreadPoolExecutor(num_threads)
    waiting: deque[Future[Puzzle | None]] = deque()
    try:
        for number in count():
            waiting.append(pool.submit(draw, number))
            if len(waiting) == 2 * num_threads:
                yield waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)
