"""Is a position lost, and if so, which boxes are to blame? With a proof in any case."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

from tokoban import compiling
from tokoban.sokoban.board import Board, Square
from tokoban.sokoban.formats.level import Solution
from tokoban.sokoban.proofs import search
from tokoban.sokoban.proofs.blame import Subsets, find_loss, standing_loss
from tokoban.sokoban.proofs.certificate import BoxState, Certificate, Trap
from tokoban.sokoban.proofs.subsets import Budget, OutOfTimeError
from tokoban.sokoban.search import by_squares, solver
from tokoban.sokoban.search.answer import Answer
from tokoban.sokoban.search.bitboard.levels import from_board
from tokoban.sokoban.search.single import MAX_SQUARES, solved_already


@dataclass(frozen=True)
class Lost:
    """The position is lost, as the certificate proves."""

    certificate: Certificate
    elapsed_s: float

    @property
    def is_searched(self) -> bool:
        """Whether the proof took a search."""
        return self.certificate.kind == "search"


def explain(
    board: Board,
    *,
    time_limit_s: float = 10.0,
    max_positions: int = 200_000,
    memory_limit_mb: float = 2000.0,
    clock: Callable[[], float] = compiling.clock,
) -> Lost | Answer:
    """Says which boxes make the position lost, with a certificate; or solves it; or gives up.

    ``max_positions`` bounds each search for a certificate, and so the certificate. The certificate
    has not been through ``checker.find_fault``. Boards of more floor than any solver takes are
    given up.
    """
    fits_word = from_board(board) is not None
    _compile(fits_word)
    started_s = clock()
    if board.is_solved:
        return replace(solved_already("any"), elapsed_s=clock() - started_s)
    if len(board.boxes) < len(board.goals):
        return Lost(Certificate(board, "count", (), ()), clock() - started_s)
    inside = board.inside()
    if (shut_out := _shut_out(board, inside)) is not None:
        return Lost(shut_out, clock() - started_s)
    if len(inside) > MAX_SQUARES:
        return _given_up(f"{MAX_SQUARES} squares of floor", 0, clock() - started_s)
    budget = Budget(started_s + time_limit_s, clock, max_positions)
    try:
        subsets = Subsets(board, budget)
        loss = standing_loss(subsets.ground, subsets.boxes)
        if loss is None:
            # The first half of the time, so that a search for the boxes has the other.
            answer = solver.solve(
                board,
                minimise="any",
                time_limit_s=time_limit_s / 2,
                memory_limit_mb=memory_limit_mb,
            )
            if answer.status == "solved":
                return replace(answer, elapsed_s=clock() - started_s)
            loss = find_loss(subsets)
            if subsets.plan_of_all is not None:  # the solver had given up
                return Answer(
                    status="solved",
                    solver="subsets",
                    solution=Solution.of(board, subsets.plan_of_all),
                    num_expansions=subsets.expansions,
                    elapsed_s=clock() - started_s,
                )
    except OutOfTimeError:
        return _given_up(f"{time_limit_s:g} s", 0, clock() - started_s)
    if loss is not None:
        certificate = subsets.certificate(subsets.shrunk(loss))
        return Lost(certificate, clock() - started_s)
    limit = f"{time_limit_s:g} s" if budget.is_spent else f"{max_positions} positions"
    return _given_up(limit, subsets.expansions, clock() - started_s)


def _given_up(limit: str, num_expansions: int, elapsed_s: float) -> Answer:
    return Answer(
        status="gave up",
        solver="subsets",
        reason=limit,
        num_expansions=num_expansions,
        elapsed_s=elapsed_s,
    )


@cache
def _compile(fits_word: bool) -> None:
    """Uses once what is compiled on first use, so that no clock counts the seconds of that."""
    board = Board(
        1, 4, frozenset(), frozenset({Square(0, 3)}), frozenset({Square(0, 1)}), Square(0, 0)
    )
    solver.solve(board, minimise="any")
    if not fits_word:
        by_squares.prepare()
    subsets = Subsets(board, Budget(math.inf, compiling.clock, 1))
    standing_loss(subsets.ground, subsets.boxes)
    subsets.decide(subsets.boxes)
    search.grown(search.empty_store(1, 1))  # which the searches above are too small for


def _shut_out(board: Board, inside: frozenset[Square]) -> Certificate | None:
    """The proof by a box off its goal that the player could not reach even if it were alone."""
    for box in sorted(board.boxes - board.goals - inside):
        trap = Trap((BoxState(box, board.player),))
        return Certificate(board, "dead", (box,), without=("",), traps=(trap,))
    return None
