"""The answer for one board: without a search where none is needed, else by one within limits."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from tokoban.sokoban.board import Board, Square
from tokoban.sokoban.deadlocks import frozen_boxes
from tokoban.sokoban.formats.level import Solution
from tokoban.sokoban.search.answer import BY_RULES, MAX_PRICE, Answer, Progress, Report
from tokoban.sokoban.search.limits import (
    MAX_SQUARES,
    STOPPED,
    UNLIMITED,
    Limits,
    Reason,
    Watch,
    out_of_expansions,
    out_of_memory,
    out_of_time,
    too_large,
)
from tokoban.sokoban.search.outcome import Outcome
from tokoban.sokoban.search.pauses import Budget, Found, Search, Underway
from tokoban.sokoban.search.steps import next_slice


def find_answer(
    board: Board,
    search: Callable[[Budget], Search],
    limits: Limits,
    *,
    minimise: str = "any",
    report: Report | None = None,
) -> Answer:
    """The answer to a board; ``search`` is called if a search is needed.

    ``minimise`` is what the search minimises, and the unit of its lower bounds.

    Boxes on goals that the player can never reach are left alone; any other box or goal beyond the
    player's reach proves that there is no solution. The solution of a solved board is empty. Every
    solution is replayed by the reference rules. ``report`` is called every few hundredths of a
    second with the progress so far, and may end the search by raising an exception. Raises
    ``ValueError`` above ``MAX_SQUARES`` of floor.
    """
    elapsed_s = Watch(limits).elapsed_s
    if board.is_solved:
        return solved_already(minimise, elapsed_s=elapsed_s())
    inside = board.inside()
    if len(board.boxes) != len(board.goals) or (board.boxes ^ board.goals) - inside:
        return Answer(status="unsolvable", solver=BY_RULES, elapsed_s=elapsed_s())
    if len(inside) > MAX_SQUARES:
        raise ValueError(too_large(len(inside)))
    if not frozen_boxes(board) <= board.goals:
        return Answer(status="unsolvable", solver=BY_RULES, elapsed_s=elapsed_s())
    if table_bytes(board, inside) > limits.memory_limit_mb * 1e6:
        limit = out_of_memory(limits.memory_limit_mb)
        return Answer(status="gave up", solver=BY_RULES, reason=limit, elapsed_s=elapsed_s())
    run = _Run(board, limits, minimise, report, elapsed_s, Progress(elapsed_s=elapsed_s()))
    return run.answer(Underway(search))


def table_bytes(board: Board, inside: frozenset[Square]) -> int:
    """Bytes of the largest tables that a search builds before it starts.

    For each box and player the side of the box; for each box, side and goal the pushes, both ways.
    ``inside`` is the floor of the board.
    """
    num_floor, num_goals = len(inside), len(board.goals & inside)
    return num_floor * num_floor + 2 * (num_floor * 4 * num_goals * 4)


def solved_already(minimise: str, *, elapsed_s: float = 0.0) -> Answer:
    """The answer to a board that starts solved: no moves, and none could be fewer."""
    return Answer(
        status="solved",
        solver=BY_RULES,
        solution=Solution(""),
        optimum="pushes" if minimise == "pushes" else "moves",
        at_least_moves=0,
        at_least_pushes=0,
        elapsed_s=elapsed_s,
    )


def given_up(progress: Progress, minimise: str) -> Answer:
    """The answer of a search that ends here without a solution or a proof; it has no reason yet."""
    return Answer(
        status="gave up",
        solver=progress.working or "set-up",
        at_least_moves=progress.at_least if minimise == "moves" else None,
        at_least_pushes=progress.at_least if minimise == "pushes" else None,
        num_expansions=progress.expansions,
        num_evaluated=progress.evaluated,
        elapsed_s=progress.elapsed_s,
    )


@dataclass
class _Run:
    """The search for one board; limits and Ctrl-C are checked at its pauses."""

    board: Board
    limits: Limits
    minimise: str
    report: Report | None
    elapsed_s: Callable[[], float]
    progress: Progress

    def answer(self, search: Underway) -> Answer:
        """Goes on until there is an answer."""
        most, work = self.limits.max_expansions, 1
        most = UNLIMITED if most is None else most
        while True:
            if self.report is not None:
                self.report(self.progress)
            slice_started_s, before = self.elapsed_s(), search.pause
            found, pause = search.go_on(Budget(work, most)), search.pause
            self.progress = progress = pause._replace(elapsed_s=self.elapsed_s())
            if found is not None:
                return self._ended(found)
            limit = _limit_reached(progress, self.limits)
            if limit is not None:
                return replace(given_up(progress, self.minimise), reason=limit)
            if pause.growing_bytes:
                pass
            elif before.working not in (None, pause.working):
                work = 1  # another search has its turn
            elif _without_sizes(pause) == _without_sizes(before):
                pass  # it made a table or grew, which tells nothing about the speed of its work
            else:
                work = next_slice(work, progress.elapsed_s - slice_started_s)

    def _ended(self, found: Found) -> Answer:
        """The answer of a search that has ended."""
        known = given_up(self.progress, self.minimise)
        if found.outcome == Outcome.SOLVED:
            return replace(_solved(self.board, found, known), elapsed_s=self.elapsed_s())
        if found.outcome == Outcome.EXHAUSTED:
            return replace(known, status="unsolvable", at_least_moves=None, at_least_pushes=None)
        limit = _limit_reached(self.progress, self.limits, found.outcome)
        return replace(known, reason=limit)


def _without_sizes(pause: Progress) -> Progress:
    return pause._replace(work=0, num_bytes=0, growing_bytes=0)


def _solved(board: Board, found: Found, known: Answer) -> Answer:
    """The answer with the solution that a search found, once the plain rules agree to it."""
    try:
        solution = Solution.of(board, found.directions)
    except ValueError as error:
        raise RuntimeError(f"the rules refuse the solution of {board}: {error}") from None
    optimum = found.optimum
    solved = replace(known, status="solved", solution=solution, optimum=optimum)
    if optimum == "moves":
        return replace(solved, at_least_moves=solution.num_moves)
    if optimum == "pushes":
        return replace(solved, at_least_pushes=solution.num_pushes)
    return replace(solved, at_least_moves=None, at_least_pushes=None)


def _limit_reached(
    progress: Progress, limits: Limits, outcome: Outcome = Outcome.BUDGET_SPENT
) -> Reason | None:
    """The limit that ends the search, in words."""
    if limits.is_stopped:
        return STOPPED
    if outcome == Outcome.TOO_LONG:
        return Reason(f"a price of {MAX_PRICE}", "price", most=MAX_PRICE)
    if outcome == Outcome.STUCK:
        return Reason("no push to a new position", "no-position")
    if outcome == Outcome.INCONCLUSIVE:
        return Reason("searches that may miss solutions", "incomplete")
    if limits.max_expansions is not None and progress.expansions >= limits.max_expansions:
        return out_of_expansions(limits.max_expansions)
    if limits.time_limit_s is not None and progress.elapsed_s >= limits.time_limit_s:
        return out_of_time(limits.time_limit_s)
    if outcome == Outcome.STORE_FULL or progress.needed_bytes > limits.memory_limit_mb * 1e6:
        return out_of_memory(limits.memory_limit_mb)
    return None
