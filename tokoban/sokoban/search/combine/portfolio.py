"""Any solution: several searches of one board, which work in turns.

No search is better everywhere. Turns are counted in work, never by the clock, so that every machine
finds the same solution. docs/decisions/0054-the-searches.md has the reasons.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count

from tokoban.sokoban.board import Board
from tokoban.sokoban.search.answer import Progress
from tokoban.sokoban.search.bitboard.batch import OneWord
from tokoban.sokoban.search.bitboard.levels import from_board
from tokoban.sokoban.search.combine.waypoints import Waypoints
from tokoban.sokoban.search.level.ground import Ground, Squares, ground_in_steps, reversed_in_steps
from tokoban.sokoban.search.limits import UNLIMITED, Limits
from tokoban.sokoban.search.outcome import Outcome
from tokoban.sokoban.search.pauses import (
    Budget,
    Found,
    Search,
    Searcher,
    Turn,
    Underway,
    go_on_until,
    in_pauses,
    underway,
)
from tokoban.sokoban.search.rules.pruning import Pruning, empty_pruning
from tokoban.sokoban.search.searches.astar.solver import AStar
from tokoban.sokoban.search.searches.beam import pull_beam, push_beam
from tokoban.sokoban.search.searches.beam.meetings import FromTheEnd
from tokoban.sokoban.search.searches.beam.pull_beam import PullBeam
from tokoban.sokoban.search.searches.beam.push_beam import PushBeam
from tokoban.sokoban.search.searches.fess import solver as fess_solver
from tokoban.sokoban.search.searches.fess.advisors import ADVISORS
from tokoban.sokoban.search.searches.fess.solver import Fess, fess_in_steps
from tokoban.sokoban.search.searches.fess.tables import tables_in_steps
from tokoban.sokoban.search.state.positions import num_bytes
from tokoban.sokoban.search.steps import Steps

# Expansions of weighted A* before the portfolio, on boards of one word. Nearly all need fewer.
_FEW_EXPANSIONS = 10_000
# The same on larger boards, where one takes longer. On open boards A* needs about one for each push
# of the solution.
_FEW_EXPANSIONS_OF_SQUARES = 1_000
_TURN = 1 << 12  # the work of a turn, times the share of its member
# What may be left out besides whole members: the A* before all of them, and parts of members.
FIRST = "first-astar"
WAYPOINTS = "waypoints"  # of the beam of pulls
_LATE = 128  # a round that begins after some 10 s


@dataclass(frozen=True)
class SearchContext:
    """A board, and what all its searches share."""

    board: Board
    squares: Squares
    ground: Ground
    by_pulls: Ground  # the level played backwards
    learned: Pruning
    without: frozenset[str] = frozenset()  # parts of members that are left out, for ablations
    seed: int = 0  # chooses the order of equal candidates in the beams
    # The searches by pulls that now exist; searches by pushes may meet them.
    pulls: list[FromTheEnd] = field(default_factory=list)

    @property
    def player(self) -> int:
        """The number of the player's square."""
        return self.squares.number[self.board.player]

    @cached_property  # portfolios ask for it at each pause; no array grows
    def num_bytes(self) -> int:
        """Of the arrays."""
        return num_bytes((self.ground, self.by_pulls, self.learned))


def context_in_steps(
    board: Board,
    squares: Squares,
    ground: Ground | None = None,
    without: frozenset[str] = frozenset(),
    seed: int = 0,
) -> Steps[SearchContext]:
    """Computes what the searches of a board share; ``ground`` is that of the board, if known."""
    if ground is None:
        ground = yield from ground_in_steps(board, squares)
    by_pulls = yield from reversed_in_steps(ground, squares.numbers(board.boxes))
    learned = empty_pruning(len(ground.zone), len(ground.goals))
    return SearchContext(board, squares, ground, by_pulls, learned, without, seed)


