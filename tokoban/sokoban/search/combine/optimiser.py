"""Makes a given solution shorter, by moves or by pushes, and never longer.

The vicinity of the given solution is searched for the shortest, wider and wider; each shorter
solution starts this anew. A solution is proved optimal if nothing was left out of a search. The
plain rules replay a solution before it is returned. ``vicinity`` names the sources of the method.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import get_args

from tokoban.sokoban.board import Board, Direction, Square
from tokoban.sokoban.formats import lurd
from tokoban.sokoban.formats.level import Solution
from tokoban.sokoban.search.answer import Answer, Optimum, check_objective
from tokoban.sokoban.search.level.ground import Squares
from tokoban.sokoban.search.limits import (
    DEFAULT_LIMITS,
    MAX_SQUARES,
    Limits,
    OutOfTimeError,
    Watch,
    out_of_memory,
    too_large,
)
from tokoban.sokoban.search.run import solved_already, table_bytes
from tokoban.sokoban.search.searches.vicinity.push_paths import (
    PushPath,
    build_task,
    directions_of,
    path_of,
)
from tokoban.sokoban.search.searches.vicinity.store import empty_store, grown
from tokoban.sokoban.search.searches.vicinity.windows import Effort, search_along
from tokoban.sokoban.search.state.workspace import workspace_for

FIGURES: tuple[Optimum, ...] = get_args(Optimum)

_SOLVER = "vicinity"
_LEAST_MB = 1.0  # the tables of a small board are made whatever the limit


def optimise(
    board: Board,
    directions: Sequence[int],
    *,
    minimise: str = "moves",
    limits: Limits = DEFAULT_LIMITS,
    report: Callable[[Answer], None] | None = None,
) -> Answer:
    """Finds a solution of fewer moves than the given one, or of as many and fewer pushes.

    With ``minimise="pushes"`` it is the other way round. Moves after the first solved board are cut
    off. The answer is always "solved". Its ``optimum`` is ``minimise`` if no solution has fewer of
    these, and none of those that have as few has less of the other figure; else ``reason`` is the
    limit that ended the search. Without limits the search goes on until the solution is proved
    optimal or the memory is full. The answer depends on the clock only through the time limit.
    ``report`` receives the best answer so far every few hundredths of a second; an exception that
    it raises ends the search. Raises ``ValueError`` if the moves do not solve the board, with the
    first that is illegal.
    """
    check_objective(minimise, FIGURES)
    watch = Watch(limits)
    inside = board.inside()
    if len(inside) > MAX_SQUARES:
        raise ValueError(too_large(len(inside)))
    given = _up_to_the_end(board, directions)
    if not given:
        return solved_already(minimise)
    _compile()
    optimum: Optimum = "moves" if minimise == "moves" else "pushes"
    search = _Search(board, given, optimum, Effort(watch), report)
    if table_bytes(board, inside) > max(limits.memory_limit_mb, _LEAST_MB) * 1e6:
        return search.ended_by(out_of_memory(limits.memory_limit_mb))
    try:
        search.set_up(Squares(board))
    except OutOfTimeError as reason:
        return search.ended_by(reason.args[0])
    return search.run()


def _up_to_the_end(board: Board, directions: Sequence[int]) -> tuple[Direction, ...]:
    """The moves up to the first solved board; ``ValueError`` if there is none."""
    replayed = lurd.replay(board, lurd.letters_of(directions))
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
        message = f"after all {replayed.moves} of them it is not solved"
        raise ValueError(f"the moves do not solve the board: {message}")
    return tuple(made)


class _Search:
    """The best solution so far, and the searches for a better one."""

    def __init__(
        self,
        board: Board,
        given: tuple[Direction, ...],
        minimise: Optimum,
        effort: Effort,
        report: Callable[[Answer], None] | None,
    ) -> None:
        self._board = board
        self._minimise = minimise
        self._effort = effort
        self._best = Solution.of(board, given)
        if report is not None:
            effort.each_slice = lambda: report(self._so_far())

    def set_up(self, squares: Squares) -> None:
        """Makes the tables and follows the solution; raises ``OutOfTimeError`` if time runs out."""
        board, effort = self._board, self._effort
        self._task = build_task(board, squares, self._minimise, effort.check)
        effort.reserve(sum(array.nbytes for array in self._task.ground))
        boxes = squares.numbers(board.boxes)
        self._scratch = workspace_for(len(squares.squares), len(boxes))
        given = self._best.directions
        self._take(path_of(self._task, self._scratch, board, squares, given, effort.check))

    def run(self) -> Answer:
        """Improves the solution until it is proved optimal, or a limit is reached."""
        answer = None
        while answer is None:
            answer = self._improve()
        return answer

    def ended_by(self, limit: str) -> Answer:
        """The answer with the best solution so far, when a limit is reached."""
        return replace(self._so_far(), reason=limit)

    def _improve(self) -> Answer | None:
        """Searches wider and wider until there is a better solution; the answer if that ends it."""
        searched_wholly = None  # this number of boxes elsewhere left nothing out as late
        for most_boxes, lateness in self._scopes():
            if most_boxes == searched_wholly:
                continue
            searched = search_along(
                self._task,
                self._scratch,
                self._path,
                self._effort,
                most_boxes=most_boxes,
                lateness=lateness,
            )
            is_better = searched.path.cost[-1] < self._path.cost[-1]
            if is_better:
                self._take(searched.path)
            if (
                searched.is_exhausted
                and not searched.has_left_out_far
                and not searched.has_left_out_late
            ):
                return self._proved()
            if (limit := self._effort.reason_to_end()) is not None:
                return self.ended_by(limit)
            if is_better:
                return None
            if searched.is_exhausted and not searched.has_left_out_late:
                searched_wholly = most_boxes
        return self.ended_by(out_of_memory(self._effort.watch.limits.memory_limit_mb))

    def _scopes(self) -> Iterator[tuple[int, int]]:
        """Pairs: how many boxes may stand elsewhere, and the cost allowed beyond the path's.

        The more boxes may stand elsewhere, the farther along the path a position counts, and the
        more the path costs there: little is left out unless the allowed cost is lowered.
        """
        num_boxes = len(self._scratch.boxes)
        cost_of_one = self._path.main_figure / len(self._path.pushes)
        for most_boxes in range(num_boxes):
            pushes_more = {-2 * most_boxes, 0}
            if most_boxes < 2:  # still quick, and a shorter path speeds up the rest
                pushes_more.add(4)
            for num_pushes in sorted(pushes_more):
                yield most_boxes, round(num_pushes * cost_of_one)
        yield num_boxes, 0  # every position is near the end of the path, and none is late

    def _take(self, path: PushPath) -> None:
        """Makes this the best solution, after the plain rules have replayed it."""
        self._path = path
        solution = Solution.of(self._board, directions_of(self._task, path))
        if self._figures(solution) > self._figures(self._best):
            raise RuntimeError(f"{solution} is no better solution of {self._board}")
        # Of equals the first is kept: the given solution, if it cannot be made shorter.
        if self._figures(solution) < self._figures(self._best):
            self._best = solution

    def _figures(self, solution: Solution) -> tuple[int, int]:
        figures = solution.num_moves, solution.num_pushes
        return figures if self._minimise == "moves" else figures[::-1]

    def _so_far(self) -> Answer:
        return Answer(
            status="solved",
            solver=_SOLVER,
            solution=self._best,
            num_expansions=self._effort.num_expansions,
            elapsed_s=self._effort.watch.elapsed_s(),
        )

    def _proved(self) -> Answer:
        answer = replace(self._so_far(), optimum=self._minimise)
        if self._minimise == "moves":
            return replace(answer, at_least_moves=self._best.num_moves)
        return replace(answer, at_least_pushes=self._best.num_pushes)


@cache
def _compile() -> None:
    """Optimises a solution of a small board, so that no clock counts the first compilation."""
    board = Board(
        1, 4, frozenset(), frozenset({Square(0, 3)}), frozenset({Square(0, 2)}), Square(0, 0)
    )
    given = (Direction.RIGHT, Direction.LEFT, Direction.RIGHT, Direction.RIGHT)
    effort = Effort(Watch(Limits(memory_limit_mb=1.0)))
    squares = Squares(board)
    search = _Search(board, given, "moves", effort, None)
    search.set_up(squares)
    search.run()
    # The search above is too small to need this.
    grown(empty_store(1, 1, 1), build_task(board, squares, "moves").ground)
