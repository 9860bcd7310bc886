"""Targets: what is found is a solution, and nothing that is not found proves anything."""

from functools import partial

import pytest

from tests.sokoban.brute_force import Shape, random_boards
from tokoban.sokoban import rules
from tokoban.sokoban.board import Board
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.search import relay, targets
from tokoban.sokoban.search.ground import Squares
from tokoban.sokoban.search.limits import Limits
from tokoban.sokoban.search.outcome import Outcome
from tokoban.sokoban.search.portfolio import SLICES, Portfolio, Setting, setting_in_steps
from tokoban.sokoban.search.single import Stage, Stages, find_answer
from tokoban.sokoban.search.steps import completed

# Four boxes in a room, and their goals around a corner.
ROOM = parse_board("##########|#------..#|#-$-$---.#|#-$-$-##.#|#--@--####|##########")


def setting_of(board: Board) -> Setting:
    return completed(setting_in_steps(board, Squares(board)))


def stages(board: Board) -> Stages:
    setting = yield from setting_in_steps(board, Squares(board))
    yield Stage(Portfolio(setting, [SLICES["targets"]], 2000.0))


@pytest.fixture
def early(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few pulls, so that pushes to a target have to find the solution."""
    monkeypatch.setattr(targets, "_PULLS", 3)


def test_what_is_found_solves_the_board_and_hopeless_boards_are_given_up(early: None) -> None:
    num_solved = num_hopeless = 0
    for board in [ROOM, *random_boards(Shape(5, 6, 3, is_closed=True), 16, seed=8)]:
        if board.is_solved:
            continue
        # Solutions are replayed by the rules, or this raises.
        answer = find_answer(board, partial(stages, board), Limits(max_expansions=3000))
        num_solved += answer.status == "solved"
        num_hopeless += answer.status == "gave up"
        assert answer.status != "unsolvable" or answer.solver == "rules"
    assert num_solved >= 4 and num_hopeless >= 2


def test_pushes_come_to_a_target_with_boxes_beside_goals_and_the_player_in_its_region(
    early: None,
) -> None:
    search = completed(SLICES["targets"].start(setting_of(ROOM)))
    outcome = search.go_on(1, None)
    while outcome in (Outcome.BUDGET_SPENT, Outcome.STORE_FULL):
        if outcome == Outcome.STORE_FULL:
            search.grow()
        outcome = search.go_on(1 << 10, None)
    assert outcome == Outcome.SOLVED
    assert isinstance(search, targets.Targets)
    target = search._targets[0]
    side = search._pulls.sides[1]
    goals = search._pulls.tables[0].ground.goals
    boxes = side.positions.boxes[target]
    assert sum(int(boxes[goal >> 6]) >> (goal & 63) & 1 for goal in goals.tolist()) < len(goals)
    fess = search._relay.later
    assert fess is not None and search._whole(fess.directions())
    # As if the pulls needed the player on a square that it cannot walk to.
    squares, here = Squares(ROOM), rules.play(ROOM, fess.directions())[-1]
    side.positions.player[target] = squares.number[min(ROOM.inside() - here.area())]
    assert not search._whole(fess.directions())


def test_setting_up_is_work_and_a_round_without_hope_is_the_last(
    early: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    # FESS sees at once that no target can be reached, for four boxes hold each other.
    hopeless = parse_board("#########|#-------#|#--$$---#|#--$$---#|#---....#|#-@-----#|#########")
    monkeypatch.setattr(targets, "_MOST_PULLS", 12)
    search = completed(SLICES["targets"].start(setting_of(hopeless)))
    works = [search.work]
    outcome = Outcome.BUDGET_SPENT
    while outcome == Outcome.BUDGET_SPENT and len(works) < 5000:
        outcome = search.go_on(1 << 20, None)
        works.append(search.work)
    assert outcome == Outcome.EXHAUSTED
    assert not search.is_complete
    assert search.work > 20 * relay._SETUP_WORK
