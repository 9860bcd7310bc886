"""Searches by the push policy that show every step.

Axes: R rows, A actions.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import torch
from jaxtyping import Bool, Float, Int, Int64
from torch import Tensor

import tokoban
from tokoban.decoding.beam import beam_search
from tokoban.decoding.sampling import gumbel_noise, sample
from tokoban.sokoban import rules
from tokoban.sokoban.board import OFFSETS, Board, Direction, Square
from tokoban.sokoban.formats import Solution
from tokoban.sokoban.formats.xsb import format_board
from tokoban.sokoban.hints import walk
from tokoban.sokoban.search.answer import Progress
from tokoban.sokoban.search.level.ground import Squares, build_ground
from tokoban.sokoban.search.limits import (
    Limits,
    OutOfTimeError,
    Reason,
    Watch,
    out_of_memory,
)
from tokoban.sokoban.search.outcome import Outcome
from tokoban.sokoban.search.searches.guided.classical import classical_rules
from tokoban.sokoban.search.searches.guided.search import GuidedOptions, GuidedSearch
from tokoban.sokoban.search.searches.guided.search import prepare as prepare_guided
from tokoban.systems.push_policy.guide import NetworkGuide
from tokoban.systems.push_policy.policy import is_hopeless
from tokoban.systems.push_policy.stepper import PushStepper
from tokoban.web.opinions import opinion, policy, push_on_wire

Show = Callable[[dict[str, Any]], None]

# More than a policy that knows the way needs on any board that can be followed by eye.
_MAX_PUSHES = 400
_TOO_LONG = Reason(f"{_MAX_PUSHES} pushes", "pushes", most=_MAX_PUSHES)
_SEED = 0  # of the rollouts, so that the same board shows the same games


@dataclass(frozen=True)
class Level:
    """A board with what the searches read of it, and the watch that ends them."""

    board: Board
    squares: Squares
    guide: NetworkGuide
    watch: Watch


@dataclass(frozen=True)
class Found:
    """The result of a search."""

    status: str
    solver: str
    solution: Solution | None = None
    num_evaluated: int = 0  # positions that the policy judged
    num_expansions: int = 0
    reason: str | None = None  # why it gave up
    followed: tuple[int, ...] = ()  # the row of the best at each step
    elapsed_s: float = 0.0  # without compiling and loading


def search(board: Board, method: str, limits: Limits, *, width: int, show: Show) -> Found:
    """Searches by one of the methods of the page, showing every step.

    Raises ``ValueError`` saying why a board does not fit the policy.
    """
    if board.is_solved:
        return Found("solved", "rules", Solution(""))
    if is_hopeless(board):
        return Found("unsolvable", "rules")
    if method == "classical":
        watch = Watch(limits)
        found = classical(board, show, limits)
        return replace(found, elapsed_s=watch.elapsed_s())
    guide, squares = policy().guide(board)
    prepare_guided(is_classical=True)
    level = Level(board, squares, guide, Watch(limits))
    if method == "beam":
        found = beam(level, show, width=width)
    elif method == "rollouts":
        found = rollouts(level, show, width=width)
    else:
        found = best_first(level, show)
    return replace(found, elapsed_s=level.watch.elapsed_s())


class _Rows:
    """A ``PushStepper`` that shows its rows after each step; raises ``OutOfTimeError``."""

    def __init__(self, level: Level, show: Show, *, width: int) -> None:
        self._level, self._show = level, show
        self.plays = PushStepper(level.guide, level.squares, level.board, width=width)
        self.device = self.plays.device
        self.histories: list[list[tuple[int, ...]]] = []  # of each step, the actions of each row
        self._parents: list[int] = []
        self._scores = torch.zeros(width)
        self._is_over = torch.zeros(width, dtype=torch.bool)
        self._rows: list[dict[str, Any]] = [{} for _ in range(width)]

    def log_probs(self) -> Float[Tensor, "R A"]:
        """As ``PushStepper`` says."""
        return self.plays.log_probs()

    def keys(self) -> Int64[Tensor, "R"]:
        """As ``PushStepper`` says."""
        return self.plays.keys()

    def successor_keys(self) -> Int64[Tensor, "R A"]:
        """As ``PushStepper`` says."""
        return self.plays.successor_keys()

    def advance(
        self, parents: Int[Tensor, "R"] | None, actions: Int[Tensor, "R"]
    ) -> Bool[Tensor, "R"]:
        """Makes the pushes; without parents, as in sampling, it shows the rows at once."""
        self._level.watch.check()
        before = torch.arange(len(actions)) if parents is None else parents
        nats = self.plays.log_probs()[before, actions]
        self._parents = before.tolist()
        past = self.histories[-1] if self.histories else [()] * len(actions)
        taken = zip(self._parents, actions.tolist(), strict=True)
        self.histories.append([(*past[parent], action) for parent, action in taken])
        is_solved = self.plays.advance(parents, actions)
        if parents is None:
            self._scores = torch.where(self._is_over, self._scores, self._scores + nats)
            self._show_rows(self._scores, is_solved)
            self._is_over |= is_solved | (nats == -torch.inf)
        return is_solved

    def ranks(self, scores_nats: Float[Tensor, "R"]) -> Float[Tensor, "R"]:
        """The scores themselves; a beam search asks for ranks after each step, which shows it."""
        self._rows = [{} for _ in self._rows]  # a beam that died leaves no row
        solved = torch.tensor([board.is_solved for board in self.plays.boards()])
        self._show_rows(scores_nats, solved)
        return scores_nats

    def _show_rows(self, scores: Float[Tensor, "R"], is_solved: Bool[Tensor, "R"]) -> None:
        games = zip(self.plays.boards(), scores.tolist(), self._parents, strict=True)
        for row, (board, score, parent) in enumerate(games):
            if self._is_over[row] or score == -torch.inf:
                continue
            action = self.histories[-1][row][-1]
            self._rows[row] = {
                "row": row,
                "parent": parent,
                "score": round(score, 4),
                "is_solved": bool(is_solved[row]),
                **opinion(float(self.plays.pushes_left[row]), float(self.plays.deadlocked[row])),
                **push_on_wire(self._level.squares, action),
                "board": format_board(board),
            }
        self._show(
            {
                "step": len(self.histories),
                "rows": [row for row in self._rows if row],
                "num_evaluated": self.plays.num_evaluated,
            }
        )


def beam(level: Level, show: Show, *, width: int) -> Found:
    """Beam search over pushes: equal positions are merged, and none is returned to."""
    rows = _Rows(level, show, width=width)
    try:
        beams = beam_search(
            rows,
            num_searches=1,
            width=width,
            max_steps=_MAX_PUSHES,
            merge_equal=True,
            skip_visited=True,
            rank=True,
            stop_at_first=True,
        )
    except OutOfTimeError as error:
        return _gave_up("beam", rows, error.args[0])
    if not beams.is_finished[0, 0]:
        is_empty = not bool((beams.lengths[0] == len(rows.histories)).any())
        empty = Reason("no position left", "no-position")
        return _gave_up("beam", rows, empty if is_empty else _TOO_LONG)
    taken = tuple(beams.actions[0, 0, : int(beams.lengths[0, 0])].tolist())
    followed = tuple(
        past.index(taken[: number + 1]) for number, past in enumerate(rows.histories[: len(taken)])
    )
    return _solved("beam", level, rows, taken, followed)


def rollouts(level: Level, show: Show, *, width: int) -> Found:
    """Games without search: the first takes the most probable push, the others draw theirs."""
    rows = _Rows(level, show, width=width)
    generator = torch.Generator().manual_seed(_SEED)
    num_actions = len(level.squares.squares) * len(OFFSETS)

    def noise(_: int) -> Float[Tensor, "R A"]:
        drawn = gumbel_noise(1, width, num_actions, generator=generator, device="cpu")[0]
        drawn[0] = 0.0
        return drawn

    try:
        played = sample(rows, num_rows=width, max_steps=_MAX_PUSHES, noise=noise)
    except OutOfTimeError as error:
        return _gave_up("rollouts", rows, error.args[0])
    solved = [
        (int(played.lengths[row]), row) for row in range(width) if bool(played.is_finished[row])
    ]
    if not solved:
        return _gave_up("rollouts", rows, _TOO_LONG)
    length, best = min(solved)
    taken = tuple(played.actions[best, :length].tolist())
    return _solved("rollouts", level, rows, taken, (best,) * len(rows.histories))


def best_first(level: Level, show: Show) -> Found:
    """The policy-guided search of ``solve --by policy``, one position at a time."""
    board, squares, limits = level.board, level.squares, level.watch.limits
    classical = classical_rules(build_ground(board, squares))
    search = GuidedSearch(
        board, squares, level.guide, GuidedOptions(is_classical=True), None, classical
    )
    outcome, reason = None, None
    while reason is None and outcome not in (Outcome.SOLVED, Outcome.EXHAUSTED):
        outcome = search.ask()
        if outcome is None:
            boxes, zone = search.asked
            judged = level.guide.evaluate(boxes, zone)
            search.tell(judged)
            player = squares.squares[int(zone[0].argmax())]
            here = {
                square for square, is_box in zip(squares.squares, boxes[0], strict=True) if is_box
            }
            position = _with(board, here, player)
            row = {
                "row": 0,
                "is_solved": False,
                **opinion(float(judged.pushes_left[0]), float(judged.deadlocked[0])),
                "board": format_board(position),
            }
            show(
                {"step": search.num_evaluated, "rows": [row], "num_evaluated": search.num_evaluated}
            )
        elif outcome == Outcome.STORE_FULL:
            if search.pause().num_bytes + search.bytes_to_grow() > limits.memory_limit_mb * 1e6:
                reason = out_of_memory(limits.memory_limit_mb)
            else:
                list(search.grow())
        reason = reason or level.watch.reason_to_end()
    found = Found(
        "gave up",
        "best-first",
        num_evaluated=search.num_evaluated,
        num_expansions=search.pause().expansions,
    )
    if outcome == Outcome.SOLVED:
        solution = Solution.of(board, search.directions())
        return replace(found, status="solved", solution=solution)
    if outcome == Outcome.EXHAUSTED:
        return replace(found, status="unsolvable")
    return replace(found, reason=reason)


def classical(board: Board, show: Show, limits: Limits) -> Found:
    """The solver without a network, looking for any solution."""

    def report(_: object, progress: Progress) -> None:
        show({"num_expansions": progress.expansions, "working": progress.working})

    *_, answer = tokoban.solve_anytime(
        board,
        minimise="any",
        time_limit_s=limits.time_limit_s,
        memory_limit_mb=limits.memory_limit_mb,
        stop=limits.stop,
        report=report,
    )
    return Found(
        answer.status,
        answer.solver,
        answer.solution,
        num_expansions=answer.num_expansions,
        reason=answer.reason,
    )


def _with(board: Board, boxes: set[Square], player: Square) -> Board:
    """The board with other boxes inside, and the player elsewhere."""
    outside = board.boxes - board.inside()
    return replace(board, boxes=outside | boxes, player=player)


def _gave_up(solver: str, rows: _Rows, reason: str) -> Found:
    return Found("gave up", solver, num_evaluated=rows.plays.num_evaluated, reason=reason)


def _solved(
    solver: str, level: Level, rows: _Rows, taken: tuple[int, ...], followed: tuple[int, ...]
) -> Found:
    """The answer of pushes that solve the board, with the walks between them."""
    board = level.board
    moves: list[Direction] = []
    for action in taken:
        box, direction = divmod(action, len(OFFSETS))
        push = Direction(direction)
        beside = level.squares.squares[box].neighbour(push.opposite)
        made = [*walk(board, beside), push]
        board = rules.play(board, made)[-1]
        moves += made
    return Found(
        "solved",
        solver,
        Solution.of(level.board, moves),
        num_evaluated=rows.plays.num_evaluated,
        followed=followed,
    )
