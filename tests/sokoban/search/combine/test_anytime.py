"""Searches one after the other: which, for how long, what ends them, and what is known then."""

from itertools import count
from typing import Any

import pytest

from tokoban.sokoban.board import Board
from tokoban.sokoban.formats import Solution, parse_board
from tokoban.sokoban.search.answer import Answer, Objective, Optimum, Progress
from tokoban.sokoban.search.combine import solver
from tokoban.sokoban.search.combine.anytime import InterruptedSearch, best_answer, solve_anytime
from tokoban.sokoban.search.limits import Limits

PUSH = "#####\n#@$.#\n#####\n"


def best(
    board: Board,
    *,
    time_limit_s: float,
    minimise: Objective | None = None,
    report: Any = None,
    **limits: Any,
) -> Answer:
    asked = Limits(time_limit_s=time_limit_s, **limits)
    return best_answer(board, minimise=minimise, limits=asked, report=report)


def gave_up(limit: str, **at_least: Any) -> Answer:
    return Answer(
        status="gave up", solver="astar", reason=limit, num_expansions=5, elapsed_s=3.0, **at_least
    )


def solved(lurd: str, *, elapsed_s: float = 1.0, optimum: Optimum | None = None) -> Answer:
    return Answer(
        status="solved",
        solver="astar",
        solution=Solution(lurd),
        optimum=optimum,
        at_least_moves=len(lurd) if optimum == "moves" else None,
        at_least_pushes=sum(map(str.isupper, lurd)) if optimum == "pushes" else None,
        num_expansions=5,
        elapsed_s=elapsed_s,
    )


class FakeSolver:
    """Answers what it was told to, by what is minimised, and keeps what it was asked."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, **by_objective: Answer) -> None:
        self.by_objective = by_objective
        self.limits: dict[str, Limits] = {}
        monkeypatch.setattr(solver, "solve", self.solve)

    def solve(
        self, board: object, *, minimise: str, limits: Limits, report: Any, **_: Any
    ) -> Answer:
        self.limits[minimise] = limits
        report(Progress("fess", 1, 4, at_least=11, elapsed_s=2.0))
        return self.by_objective[minimise]


def test_the_search_looks_for_any_solution_then_for_the_fewest_moves_then_pushes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fake = FakeSolver(
        monkeypatch,
        any=solved("lrR"),
        moves=gave_up("5.5 s", at_least_moves=29),
        pushes=solved("R", elapsed_s=0.125, optimum="pushes"),
    )
    board = parse_board("######\n# @$.#\n######\n")
    answer = best(board, time_limit_s=12.0, max_expansions=7, memory_limit_mb=31.0)
    assert (answer.status, str(answer.solution), answer.optimum) == ("solved", "R", "pushes")
    assert answer.reason == "fewest moves not found within 5.5 s (at least 29)"
    assert (answer.at_least_moves, answer.at_least_pushes) == (29, 1)
    # Three quarters of 12 s, half of the 11 s that are left, the 8 s that are left.
    times = [limits.time_limit_s for limits in fake.limits.values()]
    assert times == [9.0, 5.5, 8.0]
    assert {limits.max_expansions for limits in fake.limits.values()} == {7}
    assert {limits.memory_limit_mb for limits in fake.limits.values()} == {31.0}
    assert (answer.elapsed_s, answer.num_expansions) == (4.125, 15)


def test_what_any_search_has_proved_is_not_looked_for_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first = solved("R", optimum="pushes")
    fake = FakeSolver(monkeypatch, any=first, moves=gave_up("6 s", at_least_moves=1))
    answer = best(parse_board(PUSH), time_limit_s=7.0)
    assert {name: limits.time_limit_s for name, limits in fake.limits.items()} == {
        "any": 5.25,
        "moves": 6.0,
    }
    assert (answer.status, answer.optimum) == ("solved", "pushes")
    assert answer.reason == "fewest moves not found within 6 s (at least 1)"
    assert (answer.at_least_moves, answer.at_least_pushes) == (1, 1)


def test_a_solution_is_reported_while_a_better_one_is_looked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first = solved("R")
    FakeSolver(monkeypatch, any=first, moves=gave_up("1 s"), pushes=gave_up("1 s"))
    told = list(solve_anytime(parse_board(PUSH), limits=Limits(time_limit_s=7.0)))
    assert [(answer.status, str(answer.solution), answer.reason) for answer in told] == [
        ("solved", "R", None),
        ("solved", "R", "fewest moves not found within 1 s; fewest pushes not found within 1 s"),
    ]


@pytest.mark.parametrize("minimise", [None, "any", "moves", "pushes"])
def test_no_moves_at_all_are_the_fewest(minimise: Objective | None) -> None:
    board = parse_board("######\n#@ #*#\n######\n")
    answer = best(board, time_limit_s=7.0, minimise=minimise)
    optimum = "pushes" if minimise == "pushes" else "moves"
    assert (answer.status, str(answer.solution), answer.optimum) == ("solved", "", optimum)
    assert (answer.at_least_moves, answer.at_least_pushes, answer.reason) == (0, 0, None)


def test_one_objective_has_all_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = FakeSolver(monkeypatch, pushes=gave_up("7 s"))
    answer = best(parse_board(PUSH), time_limit_s=7.0, minimise="pushes")
    assert list(fake.limits) == ["pushes"]
    assert fake.limits["pushes"].time_limit_s == 7.0
    assert (answer.status, answer.reason) == ("gave up", "fewest pushes not found within 7 s")


@pytest.mark.parametrize(("stopped_at", "status"), [("any", "gave up"), ("moves", "solved")])
def test_ctrl_c_is_raised_with_what_is_known(
    stopped_at: str, status: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    FakeSolver(monkeypatch, any=solved("R"), moves=gave_up("1 s"))

    def report(objective: Objective, progress: Progress) -> None:
        if objective == stopped_at:
            raise KeyboardInterrupt

    with pytest.raises(InterruptedSearch) as interrupt:
        best(parse_board(PUSH), time_limit_s=9.0, report=report)
    answer = interrupt.value.answer
    assert answer.status == status
    assert answer.solver == ("astar" if status == "solved" else "fess")
    assert "stopped after 2.0 s and 1 expansion for " in answer.reason
    assert answer.at_least_moves == (11 if status == "solved" else None)
    assert answer.num_expansions == (6 if status == "solved" else 1)


def test_an_error_of_a_report_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    FakeSolver(monkeypatch, any=solved("R"))

    def report(objective: Objective, progress: Progress) -> None:
        raise ValueError("an error of the report")

    with pytest.raises(ValueError, match="an error of the report"):
        best(parse_board(PUSH), time_limit_s=9.0, report=report)


def test_a_level_too_large_for_every_search_is_given_up() -> None:
    room = "\n".join(["#" * 67, "#@$." + " " * 62 + "#", *["#" + " " * 65 + "#"] * 63, "#" * 67])
    limits = Limits(time_limit_s=7.0, clock=count(0.0).__next__)
    answer = best_answer(parse_board(room), limits=limits)
    assert answer.status == "gave up"
    assert answer.elapsed_s > 0
    assert answer.reason == "expected at most 4096 squares of floor, got 4160"
