"""One search in slices: how long they are, what ends them, and whom they tell."""

import json
import os
import subprocess
import sys
import threading
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path

import pytest

from tokoban.sokoban.board import Board, Direction, Square
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.search.answer import Progress
from tokoban.sokoban.search.limits import Limits
from tokoban.sokoban.search.outcome import Outcome
from tokoban.sokoban.search.pauses import (
    Budget,
    Found,
    Search,
    Searcher,
    Underway,
    go_on_until,
    set_up,
)
from tokoban.sokoban.search.run import find_answer
from tokoban.sokoban.search.steps import Steps

REPOSITORY = Path(__file__).resolve().parents[3]
PUSH = parse_board("@$.")
MEGABYTE = 1_000_000


class Scripted:
    """Pauses so often, the last pause again and again, and then ends with an outcome."""

    def __init__(
        self,
        *,
        num_pauses: int = 1 << 62,
        outcome: Outcome = Outcome.SOLVED,
        solution: tuple[Direction, ...] = (Direction.RIGHT,),
        is_growing: bool = False,
    ) -> None:
        self.num_pauses, self.outcome = num_pauses, outcome
        self.solution, self.is_growing = solution, is_growing
        self.budgets: list[int] = []
        self.room = 1

    def pause(self) -> Progress:
        done = len(self.budgets)
        growing_bytes = 3 * self.room * MEGABYTE if self.is_growing else 0
        return Progress(
            "scripted",
            7 * done,
            11 * done,
            at_least=13,
            num_bytes=self.room * MEGABYTE,
            growing_bytes=growing_bytes,
        )

    def search(self, budget: Budget) -> Search:
        self.budgets.append(budget.work)
        while len(self.budgets) <= self.num_pauses:
            budget = yield self.pause()
            self.room *= 1 + self.is_growing
            self.budgets.append(budget.work)
        return Found(self.outcome, self.pause(), self.solution)


def set_flag() -> threading.Event:
    flag = threading.Event()
    flag.set()
    return flag


def ticks(step_s: float):
    """A clock that goes on by so much whenever it is read."""
    return count(0.0, step_s).__next__


def test_short_slices_are_doubled_the_shortest_grow_eightfold_and_long_ones_are_halved() -> None:
    search = Scripted()
    assert isinstance(search, Searcher)
    find_answer(PUSH, search.search, Limits(time_limit_s=0.1, clock=ticks(0.002)))
    assert search.budgets[:5] == [1, 2, 4, 8, 16]
    search = Scripted()
    find_answer(PUSH, search.search, Limits(time_limit_s=0.1, clock=ticks(0.001)))
    assert search.budgets[:5] == [1, 8, 64, 512, 4096]
    search = Scripted()
    seconds = iter([*(0.0,) * 11, *range(1, 99)])
    find_answer(PUSH, search.search, Limits(time_limit_s=30.0, clock=lambda: float(next(seconds))))
    peak = search.budgets.index(max(search.budgets))
    most = search.budgets[peak]
    halved = [most >> i for i in range(most.bit_length())]
    assert search.budgets[peak : peak + len(halved) + 1] == [*halved, 1]


def test_only_work_of_the_search_whose_turn_it_is_makes_slices_longer() -> None:
    class Turns(Scripted):
        """Two searches; in the fourth and fifth slice the second makes a table, or it grows."""

        def __init__(self, growing_bytes: int) -> None:
            super().__init__()
            self.growing_bytes = growing_bytes  # that it asks for in the fourth slice

        def pause(self) -> Progress:
            done = len(self.budgets)
            name = "first" if done < 3 else "second"  # of the one that is next
            expansions = 7 * (done - min(max(done - 3, 0), 2))
            return Progress(name, expansions, growing_bytes=self.growing_bytes * (done == 4))

    for growing_bytes in (0, 1):
        search = Turns(growing_bytes)
        find_answer(PUSH, search.search, Limits(time_limit_s=0.1, clock=ticks(0.001)))
        assert search.budgets[:8] == [1, 8, 64, 1, 1, 1, 8, 64]


@pytest.mark.parametrize(
    ("outcome", "status"), [(Outcome.SOLVED, "solved"), (Outcome.EXHAUSTED, "unsolvable")]
)
def test_what_is_known_at_the_last_moment_is_no_limit(outcome: Outcome, status: str) -> None:
    search = Scripted(num_pauses=1, outcome=outcome)
    limits = Limits(max_expansions=14, time_limit_s=0.0, memory_limit_mb=0.9, clock=ticks(0))
    answer = find_answer(PUSH, Scripted(num_pauses=0, outcome=outcome).search, limits)
    assert answer.status == status
    found = find_answer(PUSH, search.search, Limits(max_expansions=14, clock=ticks(0)))
    assert found.status == status
    assert found.num_expansions == 14


@pytest.mark.parametrize(
    ("limits", "search", "limit"),
    [
        (Limits(max_expansions=14), Scripted(), "14 expansions"),
        (Limits(max_expansions=13), Scripted(), "13 expansions"),
        (Limits(time_limit_s=2.5), Scripted(), "2.5 s"),
        (Limits(memory_limit_mb=0.9), Scripted(), "0.9 MB"),
        (Limits(memory_limit_mb=2.9), Scripted(is_growing=True), "2.9 MB"),
        (Limits(), Scripted(num_pauses=1, outcome=Outcome.STORE_FULL), "2000 MB"),
        (Limits(stop=set_flag()), Scripted(), "stopped"),
        (Limits(), Scripted(num_pauses=1, outcome=Outcome.TOO_LONG), "a price of 65536"),
    ],
)
def test_a_limit_ends_the_search(limits: Limits, search: Scripted, limit: str) -> None:
    limits = replace(limits, clock=ticks(0.25))
    answer = find_answer(PUSH, search.search, limits, minimise="moves")
    assert answer.status == "gave up"
    assert (answer.reason, answer.at_least_moves) == (limit, 13)
    assert answer.at_least_pushes is None


