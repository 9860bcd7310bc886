"""The portfolio: whose turn it is, who ends for want of memory, and what counts as a proof."""

import time
from collections.abc import Callable
from functools import partial
from itertools import count

import pytest

from tests.sokoban.brute_force import Shape, random_boards
from tests.sokoban.search.push_graph import can_be_solved
from tokoban.sokoban.board import Board, Direction
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.search.answer import Progress
from tokoban.sokoban.search.combine import portfolio
from tokoban.sokoban.search.combine.portfolio import (
    MEMBERS,
    Member,
    Portfolio,
    SearchContext,
    context_in_steps,
)
from tokoban.sokoban.search.level.ground import Squares
from tokoban.sokoban.search.limits import Limits
from tokoban.sokoban.search.outcome import Outcome
from tokoban.sokoban.search.pauses import Budget, Found, Search, Searcher, underway
from tokoban.sokoban.search.run import find_answer
from tokoban.sokoban.search.searches.astar import solver as astar_solver
from tokoban.sokoban.search.steps import Steps, completed

PUSH = parse_board("@$.")
CONTEXT = completed(context_in_steps(PUSH, Squares(PUSH)))
MEGABYTE = 1_000_000


class Fake:
    """Works as it is told: each unit is an expansion, and some of them ask for twice the memory."""

    def __init__(
        self,
        name: str,
        *,
        at_end: Outcome = Outcome.SOLVED,
        ends_at: int = 1 << 60,
        is_complete: bool = True,
        grows_at: tuple[int, ...] = (),
        overshoot: int = 1,
        first_mb: int = 1,
    ) -> None:
        self.name, self.is_complete, self.work = name, is_complete, 0
        self.at_end, self.ends_at = at_end, ends_at
        self.grows_at, self.overshoot, self.mb = list(grows_at), overshoot, first_mb

    def pause(self) -> Progress:
        return Progress(
            self.name, self.work, 3 * self.work, work=self.work, num_bytes=self.mb * MEGABYTE
        )

    def search(self, budget: Budget) -> Search:
        while True:
            stop_at = min(self.work + budget.work, budget.expansions)
            while self.work < stop_at:
                if self.grows_at and self.work >= self.grows_at[0]:
                    yield self.pause()._replace(growing_bytes=3 * self.mb * MEGABYTE)
                    self.mb *= 2
                    self.grows_at.pop(0)
                if self.work >= self.ends_at:
                    return Found(self.at_end, self.pause(), (Direction.RIGHT,))
                self.work += self.overshoot
            budget = yield self.pause()


def plan(search: Fake, share: int = 1, first_round: int = 0, steps: int = 2) -> Member:
    def start(_: SearchContext) -> Steps[Searcher]:
        for _step in range(steps):
            yield
        return search

    return Member(search.name, start, share, first_round, is_complete=search.is_complete)


def portfolio_of(*plans: Member, memory_limit_mb: float = 100.0) -> Portfolio:
    # The arrays of the context are not what is tested.
    limits = Limits(memory_limit_mb=memory_limit_mb + CONTEXT.num_bytes / MEGABYTE)
    return Portfolio(CONTEXT, plans, limits)


def turns(search: Portfolio, budget: int, num_calls: int) -> list[str]:
    """The members by units of work, in the order in which they were done."""
    done: list[str] = []
    before, going = 0, underway(search)
    for _ in range(num_calls):
        name = going.pause.working or ""
        assert going.go_on(Budget(budget)) is None
        done += [name] * (going.pause.expansions - before)
        before = going.pause.expansions
    return done


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(portfolio, "_TURN", 5)


def test_turns_are_by_share_and_begin_in_a_first_round(short: None) -> None:
    search = portfolio_of(plan(Fake("a"), share=3), plan(Fake("b")), plan(Fake("c"), first_round=2))
    done = "".join(turns(search, 1, 86))
    assert done.startswith(("a" * 15 + "bbbbb") * 2 + "a" * 15 + "bbbbb" + "ccccc")


@pytest.mark.parametrize("overshoot", [1, 3])
def test_turns_do_not_depend_on_how_they_are_cut(short: None, overshoot: int) -> None:
    def made() -> Portfolio:
        first = Fake("a", overshoot=overshoot, grows_at=(7, 19))
        return portfolio_of(plan(first, share=2), plan(Fake("b"), steps=0), plan(Fake("c")))

    whole = turns(made(), 1 << 30, 40)
    cut = turns(made(), 2, 400)
    assert len(whole) > 80
    assert cut[: len(whole)] == whole[: len(cut)]


