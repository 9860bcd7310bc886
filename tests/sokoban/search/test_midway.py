"""Pushes to positions midway: what they find solves the board, and what they cut off is dead."""

from collections.abc import Set

import numpy as np
import pytest

from tests.sokoban.brute_force import Shape, random_boards
from tests.sokoban.search.push_graph import (
    Position,
    board_at,
    can_be_solved,
    position_of,
    push_graph,
)
from tests.sokoban.search.test_pull_beam import PUZZLES
from tokoban.sokoban import rules
from tokoban.sokoban.board import Board
from tokoban.sokoban.formats.level import Solution
from tokoban.sokoban.search import beam_rounds, pull_beam, push_beam
from tokoban.sokoban.search.ground import Squares, build_ground, with_goals_in_steps
from tokoban.sokoban.search.limits import Limits
from tokoban.sokoban.search.midway import Midway
from tokoban.sokoban.search.one_box import Step
from tokoban.sokoban.search.outcome import Outcome
from tokoban.sokoban.search.portfolio import SLICES, Portfolio, setting_in_steps
from tokoban.sokoban.search.portfolio import stages as stages_of
from tokoban.sokoban.search.push_beam import PushBeam
from tokoban.sokoban.search.single import Stage, Stages, find_answer
from tokoban.sokoban.search.steps import completed


