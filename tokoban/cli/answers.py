"""What is found out about a board, and A*'s way to find it out.

A plan counts once the plain rules have replayed it. ``policy`` has the network's way.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from tokoban.sokoban import solver
from tokoban.sokoban.board import Board, Direction
from tokoban.sokoban.formats import lurd

if TYPE_CHECKING:
    # Imported for its name only: A* needs no torch.
    from tokoban.systems.sokoban_policy.solve import Judgement

Status = Literal["solved", "unsolvable", "gave up"]
Method = Literal["beam", "rollout", "astar"]

Optimum = Literal["moves", "pushes"]
# Until when A* looks for which, in parts of its time. The fewest pushes are found sooner, so a
# level too hard for the fewest moves may still be solved.
_UNTIL: dict[Optimum, float] = {"moves": 0.5, "pushes": 1.0}


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

    @property
    def pushes(self) -> int:
        """How many moves of the plan push."""
        return sum(map(str.isupper, self.lurd or ""))

    @property
    def length(self) -> str:
        """Moves and pushes of the plan in words."""
        return f"{counted(len(self.lurd or ''), 'move')}, {counted(self.pushes, 'push')}"


def by_astar(board: Board, *, time_limit_s: float) -> Answer:
    """A solution with the fewest moves or, where half of the time is not enough for that, with the
    fewest pushes; or the proof that there is none. The compilation on first use does not count.
    """
    spent_s = 0.0
    remarks: list[str] = []
    for minimise, until in _UNTIL.items():
        limit_s = max(0.0, round(until * time_limit_s - spent_s, 3))
        try:
            found = solver.solve(board, minimise=minimise, time_limit_s=limit_s)
        except ValueError as error:
            return Answer("gave up", "astar", spent_s, f"A*: {error}")
        spent_s += found.elapsed_s
        if isinstance(found, solver.Unsolvable):
            return Answer("unsolvable", "astar", spent_s, "proved by A*")
        if isinstance(found, solver.Solved):
            remark = "; ".join([f"fewest {minimise}", *remarks])
            moves = replayed(board, found.directions)
            return Answer("solved", "astar", spent_s, remark, moves, optimum=minimise)
        remarks.append(f"fewest {minimise} not found within {found.limit}")
    return Answer("gave up", "astar", spent_s, f"A*: {', '.join(remarks)}")


def counted(number: int, noun: str) -> str:
    """``1 move``, ``2 moves``, ``2 pushes``."""
    plural = "es" if noun.endswith("sh") else "s"
    return f"{number} {noun}{plural * (number != 1)}"


def replayed(board: Board, plan: Sequence[Direction]) -> str:
    """The plan as letters, once the plain rules have played them to a solved board.

    Anything else is a fault of a solver, and a ``RuntimeError``.
    """
    moves = lurd.format(board, plan)
    if not lurd.replay(board, moves).is_solved:
        raise RuntimeError(f"the plan {moves!r} does not solve {board}")
    return moves