def test_only_a_complete_member_that_is_exhausted_proves_anything(short: None) -> None:
    guess = Fake("guess", at_end=Outcome.EXHAUSTED, ends_at=3, is_complete=False)
    proof = Fake("proof", at_end=Outcome.EXHAUSTED, ends_at=17)
    answer = find_answer(PUSH, portfolio_of(plan(guess), plan(proof)).search, Limits())
    assert (answer.status, answer.solver, answer.num_expansions) == ("unsolvable", "proof", 20)
    lonely = Fake("guess", at_end=Outcome.EXHAUSTED, ends_at=3, is_complete=False)
    given_up = find_answer(PUSH, portfolio_of(plan(lonely)).search, Limits())
    assert given_up.status == "gave up"
    assert given_up.reason == "searches that may miss solutions"


def test_a_member_that_finds_nothing_ends_and_the_others_go_on(short: None) -> None:
    too_long = Fake("astar", at_end=Outcome.TOO_LONG, ends_at=2)
    solver = Fake("solver", at_end=Outcome.SOLVED, ends_at=31)
    search = portfolio_of(plan(too_long), plan(solver))
    answer = find_answer(PUSH, search.search, Limits())
    assert (answer.status, answer.solver, answer.num_expansions) == ("solved", "solver", 33)


def test_when_memory_is_full_who_holds_most_by_its_share_ends_and_the_last_goes_on_alone(
    short: None,
) -> None:
    # b asks for 9 MB in all, which is less by its share than the 4 MB of a.
    a, b = Fake("a", first_mb=4), Fake("b", first_mb=3, grows_at=(12, 40, 41))
    search = portfolio_of(plan(a), plan(b, share=3), memory_limit_mb=12.0)
    done = turns(search, 1, 44)
    assert search.pause().num_bytes == CONTEXT.num_bytes + 6 * MEGABYTE
    assert set(done[20:]) == {"b"}
    assert search.pause().positions == 3 * b.work  # what a held is gone
    assert search.pause().expansions == a.work + b.work  # and what it did counts
    alone = find_answer(PUSH, search.search, Limits(memory_limit_mb=12.0))
    assert (alone.status, alone.solver, alone.reason) == ("gave up", "b", "12 MB")


def test_no_member_expands_more_than_is_left_for_all(short: None) -> None:
    search = portfolio_of(plan(Fake("a")), plan(Fake("b")))
    answer = find_answer(PUSH, search.search, Limits(max_expansions=18))
    assert (answer.num_expansions, answer.reason) == (18, "18 expansions")


def found(board: Board, clock: Callable[[], float]) -> tuple[tuple[str, str, int, str], set]:
    """What is found, and which members have worked."""
    working: set[str | None] = set()
    answer = find_answer(
        board,
        partial(portfolio.search, board=board, limits=Limits()),
        Limits(clock=clock),
        report=lambda progress: working.add(progress.working),
    )
    return (answer.status, answer.solver, answer.num_expansions, str(answer.solution)), working


def test_verdicts_are_those_of_brute_force_whatever_the_clock_and_the_turns(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # As if no board were small, so that the portfolio decides.
    monkeypatch.setattr(portfolio, "_FEW_EXPANSIONS", 1)
    monkeypatch.setattr(portfolio, "_FEW_EXPANSIONS_OF_SQUARES", 1)
    monkeypatch.setattr(portfolio, "_TURN", 7)
    solvers: set[str] = set()
    shapes = Shape(4, 5, 3, is_closed=True), Shape(2, 10, 3, is_closed=False)
    boards = [board for shape in shapes for board in random_boards(shape, 24, seed=46)]
    for board in boards:
        if board.is_solved:
            continue
        told, working = found(board, time.perf_counter)
        assert told[0] == ("solved" if can_be_solved(board) else "unsolvable")
        # A clock that ticks whenever it is read makes every member of time the shortest.
        assert found(board, count(0.0).__next__)[0] == told
        solvers.add(told[1])
        if told[1] in MEMBERS:
            assert told[1] in working
    assert len(solvers) >= 2


def test_what_astar_cannot_count_is_left_to_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(astar_solver, "MAX_PRICE", 9)
    row = "@-$" + "-" * 80 + "."
    told, _ = found(parse_board(row), time.perf_counter)
    assert told[0] == "solved"