@dataclass(frozen=True)
class Member:
    """How to set up a search of the portfolio, and when it works."""

    name: str
    start: Callable[[SearchContext], Steps[Searcher]]
    share: int = 1  # of the work, relative to the other members
    first_round: int = 0
    parts: tuple[str, ...] = ()  # the names that ``SearchContext.without`` may have for it
    is_complete: bool = True  # only sound rules drop positions, so that EXHAUSTED is a proof


def _fess(context: SearchContext) -> Steps[Searcher]:
    fess_solver.prepare()
    yield
    fess: Fess = yield from fess_in_steps(
        context.ground, context.by_pulls, context.player, context.learned, context.without
    )
    return fess


def _pull_beam(context: SearchContext) -> Steps[Searcher]:
    pull_beam.prepare()
    push_beam.prepare()
    yield
    goals, seed = context.ground.goals, 2 * context.seed
    beam = PullBeam(context.by_pulls, goals, context.player, seed=seed)
    if WAYPOINTS in context.without:
        return beam
    return Waypoints(context.board, context.squares, beam)


def _push_beam(context: SearchContext) -> Steps[Searcher]:
    push_beam.prepare()
    yield
    tables = yield from tables_in_steps(context.ground, context.by_pulls, context.player)
    return PushBeam(
        tables,
        context.by_pulls.goals,
        context.player,
        context.learned,
        context.pulls,
        schedule=push_beam.TO_GOALS,
        # Not the seed of the pulls, or both would order equal positions alike.
        seed=2 * context.seed + 1,
    )


def _astar(context: SearchContext) -> Steps[Searcher]:
    """Single pushes by a tight lower bound: on open boards macro moves get lost."""
    yield
    level = from_board(context.board)
    if level is not None:
        return OneWord(level, "pushes")
    work = 2 * len(context.ground.goals)
    return AStar(context.board, context.squares, context.ground, "any", context.learned, work=work)


MEMBERS = {
    one.name: one
    for one in (
        Member("astar", _astar),
        Member("fess", _fess, share=4, parts=ADVISORS),
        Member("pull-beam", _pull_beam, share=12, parts=(WAYPOINTS,), is_complete=False),
        # Few levels need it, so the levels that others solve quickly do not wait for it.
        Member("push-beam", _push_beam, share=8, first_round=_LATE, is_complete=False),
    )
}

# What ``without`` may name.
PARTS = frozenset({FIRST, *(part for one in MEMBERS.values() for part in (one.name, *one.parts))})


def search(
    budget: Budget,
    *,
    board: Board,
    limits: Limits,
    without: frozenset[str] = frozenset(),
    seed: int = 0,
) -> Search:
    """Any solution of a board that is neither solved nor hopeless."""
    squares, ground, before = Squares(board), None, Progress()
    if FIRST not in without:
        level = from_board(board)
        if level is not None:
            first, most = underway(OneWord(level, "any")), _FEW_EXPANSIONS
        else:
            ground, budget = yield from in_pauses(ground_in_steps(board, squares), Progress, budget)
            first, most = underway(AStar(board, squares, ground, "any")), _FEW_EXPANSIONS_OF_SQUARES

        def is_over(pause: Progress) -> bool:
            return pause.expansions >= most

        found, budget = yield from go_on_until(is_over, first, budget, most=Budget(UNLIMITED, most))
        # What weighted A* cannot count or store, the others may.
        if found is not None and found.outcome in {Outcome.SOLVED, Outcome.EXHAUSTED}:
            return found
        before = Progress(expansions=first.pause.expansions)
        del first
    steps = context_in_steps(board, squares, ground, without, seed)
    context, budget = yield from in_pauses(steps, lambda: before, budget)
    chosen = [one for name, one in MEMBERS.items() if name not in without]
    portfolio = Portfolio(context, chosen, limits, before.expansions)
    return (yield from portfolio.search(budget))


