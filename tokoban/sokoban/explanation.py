"""Why a position is deadlocked: in sentences, as a drawing and as a picture, with the proof."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal

from tokoban.sokoban.board import Board, Square
from tokoban.sokoban.formats import Solution, format_board, lurd
from tokoban.sokoban.proofs.certificate import Certificate
from tokoban.sokoban.proofs.explainer import Deadlocked
from tokoban.sokoban.proofs.explainer import explain as explain_position
from tokoban.sokoban.search.answer import Answer
from tokoban.sokoban.search.limits import STOPPED, Limits, Reason
from tokoban.sokoban.wording import counted, placed

if TYPE_CHECKING:
    import numpy as np
    from jaxtyping import UInt8

Status = Literal["deadlocked", "solvable", "unknown"]

_FRAME_RGB, _FRAME_PX = (220, 30, 30), 3


@dataclass(frozen=True, kw_only=True)
class Explanation:
    """Whether a position is solvable, with the proof.

    ``board`` is the position after ``moves``; if the moves deadlocked the level, they end with the
    push that did.
    """

    status: Status
    board: Board
    moves: str = ""  # as LURD
    num_moves_solvable: int | None = None  # after so many of the moves it was still solvable
    certificate: Certificate | None = None  # with status "deadlocked"
    solution: Solution | None = None  # with status "solvable"
    reason: str | None = None  # with status "unknown": the limit that was reached
    num_expansions: int = 0
    elapsed_s: float = 0.0

    @property
    def boxes(self) -> tuple[Square, ...]:
        """The boxes that cannot all be brought to goals; none unless it is deadlocked."""
        return () if self.certificate is None else self.certificate.boxes

    @property
    def sentences(self) -> list[str]:
        """The explanation in words; rows and columns are counted from 1."""
        if self.certificate is not None:
            return sentences(self.certificate)
        if self.reason == STOPPED:
            return ["neither solved nor proved deadlocked until it was stopped"]
        if isinstance(self.reason, Reason) and self.reason.code == "size":
            return [f"not searched: {self.reason}"]
        if self.solution is None:
            return [f"neither solved nor proved deadlocked within {self.reason}"]
        if not self.solution.lurd:
            return ["solved"]
        return [f"{counted(self.solution.num_moves, 'move')} left: {self.solution}"]

    @property
    def drawing(self) -> str:
        """The board; the boxes of the certificate are X, or x on a goal."""
        return format_board(self.board) if self.certificate is None else drawing(self.certificate)

    def __str__(self) -> str:
        """The status, the sentences and the drawing."""
        return "\n".join([self.status, *self.sentences, self.drawing])

    def picture(self) -> "UInt8[np.ndarray, 'H W 3']":
        """The position, with the boxes of the certificate in frames."""
        from tokoban.sokoban.render import SQUARE_PX, render_rgb

        picture = render_rgb(self.board)
        for row, column in self.boxes:
            top, left = row * SQUARE_PX, column * SQUARE_PX
            tile = picture[top : top + SQUARE_PX, left : left + SQUARE_PX]
            inside = (slice(_FRAME_PX, -_FRAME_PX),) * 2
            box = tile[inside].copy()
            tile[:] = _FRAME_RGB
            tile[inside] = box
        return picture

    def _repr_html_(self) -> str:
        """The sentences and the picture, for notebooks."""
        from tokoban.sokoban.png import html_image

        lines = "<br>".join([f"<b>{self.status}</b>", *self.sentences])
        return f"<p>{lines}</p>{html_image(self.picture())}"


def explain(
    board: Board,
    *,
    moves: str = "",
    limits: Limits,
) -> Explanation:
    """Explains the position after ``moves``, or after the first push of them that deadlocked it.

    The limits apply to each position examined. Raises ``ValueError`` for moves that the rules
    forbid.
    """
    return explain_game(board, moves, partial(explain_position, limits=limits))


def explain_game(
    start: Board, moves: str, explain_one: Callable[[Board], Deadlocked | Answer]
) -> Explanation:
    """Replays the moves (``lurd`` letters), and finds the push that lost the game by bisection.

    A deadlock is never undone, so that some ten answers suffice for a thousand pushes. Raises
    ``ValueError`` at moves that cannot be made.
    """
    replayed = lurd.replay(start, moves)
    if replayed.reason is not None:
        raise ValueError(replayed.reason)
    moves = replayed.lurd
    found, num_moves = explain_one(replayed.board), len(moves)
    if not isinstance(found, Deadlocked):
        is_solved = found.solution is not None
        return Explanation(
            status="solvable" if is_solved else "unknown",
            board=replayed.board,
            moves=moves,
            num_moves_solvable=num_moves if is_solved else None,
            solution=found.solution,
            reason=found.reason,
            num_expansions=found.num_expansions,
            elapsed_s=found.elapsed_s,
        )
    # The start and each push: a walk deadlocks nothing.
    turns = [0, *(i for i, letter in enumerate(moves, 1) if letter.isupper())]
    # The first deadlocked turn is from ``first`` on and at most ``last``.
    solvable, first, last = None, 0, len(turns)
    answers: list[Deadlocked | Answer] = [found]
    while first < last:
        middle = (first + last) // 2
        earlier = explain_one(lurd.replay(start, moves[: turns[middle]]).board)
        answers.append(earlier)
        if isinstance(earlier, Deadlocked):
            found, num_moves, last = earlier, turns[middle], middle
        else:
            first = middle + 1
            solvable = turns[middle] if earlier.status == "solved" else solvable
    return Explanation(
        status="deadlocked",
        board=lurd.replay(start, moves[:num_moves]).board,
        moves=moves[:num_moves],
        num_moves_solvable=solvable,
        certificate=found.certificate,
        num_expansions=sum(answer.num_expansions for answer in answers),
        elapsed_s=sum(answer.elapsed_s for answer in answers),
    )


def sentences(certificate: Certificate) -> list[str]:
    """Why a position is deadlocked, for people."""
    boxes, kind = certificate.boxes, certificate.kind
    where = " and ".join(map(placed, boxes))
    if kind == "count":
        return ["There are fewer boxes than goals."]
    if kind == "dead":
        return [f"No pushes bring the box at {where} to a goal."]
    if len(boxes) == 1:
        return [f"The box at {where} is on no goal, and any push deadlocks it."]
    group = f"The {len(boxes)} boxes at {where}"
    is_all = len(boxes) == len(certificate.board.boxes)
    others = "" if is_all else ", even without the other boxes"
    sentence = {
        "frozen": f"{group} are not all on goals, and any push of one deadlocks it.",
        "bipartite": f"{group} can reach no more than {counted(len(boxes) - 1, 'goal')}.",
        "search": f"{group} cannot all reach goals{others}, as a search of "
        f"{counted(len(certificate.positions), 'position')} shows.",
    }[kind]
    if certificate.is_minimal:
        return [sentence, "Without any one of them, the others could be brought to goals."]
    return [sentence, "It is not known whether all of them are needed for the deadlock."]


def drawing(certificate: Certificate) -> str:
    """The board of a certificate; its boxes are X, or x on a goal."""
    rows = [list(row) for row in format_board(certificate.board).split("\n")]
    for row, column in certificate.boxes:
        rows[row][column] = {"$": "X", "*": "x"}[rows[row][column]]
    return "\n".join(map("".join, rows))
