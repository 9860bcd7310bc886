"""What is found out about a board, and A*'s way to find it out.

A plan counts once the plain rules have replayed it. ``policy`` has the network's way.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from tokoban import compiling
from tokoban.cli.output import counted
from tokoban.sokoban.board import Board, Direction
from tokoban.sokoban.formats import lurd
from tokoban.sokoban.search import solver
from tokoban.sokoban.search.answer import Optimum
from tokoban.sokoban.search.solver import Progress

if TYPE_CHECKING:
    # Imported for its name only: A* needs no torch.
    from tokoban.systems.sokoban_policy.solve import Judgement

Status = Literal["solved", "unsolvable", "gave up"]
Method = Literal["beam", "rollout", "astar"]

Objective = Literal["any", "moves", "pushes"]
SOUGHT: Mapping[Objective, str] = {
    "any": "any solution",
    "moves": "fewest moves",
    "pushes": "fewest pushes",
}
# What A* looks for, one after the other, and for how much of the time that is left at most. Any
# solution comes first: most often at once, so that there is one to show, and for hard levels alone.
# The fewest pushes are found sooner than the fewest moves.
_SHARES: Mapping[Objective, float] = {"any": 0.75, "moves": 0.5, "pushes": 1.0}
_PATIENCE_S = 1.0  # of a search for a better solution, before the one that is known is told

# Told what is looked for, and how far the search is.
Report = Callable[[str, Progress], None]
# Told what is known while the search for better goes on.
News = Callable[["Answer"], None]


class Stop(KeyboardInterrupt):
    """Raised by a report: let that be all, and answer what is known."""


@dataclass(frozen=True)
class Answer:
    """What one solver found out about a board; ``solved`` comes with a plan that does solve it."""

    status: Status
    solver: Method
    elapsed_s: float
    remark: str  # which optimum was proved, what the policy thinks, or why the solver gave up
    lurd: str | None = None
    optimum: Optimum | None = None  # the fewest of which, if that is proved
    judgement: "Judgement | None" = None  # of the policy, where the board fits it
    expansions: int | None = None  # of all searches together
    at_least: Mapping[Optimum, int] = field(default_factory=dict)  # of any plan, where proved

    @property
    def pushes(self) -> int:
        """How many moves of the plan push."""
        return sum(map(str.isupper, self.lurd or ""))

    @property
    def length(self) -> str:
        """Moves and pushes of the plan in words."""
        return f"{counted(len(self.lurd or ''), 'move')}, {counted(self.pushes, 'push')}"


def by_astar(
    board: Board,
    *,
    time_limit_s: float,
    minimise: Objective | None = None,
    max_expansions: int | None = None,
    memory_limit_mb: float = 2000.0,
    report: Report | None = None,
    news: News | None = None,
    clock: Callable[[], float] = compiling.clock,
) -> Answer:
    """A solution with the fewest moves, else with the fewest pushes, else any; or the proof that
    there is none. ``minimise`` asks for one of the three alone.

    ``max_expansions`` is a limit for each search. ``report`` may raise ``Stop``. ``news`` is told
    of each solution that is known for a second while a better one is looked for. The compilation on
    first use does not count.
    """
    known = _Known(board, report, news)
    shares = _SHARES if minimise is None else {minimise: 1.0}
    try:
        for objective, share in shares.items():
            if objective == known.optimum:
                continue
            if known.optimum is not None:
                share = 1.0  # nothing else is left to look for
            found = solver.solve(
                board,
                minimise=objective,
                max_expansions=max_expansions,
                time_limit_s=max(0.0, round(share * (time_limit_s - known.elapsed_s), 3)),
                memory_limit_mb=memory_limit_mb,
                report=known.begin(objective),
                clock=clock,
            )
            if known.is_enough(objective, found):
                break
    except ValueError as error:
        return Answer("gave up", "astar", known.elapsed_s, f"A*: {error}")
    except Stop:
        known.stop()
    return known.answer()


class _Known:
    """What is known of a board, while one search follows the other."""

    def __init__(self, board: Board, report: Report | None, news: News | None) -> None:
        self._board = board
        self._report = report
        self._news = news
        self._is_untold = False
        self.elapsed_s = 0.0
        self._expansions = 0
        self._status: Status = "gave up"
        self._moves: str | None = None
        self.optimum: Optimum | None = None
        self._at_least: dict[Optimum, int] = {}
        self._missed: dict[str, str] = {}  # by what was looked for
        self._sought = ""
        self._progress = Progress(0, 0, 0.0)

    def begin(self, objective: Objective) -> Callable[[Progress], None]:
        """What the next search is to report to."""
        self._sought = SOUGHT[objective]

        def follow(progress: Progress) -> None:
            self._progress = progress
            if objective != "any" and progress.at_least is not None:
                self._at_least[objective] = progress.at_least
            if self._news is not None and self._is_untold and progress.elapsed_s >= _PATIENCE_S:
                self._is_untold = False
                self._news(self.answer())
            if self._report is not None:
                self._report(self._sought, progress)

        return follow

    def is_enough(self, objective: Objective, found: solver.Answer) -> bool:
        """Takes note of a search that ended; whether no other need follow."""
        self.elapsed_s += found.elapsed_s
        self._expansions += found.num_expansions
        if found.status == "gave up":
            missed = "no solution" if objective == "any" else f"{self._sought} not"
            at_least = found.at_least_moves if objective == "moves" else found.at_least_pushes
            least = self._told_least(at_least)
            self._missed[objective] = f"{missed} found within {found.reason}{least}"
            if objective != "any" and at_least is not None:
                self._at_least[objective] = at_least
            return False
        if found.solution is None:
            self._status = "unsolvable"
            return True
        self._status = "solved"
        self._missed.pop("any", None)  # there is a solution, whichever search found it
        self._moves = replayed(self._board, found.solution.directions)
        self._is_untold = True
        self.optimum = found.optimum
        if found.optimum is None:
            return False
        self._at_least[found.optimum] = (
            len(self._moves) if found.optimum == "moves" else sum(map(str.isupper, self._moves))
        )
        return objective != "any" or found.optimum == "moves"

    def stop(self) -> None:
        """Takes note of a search that was ended."""
        self.elapsed_s += self._progress.elapsed_s
        self._expansions += self._progress.expansions
        spent = f"{self._progress.elapsed_s:.1f} s and {self._progress.expansions:,} expansions"
        least = self._told_least(self._progress.at_least)
        self._missed["stopped"] = f"stopped after {spent} for {self._sought}{least}"

    @staticmethod
    def _told_least(at_least: int | None) -> str:
        return f" (at least {at_least:,})" if at_least else ""

    def answer(self) -> Answer:
        """All of it."""
        if self._status == "gave up":
            remark = f"A*: {', '.join(self._missed.values())}"
        elif self._status == "unsolvable":
            remark = "proved by A*"
        else:
            found = SOUGHT[self.optimum] if self.optimum else "some solution"
            remark = "; ".join([found, *self._missed.values()])
        return Answer(
            self._status,
            "astar",
            self.elapsed_s,
            remark,
            self._moves,
            optimum=self.optimum,
            expansions=self._expansions,
            at_least=self._at_least,
        )


def replayed(board: Board, plan: Sequence[Direction]) -> str:
    """The plan as letters, once the plain rules have played them to a solved board.

    Anything else is a fault of a solver, and a ``RuntimeError``.
    """
    moves = lurd.format(board, plan)
    if not lurd.replay(board, moves).is_solved:
        raise RuntimeError(f"the plan {moves!r} does not solve {board}")
    return moves