def test_a_search_grows_as_long_as_the_old_room_and_the_new_one_fit() -> None:
    search = Scripted(is_growing=True)
    answer = find_answer(PUSH, search.search, Limits(memory_limit_mb=12.0, clock=ticks(0)))
    assert answer.status == "gave up"
    assert (answer.reason, search.room) == ("12 MB", 8)


def test_a_part_of_a_search_has_its_own_limits_and_counts_towards_those_of_the_whole() -> None:
    """Budgets of the part leave out what the rest of the search has expanded."""
    budgets: list[Budget] = []

    def part(budget: Budget) -> Search:
        for expansions in range(10, 100, 10):
            budgets.append(budget)
            budget = yield Progress("part", expansions, work=5 * expansions)
        return Found(Outcome.EXHAUSTED, Progress("part", 100))

    going = Underway(part)

    def whole() -> Progress:
        return going.pause.beside(Progress(expansions=1000))._replace(working="whole")

    def search(budget: Budget) -> Search:
        most = Budget(120, 77)
        found, budget = yield from go_on_until(
            lambda pause: pause.expansions >= 30, going, budget, most=most, whole=whole
        )
        assert found is None
        found, budget = yield from go_on_until(lambda pause: False, going, budget, whole=whole)
        assert found is not None
        return found._replace(last=whole())

    answer = find_answer(PUSH, search, Limits(max_expansions=1100, clock=ticks(0)))
    assert (answer.status, answer.solver, answer.num_expansions) == ("unsolvable", "whole", 1100)
    assert [budget.expansions for budget in budgets] == [77] * 3 + [100] * 6
    assert [budget.work for budget in budgets[:4]] == [1, 8, 20, 512]


def test_a_set_up_is_looked_at_between_its_steps() -> None:
    def endless() -> Steps[Searcher]:
        while True:
            yield

    limits = Limits(time_limit_s=2.5, clock=ticks(0.25))
    answer = find_answer(PUSH, partial(set_up, endless()), limits)
    assert (answer.status, answer.reason, answer.num_expansions) == ("gave up", "2.5 s", 0)
    assert answer.solver == "set-up"


def test_a_report_comes_before_each_slice_and_may_end_the_search() -> None:
    said: list[Progress] = []

    def report(progress: Progress) -> None:
        said.append(progress)
        if len(said) == 5:
            raise KeyboardInterrupt

    search = Scripted()
    with pytest.raises(KeyboardInterrupt):
        find_answer(PUSH, search.search, Limits(), report=report)
    assert [told.expansions for told in said] == [0, 7, 14, 21, 28]
    assert len(search.budgets) == 4


def nothing(_: Budget) -> Search:
    raise AssertionError("no search is needed")


@pytest.mark.parametrize(
    ("drawing", "status"), [("@*", "solved"), ("@$..", "unsolvable"), ("$@.|---", "unsolvable")]
)
def test_what_needs_no_search_gets_none(drawing: str, status: str) -> None:
    answer = find_answer(parse_board(drawing), nothing, Limits())
    assert (answer.status, answer.solver) == (status, "rules")


def test_a_solution_that_the_rules_refuse_is_never_returned() -> None:
    search = Scripted(num_pauses=0, solution=(Direction.LEFT,))
    with pytest.raises(RuntimeError, match="the rules refuse the solution"):
        find_answer(PUSH, search.search, Limits())


def test_tables_that_do_not_fit_are_not_made() -> None:
    # 4,096 squares, 31 * 31 boxes: 16 MB of sides, and 2 * 63 MB of pushes.
    squares = frozenset(
        Square(row, column) for row in range(1, 63, 2) for column in range(1, 63, 2)
    )
    goals = frozenset(square.neighbour(Direction.RIGHT) for square in squares)
    board = Board(64, 64, frozenset(), goals, squares, Square(0, 0))
    answer = find_answer(board, nothing, Limits(memory_limit_mb=142.0))
    assert answer.status == "gave up"
    assert answer.reason == "142 MB"
    with pytest.raises(AssertionError):
        find_answer(board, nothing, Limits(memory_limit_mb=143.0))


MEASURE = """
import json
from benchmarks.process_memory import peak_growth
from tests.sokoban.search.combine.test_solver import HARD
from tokoban.sokoban.search.combine import solver
from tokoban.sokoban.search.limits import Limits

on_words = solver.from_board
WAYS = [(on_words, "moves"), (on_words, "any"), (lambda board: None, "moves")]

def solve_all(**limits):
    for solver.from_board, objective in WAYS:
        yield solver.solve(HARD, minimise=objective, limits=Limits(**limits))

solver.prepare()
list(solve_all(max_expansions=101))
with peak_growth() as growth:
    answers = list(solve_all(memory_limit_mb=8.0))
print(json.dumps([[answer.reason for answer in answers], growth[0] / 1e6]))
"""


def test_no_search_takes_more_memory_from_the_machine_than_its_limit() -> None:
    if not Path("/proc/self/clear_refs").exists():
        pytest.skip("only Linux tells the peak of a part of a program")
    # Else what a first compilation has freed would be taken for the search's arrays, unseen.
    environment = os.environ | {"MALLOC_MMAP_THRESHOLD_": "100000"}
    done = subprocess.run(
        [sys.executable, "-c", MEASURE],
        cwd=REPOSITORY,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    limits, taken_mb = json.loads(done.stdout)
    assert limits == ["8 MB"] * 3
    assert 4 < taken_mb < 8
