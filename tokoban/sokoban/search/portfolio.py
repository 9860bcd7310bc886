"""Any solution: several searches of one board, which work in turns.

No search is better everywhere. Turns are counted in work, never by the clock, so that every machine
finds the same solution. docs/decisions/0046-the-portfolio.md has the reasons.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from tokoban.sokoban.board import Board, Direction
from tokoban.sokoban.search import pull_beam, push_beam
from tokoban.sokoban.search.answer import Optimum, Progress
from tokoban.sokoban.search.astar_search import AStar
from tokoban.sokoban.search.beam_rounds import are_all_matched
from tokoban.sokoban.search.bidirectional.solver import BidirectionalFess
from tokoban.sokoban.search.bidirectional.tables import Tables, tables_in_steps
from tokoban.sokoban.search.bitboard.batch import OneWord
from tokoban.sokoban.search.bitboard.levels import from_board
from tokoban.sokoban.search.fess import solver as fess_solver
from tokoban.sokoban.search.fess.advisors import ADVISORS
from tokoban.sokoban.search.fess.solver import Fess, fess_in_steps
from tokoban.sokoban.search.fess.tables import tables_in_steps as fess_tables_in_steps
from tokoban.sokoban.search.few_boxes import FewBoxesLater, few_boxes_both_ways
from tokoban.sokoban.search.ground import Ground, Squares, ground_in_steps
from tokoban.sokoban.search.meetings import FromTheEnd
from tokoban.sokoban.search.midway import Midway
from tokoban.sokoban.search.outcome import Outcome
from tokoban.sokoban.search.positions import num_bytes
from tokoban.sokoban.search.pruning import Pruning, empty_pruning
from tokoban.sokoban.search.pull_beam import PullBeam
from tokoban.sokoban.search.push_beam import PushBeam
from tokoban.sokoban.search.replans import Replans
from tokoban.sokoban.search.single import Search, SliceSearch, Stage, Stages
from tokoban.sokoban.search.steps import Steps
from tokoban.sokoban.search.targets import Targets

# Expansions of weighted A* before the portfolio, on boards of one word. Nearly all need fewer.
_FEW_EXPANSIONS = 10_000
# The same on larger boards, where one takes longer. Open boards need about as many as pushes.
_FEW_EXPANSIONS_OF_SQUARES = 1_000
_TURN = 1 << 12  # the work of a turn by the share of its slice
# What may be left out beside slices: the A* before all, and parts of slices.
FIRST = "first-astar"
REPLANS = "replans"  # of FESS
MIDWAY = "midway"  # of the beam of pulls
_EQUAL_ROUNDS = 16  # the first ones, in which all slices have the same share


@dataclass(frozen=True)
class Setting:
    """A board, and what all its searches share."""

    board: Board
    squares: Squares
    tables: tuple[Tables, Tables]  # forwards, backwards
    pruning: Pruning
    few_boxes: tuple[FewBoxesLater, FewBoxesLater]  # forwards, backwards
    without: frozenset[str] = frozenset()  # parts of slices that are left out, for ablations
    seed: int = 0  # chooses the order of equal candidates in the beams
    # The searches by pulls that exist, which others may meet.
    pulls: list[FromTheEnd] = field(default_factory=list)

    @property
    def player(self) -> int:
        """The number of the player's square."""
        return self.squares.number[self.board.player]

    @property
    def num_bytes(self) -> int:
        """Of the arrays."""
        few_boxes = sum(few.num_bytes() for few in self.few_boxes)
        return num_bytes((*self.tables, self.pruning)) + few_boxes


def setting_in_steps(
    board: Board,
    squares: Squares,
    ground: Ground | None = None,
    without: frozenset[str] = frozenset(),
    seed: int = 0,
) -> Steps[Setting]:
    """Computes what the searches of a board share; ``ground`` is that of the board, if known."""
    tables = yield from tables_in_steps(board, squares, ground)
    pruning = empty_pruning(len(squares.squares), len(tables[0].ground.goals))
    forward, backward = (one.ground for one in tables)
    few_boxes = few_boxes_both_ways(forward, backward, squares.number[board.player])
    return Setting(board, squares, tables, pruning, few_boxes, without, seed)


