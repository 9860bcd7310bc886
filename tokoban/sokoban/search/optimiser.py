"""Makes a given solution shorter, by moves or by pushes, and never longer.

Plans near the given one are searched for the shortest, wider and wider around it; from each plan
that is shorter all begins anew. Where nothing is left out of a search the plan is proved to be the
shortest of all. A plan is replayed by the plain rules before anybody sees it.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from tokoban import compiling
from tokoban.sokoban.board import Board, Direction, Square
from tokoban.sokoban.formats import lurd
from tokoban.sokoban.search.astar import empty_scratch
from tokoban.sokoban.search.single import MAX_SQUARES
from tokoban.sokoban.search.vicinity.plans import Plan, directions_of, plan_of
from tokoban.sokoban.search.vicinity.positions import empty_positions, grown
from tokoban.sokoban.search.vicinity.sweeps import OutOfTimeError, Watch, sweep
from tokoban.sokoban.search.vicinity.tables import build_tables

FIGURES = ("moves", "pushes")

# What came of a round of searches.
_BETTER, _PROVED, _OUT_OF_TIME, _OUT_OF_MEMORY = range(4)


@dataclass(frozen=True)
class Optimised:
    """The shortest plan found so far; ``moves`` count pushes too."""

    directions: tuple[Direction, ...]
    moves: int
    pushes: int
    # No plan has less of what was minimised, and of those that have as little none has less of the
    # other figure.
    is_proved_optimal: bool
    limit: str | None  # that ended the search, such as "10 s"; None if it is proved, or goes on
    expansions: int
    elapsed_s: float


def optimise(
    board: Board,
    directions: Sequence[int],
    *,
    minimise: str = "moves",
    time_limit_s: float | None = None,
    memory_limit_mb: float = 2000.0,
    report: Callable[[Optimised], None] | None = None,
    clock: Callable[[], float] = compiling.clock,
) -> Optimised:
    """Finds a plan of fewer moves than the given one, or of as many and fewer pushes.

    With ``minimise="pushes"`` it is the other way round. What comes after the first solved board
    is cut off. Without a time limit the search goes on until the plan is proved to be the best, or
    the memory is full. The answer depends on the clock only through ``time_limit_s``. ``report`` is
    called every few hundredths of a second; whoever stops the search by Ctrl-C has its last word.
    Raises ``ValueError`` if the moves do not solve the board, with the first that is illegal.
    """
    if minimise not in FIGURES:
        raise ValueError(f"minimise is 'moves' or 'pushes', not {minimise!r}")
    squares = sorted(board.inside())
    if len(squares) > MAX_SQUARES:
        raise ValueError(f"expected at most {MAX_SQUARES} squares of floor, got {len(squares)}")
    given = _up_to_the_end(board, directions)
    if not given:
        return Optimised((), 0, 0, True, limit=None, expansions=0, elapsed_s=0.0)
    _compile()
    watch = Watch(time_limit_s=time_limit_s, memory_limit_mb=memory_limit_mb, clock=clock)
    search = _Search(board, given, minimise, watch, report or (lambda _: None))
    try:
        search.set_up(squares)
    except OutOfTimeError:
        return search.out_of_time()
    return search.run()


def _up_to_the_end(board: Board, directions: Sequence[int]) -> tuple[Direction, ...]:
    """The moves up to the first solved board; ``ValueError`` if there is none."""
    replayed = lurd.replay(board, "".join(lurd.LETTERS[direction] for direction in directions))
    if replayed.reason is not None:
        raise ValueError(f"the moves do not solve the board: {replayed.reason}")
    boxes, player = set(board.boxes), board.player
    made: list[Direction] = []
    for direction in directions:
        if boxes == board.goals:
            break
        player = player.neighbour(direction)
        if player in boxes:
            boxes.remove(player)
            boxes.add(player.neighbour(direction))
        made.append(Direction(direction))
    if boxes != board.goals:
        told = f"after all {replayed.moves} of them it is not solved"
        raise ValueError(f"the moves do not solve the board: {told}")
    return tuple(made)


class _Search:
    """The best plan so far, and how it is made better."""

    def __init__(
        self,
        board: Board,
        given: tuple[Direction, ...],
        minimise: str,
        watch: Watch,
        report: Callable[[Optimised], None],
    ) -> None:
        self._board = board
        self._minimise = minimise
        self._counts_moves = minimise == "moves"
        self._watch = watch
        self._best = lurd.replay(board, "".join(lurd.LETTERS[direction] for direction in given))
        self._directions = given
        watch.each_slice = lambda: report(self._so_far())

    def set_up(self, squares: list[Square]) -> None:
        """Makes the tables and follows the plan; raises ``OutOfTimeError`` if it takes too long."""
        board, watch = self._board, self._watch
        self._tables = build_tables(board, squares, self._minimise, watch.check)
        watch.reserve(sum(getattr(array, "nbytes", 0) for array in self._tables))
        self._scratch = empty_scratch(len(squares), len(board.boxes.intersection(squares)))
        given = self._directions
        self._take(plan_of(self._tables, self._scratch, board, squares, given, watch.check))

    def run(self) -> Optimised:
        """Makes the plan better until it is the best of all, or a limit is reached."""
        while True:
            outcome = self._improve()
            if outcome == _PROVED:
                return replace(self._so_far(), is_proved_optimal=True)
            if outcome == _OUT_OF_TIME:
                return self.out_of_time()
            if outcome == _OUT_OF_MEMORY:
                return replace(self._so_far(), limit=f"{self._watch.memory_limit_mb:g} MB")

    def out_of_time(self) -> Optimised:
        """The best plan when the time is over."""
        return replace(self._so_far(), limit=f"{self._watch.time_limit_s:g} s")

    def _improve(self) -> int:
        """Searches wider and wider around the plan until there is a better one."""
        searched_wholly = None  # with so many boxes elsewhere nothing came late
        for most_boxes, lateness in self._scopes():
            if most_boxes == searched_wholly:
                continue
            swept = sweep(
                self._tables,
                self._scratch,
                self._plan,
                self._watch,
                most_boxes=most_boxes,
                lateness=lateness,
            )
            is_better = swept.plan.price[-1] < self._plan.price[-1]
            if is_better:
                self._take(swept.plan)
            if swept.is_whole and not swept.has_left_out:
                return _PROVED
            if self._watch.is_time_up():
                return _OUT_OF_TIME
            if is_better:
                return _BETTER
            if swept.is_whole and not swept.has_left_out_late:
                searched_wholly = most_boxes
        return _OUT_OF_MEMORY

    def _scopes(self) -> Iterator[tuple[int, int]]:
        """How many boxes may stand elsewhere, and how much more may be spent than by the plan.

        With more boxes elsewhere everything counts as farther in the plan, and comes earlier than
        the plan comes there: what is left out by this is little, unless less may be spent.
        """
        num_boxes = len(self._scratch.boxes)
        price_of_one = self._plan.main_figure / len(self._plan.pushes)
        for most_boxes in range(num_boxes):
            pushes_more = {-2 * most_boxes, 0}
            if most_boxes < 2:  # still quick, and what it finds makes all else quicker
                pushes_more.add(4)
            for num_pushes in sorted(pushes_more):
                yield most_boxes, round(num_pushes * price_of_one)
        yield num_boxes, 0  # every position is near the end of the plan, and none is late

    def _take(self, plan: Plan) -> None:
        """Makes this the best plan, after the plain rules have judged it."""
        self._plan = plan
        directions = directions_of(self._tables, self._scratch, plan)
        replayed = lurd.replay(self._board, lurd.format(self._board, directions))
        if not replayed.is_solved or self._figures(replayed) > self._figures(self._best):
            raise RuntimeError(f"{replayed.lurd} is no better plan of {self._board}")
        # Of equals the first is kept: the given plan, if it cannot be made shorter.
        if self._figures(replayed) < self._figures(self._best):
            self._best, self._directions = replayed, directions

    def _figures(self, replayed: lurd.Replay) -> tuple[int, int]:
        if self._counts_moves:
            return replayed.moves, replayed.pushes
        return replayed.pushes, replayed.moves

    def _so_far(self) -> Optimised:
        return Optimised(
            self._directions,
            self._best.moves,
            self._best.pushes,
            is_proved_optimal=False,
            limit=None,
            expansions=self._watch.expansions,
            elapsed_s=self._watch.elapsed_s(),
        )


@cache
def _compile() -> None:
    """Shortens a plan of a small board, so that no clock counts the first compilation."""
    board = Board(
        1, 4, frozenset(), frozenset({Square(0, 3)}), frozenset({Square(0, 2)}), Square(0, 0)
    )
    given = (Direction.RIGHT, Direction.LEFT, Direction.RIGHT, Direction.RIGHT)
    watch = Watch(time_limit_s=None, memory_limit_mb=1.0, clock=compiling.clock)
    squares = sorted(board.inside())
    search = _Search(board, given, "moves", watch, lambda _: None)
    search.set_up(squares)
    search.run()
    # For which the search above is too small.
    grown(empty_positions(1, 1, 1), build_tables(board, squares, "moves").keys[1])
