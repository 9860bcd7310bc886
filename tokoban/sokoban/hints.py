"""Hints: the first push of the best solution found in the time, or the push a policy predicts."""

from dataclasses import dataclass
from typing import Literal

from tokoban.sokoban import rules
from tokoban.sokoban.board import Board, Direction, Square
from tokoban.sokoban.formats import lurd
from tokoban.sokoban.search.answer import Answer, Optimum, Status
from tokoban.sokoban.wording import counted, placed


@dataclass(frozen=True, kw_only=True)
class Hint:
    """The next box to push and its destination, as far as they are known.

    ``status`` is that of the answer behind the hint: a solution was found, the position is proved
    unsolvable, or the search gave up. It is "predicted" where there was no search.
    """

    status: Status | Literal["predicted"]
    box: Square | None = None  # where the box is now
    push: Direction | None = None  # its first push
    destination: Square | None = None  # where it is when another box is pushed
    moves: str = ""  # as LURD, up to and with the first push
    moves_left: int | None = None  # of the solution that the hint follows
    # Of that solution, or as the policy predicts; another solution may have fewer pushes.
    pushes_left: int | None = None
    optimum: Optimum | None = None  # of which that solution is proved to have the fewest
    # 1 where it is proved, 0 where a solution is known, else a prediction of the policy.
    deadlock_probability: float | None = None
    solver: str = ""  # that found the solution or the proof
    reason: str | None = None  # why there is no hint

    def __str__(self) -> str:
        """The hint in one sentence."""
        if self.status == "unsolvable":
            return "The position is deadlocked."
        if self.status == "gave up":
            return f"No hint: {self.reason}."
        if self.box is None or self.destination is None:
            return "No push is legal." if self.deadlock_probability else "The position is solved."
        left = counted(self.pushes_left or 0, "push")
        advice = f"Push the box at {placed(self.box)} to {placed(self.destination)}"
        if self.status == "predicted":
            about = "" if self.pushes_left is None else f"about {left} left, "
            risk = f"deadlocked with a probability of {self.deadlock_probability:.0%}"
            return f"{advice}; {about}{risk} (a prediction)."
        moves = counted(self.moves_left or 0, "move")
        return f"{advice}; {moves} and {left} left in this solution."


def hint_of(board: Board, answer: Answer, *, deadlock_probability: float | None = None) -> Hint:
    """The hint that follows from an answer; a proof or a solution overrules the probability."""
    if answer.solution is None:
        is_proved = answer.status == "unsolvable"
        return Hint(
            status=answer.status,
            deadlock_probability=1.0 if is_proved else deadlock_probability,
            solver=answer.solver,
            reason=answer.reason,
        )
    box, push, destination, moves = _first_box(board, answer.solution.lurd)
    return Hint(
        status="solved",
        box=box,
        push=push,
        destination=destination,
        moves=moves,
        moves_left=answer.solution.num_moves,
        pushes_left=answer.solution.num_pushes,
        optimum=answer.optimum,
        deadlock_probability=0.0,
        solver=answer.solver,
    )


def _first_box(
    board: Board, solution: str
) -> tuple[Square | None, Direction | None, Square | None, str]:
    """The first box that a solution pushes: where it is, its push, where it comes, the moves."""
    player = board.player
    box = push = destination = None
    moves = ""
    for number, letter in enumerate(solution, 1):
        direction = Direction(lurd.LETTERS.index(letter.lower()))
        player = player.neighbour(direction)
        if letter.islower():
            continue
        if box is None:
            box, push, moves = player, direction, solution[:number]
        elif player != destination:
            break
        destination = player.neighbour(direction)
    return box, push, destination, moves


def predicted_hint(
    board: Board,
    *,
    box: Square | None,
    push: Direction | None,
    pushes_left: float | None,
    deadlock_probability: float,
) -> Hint:
    """The hint of a policy that prefers this legal push; without one there is no advice."""
    destination, moves = None, ""
    if box is not None and push is not None:
        destination = box.neighbour(push)
        moves = lurd.format(board, rules.moves_of_push(board, box, push))
    return Hint(
        status="predicted",
        box=box,
        push=push,
        destination=destination,
        moves=moves,
        pushes_left=None if pushes_left is None else round(pushes_left),
        deadlock_probability=deadlock_probability,
        solver="policy",
    )