@dataclass(frozen=True)
class Slice:
    """How to set up a search of the portfolio, and when it works."""

    name: str
    start: Callable[[Setting], Steps[SliceSearch]]
    share: int = 1  # of the work, relative to the other slices, after the rounds of equal turns
    first_round: int = 0
    parts: tuple[str, ...] = ()  # the names that ``Setting.without`` may have for it


class Counted:
    """A search whose work is taken to be so many floods for each expansion."""

    def __init__(self, search: Search, *, floods: int, is_complete: bool) -> None:
        self._search, self._floods = search, floods
        self.is_complete = is_complete
        self.name = search.name
        self.progress = search.progress
        self.num_bytes = search.num_bytes
        self.num_bytes_while_growing = search.num_bytes_while_growing
        self.grow = search.grow
        self.directions = search.directions
        self.optimum = search.optimum

    @property
    def work(self) -> int:
        """As ``SliceSearch`` says."""
        return self._floods * self._search.progress(0.0).expansions

    def go_on(self, budget: int, max_expansions: int | None) -> Outcome:
        """As ``SliceSearch`` says."""
        return self._search.go_on(-(-budget // self._floods), max_expansions)


def _bidirectional(setting: Setting) -> Steps[SliceSearch]:
    yield
    return BidirectionalFess(*setting.tables, setting.player, setting.pruning, setting.few_boxes)


def _fess(setting: Setting, *, has_one_sink: bool = False) -> Steps[SliceSearch]:
    fess_solver.prepare()
    yield
    ground = setting.tables[0].ground
    fess: Fess = yield from fess_in_steps(
        setting.board,
        setting.squares,
        ground,
        setting.pruning,
        setting.few_boxes[0],
        setting.without,
        has_one_sink=has_one_sink,
    )
    if REPLANS in setting.without:
        return fess
    return Replans(
        setting.board,
        setting.squares,
        fess,
        setting.pruning,
        setting.few_boxes[0],
        setting.without,
        has_one_sink=has_one_sink,
    )


def _targets(setting: Setting) -> Steps[SliceSearch]:
    fess_solver.prepare()
    yield
    pulls = BidirectionalFess(
        *setting.tables,
        setting.player,
        setting.pruning,
        setting.few_boxes,
        is_backward_only=True,
    )
    return Targets(setting.board, setting.squares, pulls)


def _pull_beam(setting: Setting) -> Steps[SliceSearch]:
    pull_beam.prepare()
    push_beam.prepare()
    yield
    forward, backward = setting.tables
    backward = backward._replace(is_matched=are_all_matched(backward.ground))
    goals, few_boxes = forward.ground.goals, setting.few_boxes[1]
    beam = PullBeam(backward, goals, setting.player, few_boxes, seed=2 * setting.seed)
    if MIDWAY in setting.without:
        return beam
    return Midway(setting.board, setting.squares, beam)


def _push_beam(setting: Setting) -> Steps[SliceSearch]:
    push_beam.prepare()
    yield
    forward, backward = setting.tables
    tables = yield from fess_tables_in_steps(setting.board, setting.squares, forward.ground)
    boxes = backward.ground.goals
    few_boxes = setting.few_boxes[0]
    tables = tables._replace(is_matched=are_all_matched(forward.ground))
    return PushBeam(
        tables,
        boxes,
        setting.player,
        setting.pruning,
        few_boxes,
        setting.pulls,
        schedule=push_beam.FROM_START,
        # Not the seed of the pulls: by 0 Microban II 131 stays open.
        seed=2 * setting.seed + 1,
    )


def _astar(setting: Setting) -> Steps[SliceSearch]:
    """Single pushes by a close lower bound, which macro moves lose sight of on open boards."""
    yield
    level = from_board(setting.board)
    if level is not None:
        return Counted(OneWord(level, "pushes"), floods=1, is_complete=True)
    ground = setting.tables[0].ground
    astar = AStar(
        setting.board, setting.squares, ground, "any", setting.pruning, setting.few_boxes[0]
    )
    return Counted(astar, floods=2 * len(ground.goals), is_complete=True)


SLICES = {
    one.name: one
    for one in (
        Slice("bidirectional", _bidirectional, share=3),
        Slice("astar", _astar),
        Slice("fess", _fess, share=2, parts=(*ADVISORS, REPLANS)),
        Slice("fess-sink", partial(_fess, has_one_sink=True), share=2, parts=(*ADVISORS, REPLANS)),
        Slice("targets", _targets, share=4, first_round=2),
        Slice("pull-beam", _pull_beam, share=6, first_round=2, parts=(MIDWAY,)),
        Slice("push-beam", _push_beam, share=4, first_round=2),
    )
}

# What ``without`` may name.
PARTS = frozenset({FIRST, *(part for one in SLICES.values() for part in (one.name, *one.parts))})


def stages(
    board: Board, memory_limit_mb: float, without: frozenset[str] = frozenset(), seed: int = 0
) -> Stages:
    """The search for any solution of a board that is neither solved nor hopeless."""
    squares, ground = Squares(board), None
    level = from_board(board)
    if FIRST in without:
        pass
    elif level is not None:
        yield Stage(OneWord(level, "any"), _FEW_EXPANSIONS)
    else:
        ground = yield from ground_in_steps(board, squares)
        yield Stage(AStar(board, squares, ground, "any"), _FEW_EXPANSIONS_OF_SQUARES)
    setting = yield from setting_in_steps(board, squares, ground, without, seed)
    chosen = [one for name, one in SLICES.items() if name not in without]
    yield Stage(Portfolio(setting, chosen, memory_limit_mb))


class _Running:
    """A slice, and its search once that is set up."""

    def __init__(self, plan: Slice, setting: Setting) -> None:
        self.plan = plan
        self.search: SliceSearch | None = None
        self.turn_ends = 0  # at so much of its work
        self._steps = plan.start(setting)
        self._pulls = setting.pulls

    def set_up(self) -> bool:
        """Does one step of it; returns whether it is done."""
        try:
            next(self._steps)
        except StopIteration as end:
            self.search = end.value
            if isinstance(self.search, FromTheEnd):
                self._pulls.append(self.search)
            return True
        return False

    @property
    def num_bytes(self) -> int:
        return 0 if self.search is None else self.search.num_bytes()

    @property
    def num_expansions(self) -> int:
        return 0 if self.search is None else self.search.progress(0.0).expansions


class Portfolio:
    """Slices in turns, as one search.

    A slice ends, and its arrays are released, when its search is over, or when memory is full and
    it holds most in proportion to its share. Only a complete slice answers EXHAUSTED.
    """

    def __init__(self, setting: Setting, plans: Sequence[Slice], memory_limit_mb: float) -> None:
        self._setting = setting
        self._slices = [_Running(plan, setting) for plan in plans]
        self._memory_limit_bytes = memory_limit_mb * 1e6
        self._ended_expansions = 0
        self._was_full = False  # a slice has ended for want of memory
        self._round = -1
        self._turns: Iterator[_Running] = iter(())
        self._now = self._next()

    @property
    def name(self) -> str:
        """As ``single.Search`` says: of the slice that has its turn."""
        now = self._now
        return "portfolio" if now is None or now.search is None else now.search.name

    def go_on(self, budget: int, max_expansions: int | None) -> Outcome:
        """As ``single.Search`` says: within one turn, or a step of setting a slice up."""
        now = self._now
        if now is None:
            return Outcome.STORE_FULL if self._was_full else Outcome.INCONCLUSIVE
        if now.search is None:
            if now.set_up():
                now.turn_ends = self._turn_length(now)
                self._make_room(now)
            return Outcome.BUDGET_SPENT
        search = now.search
        left = max_expansions
        if left is not None:
            left += now.num_expansions - self.progress(0.0).expansions
        outcome = search.go_on(min(budget, now.turn_ends - search.work), left)
        if outcome == Outcome.SOLVED or (outcome == Outcome.EXHAUSTED and search.is_complete):
            return outcome
        if outcome == Outcome.STORE_FULL:
            self._make_room(now, is_growing=True)
            return Outcome.STORE_FULL if now in self._slices else Outcome.BUDGET_SPENT
        if outcome != Outcome.BUDGET_SPENT:
            self._end(now)
            return Outcome.BUDGET_SPENT
        self._make_room(now)  # a search may have made tables, without a store that was full
        if now is self._now and search.work >= now.turn_ends:
            self._now = self._next()
        return Outcome.BUDGET_SPENT

    def _next(self) -> _Running | None:
        """The slice of the next turn; None if all have ended."""
        while self._slices:
            for running in self._turns:
                if running in self._slices and running.plan.first_round <= self._round:
                    if running.search is not None:
                        # A search may have done more than it was asked for.
                        running.turn_ends = running.search.work + self._turn_length(running)
                    return running
            self._round += 1
            self._turns = iter(list(self._slices))
        return None

    def _turn_length(self, running: _Running) -> int:
        return _TURN * (1 if self._round < _EQUAL_ROUNDS else running.plan.share)

    def _make_room(self, now: _Running, *, is_growing: bool = False) -> None:
        """Ends slices while memory does not suffice, but never the last one."""
        assert now.search is not None
        more = now.search.num_bytes_while_growing() - now.num_bytes if is_growing else 0

        def held(running: _Running) -> float:
            return (running.num_bytes + more * (running is now)) / running.plan.share

        while len(self._slices) > 1 and self.num_bytes() + more > self._memory_limit_bytes:
            self._was_full = True
            most = max(reversed(self._slices), key=held)
            self._end(most)
            if most is now:
                return

    def _end(self, running: _Running) -> None:
        """Releases what a slice holds."""
        self._ended_expansions += running.num_expansions
        self._slices.remove(running)
        pulls = self._setting.pulls
        pulls[:] = [search for search in pulls if search is not running.search]
        running.search = None
        if running is self._now:
            self._now = self._next()

    def progress(self, elapsed_s: float) -> Progress:
        """As ``single.Search`` says: sums over the slices."""
        searches = [one.search for one in self._slices if one.search is not None]
        found = [search.progress(elapsed_s) for search in searches]
        expansions = self._ended_expansions + sum(one.expansions for one in found)
        return Progress(expansions, sum(one.positions for one in found), elapsed_s)

    def num_bytes(self) -> int:
        """As ``single.Search`` says."""
        return self._setting.num_bytes + sum(one.num_bytes for one in self._slices)

    def num_bytes_while_growing(self) -> int:
        """As ``single.Search`` says; above any limit where every slice has ended."""
        if self._now is None:
            return 1 << 62
        if self._now.search is None:
            return self.num_bytes()
        now = self._now.search
        return self.num_bytes() - now.num_bytes() + now.num_bytes_while_growing()

    def grow(self) -> None:
        """As ``single.Search`` says."""
        assert self._now is not None and self._now.search is not None
        self._now.search.grow()

    def directions(self) -> tuple[Direction, ...]:
        """As ``single.Search`` says."""
        assert self._now is not None and self._now.search is not None
        return self._now.search.directions()

    def optimum(self) -> Optimum | None:
        """As ``single.Search`` says."""
        assert self._now is not None and self._now.search is not None
        return self._now.search.optimum()
