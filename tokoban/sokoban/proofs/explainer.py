"""Is a position deadlocked, and if so, by which boxes? The answer comes with a checked proof."""

from dataclasses import dataclass, replace

from tokoban.sokoban.board import Board, Square
from tokoban.sokoban.formats.level import Solution
from tokoban.sokoban.proofs import search
from tokoban.sokoban.proofs.certificate import BoxState, Certificate, Trap
from tokoban.sokoban.proofs.checker import find_fault
from tokoban.sokoban.proofs.deadlock_sets import Subsets
from tokoban.sokoban.proofs.static import static_deadlock
from tokoban.sokoban.search.answer import Answer
from tokoban.sokoban.search.combine import solver
from tokoban.sokoban.search.limits import (
    DEFAULT_LIMITS,
    MAX_SQUARES,
    STOPPED,
    UNWATCHED,
    Limits,
    OutOfTimeError,
    Reason,
    Watch,
    out_of_memory,
    too_large,
)
from tokoban.sokoban.search.run import solved_already, table_bytes

_SOLVER = "subset search"
_MAX_POSITIONS = 200_000  # of a search, and so of a certificate


@dataclass(frozen=True)
class Deadlocked:
    """No moves solve the position, as the certificate proves; the checker has confirmed it."""

    certificate: Certificate
    elapsed_s: float
    num_expansions: int = 0


def explain(
    board: Board,
    *,
    limits: Limits = DEFAULT_LIMITS,
) -> Deadlocked | Answer:
    """Names boxes that deadlock the position, with a certificate; or solves it; or gives up.

    The limits hold for all of it: the solver, the search for few boxes, and the check of the
    certificate, which takes longer than its search if it lists many positions. A certificate whose
    check does not end in time is not returned. ``limits.max_expansions`` bounds each search. Boards
    with more floor than any solver takes are given up, and those whose tables fill the memory.
    """
    watch = Watch(limits)
    most = limits.max_expansions
    max_positions = _MAX_POSITIONS if most is None else min(most, _MAX_POSITIONS)
    if board.is_solved:
        return replace(solved_already("any"), elapsed_s=watch.elapsed_s())
    inside = board.inside()
    if len(board.boxes) < len(board.goals):
        return _checked(Certificate(board, "count", (), ()), watch)
    if (enclosed := _enclosed(board, inside)) is not None:
        return _checked(enclosed, watch)
    if len(inside) > MAX_SQUARES:
        return _given_up(too_large(len(inside)), watch)
    if table_bytes(board, inside) > limits.memory_limit_mb * 1e6:
        return _given_up(out_of_memory(limits.memory_limit_mb), watch)
    try:
        subsets = Subsets(board, watch, max_positions)
        deadlock = static_deadlock(subsets.numbered, subsets.boxes)
        if deadlock is None:
            answer = _solve_in_half_the_time(board, watch.rest())
            if answer.status == "solved":
                return replace(answer, elapsed_s=watch.elapsed_s())
            subsets.num_expansions += answer.num_expansions
            deadlock = subsets.find_deadlock()
            if subsets.solution_of_all is not None:  # the solver had given up
                return Answer(
                    status="solved",
                    solver=_SOLVER,
                    solution=Solution.of(board, subsets.solution_of_all),
                    num_expansions=subsets.num_expansions,
                    elapsed_s=watch.elapsed_s(),
                )
    except OutOfTimeError as reason:
        return _given_up(reason.args[0], watch)
    if deadlock is None:
        limit = watch.reason_to_end() or subsets.limit
        assert limit is not None
        return _given_up(limit, watch, subsets.num_expansions)
    certificate = subsets.certificate(subsets.shrink(deadlock))
    return _checked(certificate, watch, subsets.num_expansions)


def _solve_in_half_the_time(board: Board, limits: Limits) -> Answer:
    """The solver's answer; the other half is for the search with few boxes."""
    half_s = None if limits.time_limit_s is None else limits.time_limit_s / 2
    return solver.solve(board, minimise="any", limits=replace(limits, time_limit_s=half_s))


def prepare() -> None:
    """Compiles what explaining needs besides solving, by calling all of it once."""
    board = Board(
        1, 4, frozenset(), frozenset({Square(0, 3)}), frozenset({Square(0, 1)}), Square(0, 0)
    )
    subsets = Subsets(board, UNWATCHED, 1)
    subsets.decide(subsets.boxes)
    ground = subsets.numbered.ground
    search.grown(search.empty_store(1, len(ground.zone)), ground)  # not needed above


def _checked(
    certificate: Certificate, watch: Watch, num_expansions: int = 0
) -> Deadlocked | Answer:
    """The certificate once the checker has confirmed it; an answer without one if time is over."""
    # A proof without positions is checked at once, even if the time is over.
    try:
        fault = find_fault(certificate, watch.check)
    except OutOfTimeError as error:
        reason: Reason = error.args[0]
        if reason != STOPPED:
            reason = reason.with_sentence(f"{reason}, before the proof could be checked")
        return _given_up(reason, watch, num_expansions)
    if fault is not None:
        raise RuntimeError(f"{fault}, in a certificate for {certificate.board}")
    return Deadlocked(certificate, watch.elapsed_s(), num_expansions)


def _given_up(reason: str, watch: Watch, num_expansions: int = 0) -> Answer:
    return Answer(
        status="gave up",
        solver=_SOLVER,
        reason=reason,
        num_expansions=num_expansions,
        elapsed_s=watch.elapsed_s(),
    )


def _enclosed(board: Board, inside: frozenset[Square]) -> Certificate | None:
    """The proof by a box off its goal that the player could not reach even if it were alone."""
    for box in sorted(board.boxes - board.goals - inside):
        trap = Trap((BoxState(box, board.player),))
        return Certificate(board, "dead", (box,), without=("",), traps=(trap,))
    return None