@pytest.fixture(autouse=True)
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rounds of one position that end soon, so that pushes from the start are needed."""
    monkeypatch.setattr(beam_rounds, "_FIRST_WIDTH", 1)
    monkeypatch.setattr(pull_beam, "PATIENCE", 3)
    monkeypatch.setattr(push_beam, "PATIENCE", 3)


def search_of(board: Board) -> Midway:
    setting = completed(setting_in_steps(board, Squares(board)))
    search = completed(SLICES["pull-beam"].start(setting))
    assert isinstance(search, Midway)
    return search


def boards() -> list[Board]:
    every = random_boards(Shape(5, 6, 3, is_closed=True), 24, seed=3)
    return [*PUZZLES, *(board for board in every if not board.is_solved)]


def go_on(search: Midway, budget: int = 1 << 12) -> Outcome:
    """As the solver does; growing in between, as far as was announced."""
    outcome = search.go_on(budget, None)
    if outcome == Outcome.STORE_FULL:
        bound = search.num_bytes_while_growing()
        search.grow()
        assert search.num_bytes() <= bound
    return outcome


def test_what_is_found_solves_the_board_and_nothing_is_proved() -> None:
    num_by_pushes = num_hopeless = 0
    for board in boards():

        def stages(board: Board = board) -> Stages:
            setting = yield from setting_in_steps(board, Squares(board))
            yield Stage(Portfolio(setting, [SLICES["pull-beam"]], 2000.0))

        # Solutions are replayed by the rules, or this raises.
        answer = find_answer(board, stages, Limits(max_expansions=3000))
        assert answer.status != "unsolvable" or answer.solver == "rules"
        if not can_be_solved(board):
            assert answer.status != "solved"
            num_hopeless += 1
        elif answer.solver != "rules":
            assert answer.status == "solved"
            search = search_of(board)
            while go_on(search) != Outcome.SOLVED:
                pass
            Solution.of(board, search.directions())
            num_by_pushes += search._relay.later is not None
    assert num_by_pushes >= 3 and num_hopeless >= 2


def position_after(board: Board, path: list[Step], length: int) -> Position:
    """The position of the path after so many of its pulls."""
    squares, boxes = Squares(board).squares, set(board.goals)
    for step in path[:length]:
        boxes = boxes - {squares[step.end]} | {squares[step.box]}
    return position_of(board_at(board, (frozenset(boxes), squares[path[length].player])))


def pull(search: Midway) -> None:
    """Goes on with pulls alone for a while."""
    pulls = search._pulls
    while pulls.progress(0.0).expansions < 200 and not pulls.is_over:
        outcome = pulls.go_on(1, None)
        if outcome == Outcome.STORE_FULL:
            pulls.grow()
        elif outcome != Outcome.BUDGET_SPENT:
            break


def paths_of(board: Board, reached: Set[Position]) -> list[list[Step]]:
    """Those to some positions that a wide beam of pulls keeps, in and out of reach of the start."""
    search = search_of(board)
    pull(search)
    pulls = search._pulls
    known = int(pulls._positions.num_known[0])
    paths = [pulls.steps_to_end(i)[::-1] for i in range(known)]
    chosen: dict[bool, list[list[Step]]] = {False: [], True: []}
    for path in paths[::-1]:
        if len(path) >= 2:
            chosen[position_after(board, path, len(path) - 1) in reached].append(path)
    return chosen[False][:4] + chosen[True][:: len(chosen[True]) // 4 + 1]


def aim(search: Midway, path: list[Step], length: int) -> None:
    """Has pushes next to the position after so many steps of the path, and work enough."""
    search._pulls._rounds.path_of_round = search._pulls._rounds._best_path = path
    search._work_left = 1 << 20
    search._aim(length)


def check_region(search: Midway, board: Board) -> int:
    """That no solution is claimed if the player is elsewhere; returns how often that was tried."""
    assert search._relay.later is not None
    to_position = search._relay.later.directions()
    here = rules.play(board, to_position)[-1]
    if here.is_solved:  # another position was met
        return 0
    path, length = search._pulls.path, search._length
    assert search._whole(to_position) == search.directions()
    elsewhere = board.inside() - here.boxes - here.area()
    for square in elsewhere:
        path[length] = path[length]._replace(player=Squares(board).number[square])
        assert search._whole(to_position) == ()
    return len(elsewhere)


def test_a_path_is_gone_on_from_where_it_can_be_and_cut_where_it_cannot(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Beams that drop nothing decide.
    monkeypatch.setattr(beam_rounds, "_FIRST_WIDTH", 1 << 12)
    num_solved = num_cut = num_elsewhere = 0
    for board in boards():
        reached = push_graph(board).keys()
        for path in paths_of(board, reached):
            search = search_of(board)
            pulls, length = search._pulls, len(path) - 1
            aim(search, path, length)
            cuts: list[list[Step]] = []  # the paths that are left
            while (outcome := go_on(search)) != Outcome.SOLVED and search._work_left > 0:
                if pulls.path not in [path, *cuts]:
                    cuts.append(pulls.path)
                    assert pulls._rounds._best_path is pulls.path
                    assert len(pulls.path) == length - 1
                    if 0 < length // 2 < len(pulls.path):
                        length //= 2  # is tried next
                        assert search._relay._steps is not None
                    assert search._length == length
                if search._relay.later is None and search._relay._steps is None:
                    break
                assert search._length < len(pulls.path)  # the next step says where the player is
            boxes, region = position_after(board, path, len(path) - 1)
            # Where the player comes to another region first, the position is given up.
            if {here for there, here in reached if there == boxes} == {region}:
                assert outcome == Outcome.SOLVED
            if outcome == Outcome.SOLVED:
                Solution.of(board, search.directions())
                num_solved += not cuts
                num_elsewhere += check_region(search, board)
            for left in cuts:
                dead, _ = position_after(board, path, len(left) + 1)
                assert all(dead != boxes for boxes, _ in reached)
            num_cut += len(cuts)
    assert num_solved >= 20 and num_cut >= 5 and num_elsewhere > 0


def test_pushes_may_end_at_any_position_of_the_round(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beam_rounds, "_FIRST_WIDTH", 1 << 12)
    num_met = 0
    for board in PUZZLES:
        reached = push_graph(board).keys()
        for path in paths_of(board, reached):
            if position_after(board, path, len(path) - 1) in reached:
                continue
            search = search_of(board)
            pull(search)
            aim(search, path, len(path) - 1)
            while (outcome := go_on(search)) == Outcome.BUDGET_SPENT and search._pulls.path is path:
                pass
            if outcome == Outcome.SOLVED:
                Solution.of(board, search.directions())
                num_met += 1
    assert num_met > 0


def test_pushes_get_the_work_of_the_pulls_however_it_is_cut() -> None:
    for board in PUZZLES:
        found = set()
        for budget in (1, 1 << 20):
            search = search_of(board)
            work, of_round = [0, 0], 0  # of pulls, of pushes; of the pulls of a round
            outcome = Outcome.BUDGET_SPENT
            while outcome != Outcome.SOLVED:
                is_pushing, before = search._relay.later is not None, search.work
                is_setting_up, num_rounds = search._relay._steps is not None, search._num_rounds
                outcome = go_on(search, budget)
                if not is_setting_up:
                    work[is_pushing] += search.work - before
                if not is_pushing and not is_setting_up:
                    of_round += search.work - before
                if search._num_rounds > num_rounds:
                    assert search._work_left == of_round > 0
                    of_round = 0
            # A unit of work may be exceeded by a test for deadlocks or a count.
            assert work[1] <= 1.5 * work[0] + 200
            found.add((search.directions(), search.work, search.progress(0.0)))
        assert len(found) == 1


def test_pulls_and_pushes_have_different_seeds_and_pushes_midway_their_own_schedule() -> None:
    stage = [one for one in stages_of(PUZZLES[0], 2000.0, seed=3) if one is not None][-1]
    assert isinstance(stage.search, Portfolio)
    setting = stage.search._setting
    pushes = completed(SLICES["push-beam"].start(setting))
    assert isinstance(pushes, PushBeam)
    assert pushes._rounds.now.seed == 7 and pushes._rounds._schedule is push_beam.FROM_START
    search = completed(SLICES["pull-beam"].start(setting))
    assert isinstance(search, Midway)
    assert search._pulls._rounds.now.seed == 6
    while search._relay.later is None:
        assert go_on(search) != Outcome.SOLVED
    rounds = search._relay.later._rounds
    assert rounds.now.seed == 6 and rounds._schedule is push_beam.TO_POSITIONS


def test_a_ground_with_other_goals_is_that_of_the_board_with_them() -> None:
    for board in boards():
        squares = Squares(board)
        other = Board(
            board.height, board.width, board.walls, board.boxes, board.boxes, board.player
        )
        numbers = squares.numbers(board.boxes)
        ground = completed(with_goals_in_steps(build_ground(board, squares), numbers))
        for one, two in zip(ground, build_ground(other, squares), strict=True):
            assert np.array_equal(one, two)