class _Running:
    """A member, and its search once that is set up."""

    def __init__(self, plan: Member) -> None:
        self.plan = plan
        self.searcher: Searcher | None = None
        self.search: Underway | None = None

    @property
    def pause(self) -> Progress:
        """The last pause of its search."""
        return Progress("portfolio") if self.search is None else self.search.pause


class Portfolio:
    """Members in turns, as one search.

    A member ends, and its arrays are released, when its search is over, or when memory is full and
    it holds most in proportion to its share. Only a complete member answers EXHAUSTED.
    """

    def __init__(
        self,
        context: SearchContext,
        plans: Sequence[Member],
        limits: Limits,
        expansions_before: int = 0,
    ) -> None:
        self._context = context
        self._members = [_Running(plan) for plan in plans]
        self._memory_limit_bytes = limits.memory_limit_mb * 1e6
        self._ended_expansions = expansions_before
        self._was_full = False  # a member has ended for want of memory

    def pause(self, working: _Running | None = None) -> Progress:
        """As ``Searcher`` says: sums over the members, in the turn of ``working`` if given."""
        whole = Progress("portfolio", self._ended_expansions, num_bytes=self._context.num_bytes)
        for member in self._members:
            whole = whole.beside(member.pause)
        if working is None:
            return whole
        return whole.growing_with(working.pause)._replace(working=working.pause.working)

    def search(self, budget: Budget) -> Search:
        """As ``Searcher`` says."""
        for number in count():
            for member in list(self._members):
                if member in self._members and member.plan.first_round <= number:
                    budget = yield self.pause(member)
                    length = _TURN * member.plan.share
                    found, budget = yield from self._turn(member, length, budget)
                    if found is not None:
                        return found
            if not self._members:
                break
        why = Outcome.STORE_FULL if self._was_full else Outcome.INCONCLUSIVE
        return Found(why, self.pause())

    def _turn(
        self, member: _Running, length: int, budget: Budget
    ) -> Turn[tuple[Found | None, Budget]]:
        """One turn of a member, of ``length`` units of work, or more if the search overshoots."""
        if member.search is None:
            searcher, budget = yield from in_pauses(
                member.plan.start(self._context), self.pause, budget
            )
            member.searcher, member.search = searcher, underway(searcher)
            if isinstance(searcher, FromTheEnd):
                self._context.pulls.append(searcher)
            self._make_room(member)
            budget = yield self.pause(member)
        turn_ends = member.pause.work + length
        while member.search is not None:
            others = self._ended_expansions
            others += sum(one.pause.expansions for one in self._members if one is not member)
            found = member.search.go_on(
                Budget(min(budget.work, turn_ends - member.pause.work), budget.expansions - others)
            )
            if found is None:
                self._make_room(member)  # a search may take memory for tables without growing
            elif found.outcome == Outcome.SOLVED or (
                found.outcome == Outcome.EXHAUSTED and member.plan.is_complete
            ):
                return found._replace(last=self.pause(member)), budget
            else:
                self._end(member)
            if member.pause.work >= turn_ends and not member.pause.growing_bytes:
                break
            if member.search is not None:
                budget = yield self.pause(member)
        return None, budget

    def _make_room(self, working: _Running) -> None:
        """Ends members while memory does not suffice, but never the last one."""

        def held(member: _Running) -> float:
            pause = member.pause
            most = pause.needed_bytes if member is working else pause.num_bytes
            return most / member.plan.share

        while len(self._members) > 1:
            pause = self.pause(working)
            if pause.needed_bytes <= self._memory_limit_bytes:
                return
            self._was_full = True
            most = max(reversed(self._members), key=held)
            self._end(most)
            if most is working:
                return

    def _end(self, member: _Running) -> None:
        """Releases what a member holds."""
        self._ended_expansions += member.pause.expansions
        self._members.remove(member)
        pulls = self._context.pulls
        pulls[:] = [search for search in pulls if search is not member.searcher]
        member.searcher = member.search = None
