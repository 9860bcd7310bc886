"""Targets: what is found is a solution, and nothing that is not found proves anything."""

from functools import partial

import pytest

from tests.sokoban.brute_force import Shape, random_boards
from tokoban.sokoban import rules
from tokoban.sokoban.board import Board, Direction
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.search.combine import pair, targets
from tokoban.sokoban.search.combine.portfolio import SLICES, Portfolio, Setting, setting_in_steps
from tokoban.sokoban.search.level.ground import Squares
from tokoban.sokoban.search.limits import Limits
from tokoban.sokoban.search.outcome import Outcome
from tokoban.sokoban.search.pauses import Budget, Searcher, found_by, set_up, underway
from tokoban.sokoban.search.run import find_answer
from tokoban.sokoban.search.steps import Steps, completed

# Four boxes in a room, and their goals around a corner.
ROOM = parse_board("##########|#------..#|#-$-$---.#|#-$-$-##.#|#--@--####|##########")


def setting_of(board: Board) -> Setting:
    return completed(setting_in_steps(board, Squares(board)))


def searcher(board: Board) -> Steps[Searcher]:
    setting = yield from setting_in_steps(board, Squares(board))
    return Portfolio(setting, [SLICES["targets"]], 2000.0)


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
        answer = find_answer(board, partial(set_up, searcher(board)), Limits(max_expansions=3000))
        num_solved += answer.status == "solved"
        num_hopeless += answer.status == "gave up"
        assert answer.status != "unsolvable" or answer.solver == "rules"
    assert num_solved >= 4 and num_hopeless >= 2


def test_pushes_come_to_a_target_with_boxes_beside_goals_and_the_player_in_its_region(
    early: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    aims: list[int] = []
    to_targets: list[tuple[Direction, ...]] = []
    whole = targets.Targets._whole

    def noted(
        self: targets.Targets, target: int, to_target: tuple[Direction, ...]
    ) -> tuple[Direction, ...]:
        aims.append(target)
        to_targets.append(to_target)
        return whole(self, target, to_target)

    monkeypatch.setattr(targets.Targets, "_whole", noted)
    search = completed(SLICES["targets"].start(setting_of(ROOM)))
    assert found_by(search, 1 << 10).outcome == Outcome.SOLVED
    assert isinstance(search, targets.Targets)
    target, to_target = aims[-1], to_targets[-1]
    side = search._pulls.sides[1]
    goals = search._pulls.tables[0].ground.goals
    boxes = side.positions.boxes[target]
    assert sum(int(boxes[goal >> 6]) >> (goal & 63) & 1 for goal in goals.tolist()) < len(goals)
    assert search._whole(target, to_target)
    # As if the pulls needed the player on a square that it cannot walk to.
    squares, here = Squares(ROOM), rules.play(ROOM, to_target)[-1]
    side.positions.player[target] = squares.number[min(ROOM.inside() - here.area())]
    assert not search._whole(target, to_target)


def test_setting_up_is_work_and_a_round_without_hope_is_the_last(
    early: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    # FESS sees at once that no target can be reached, for four boxes hold each other.
    hopeless = parse_board("#########|#-------#|#--$$---#|#--$$---#|#---....#|#-@-----#|#########")
    monkeypatch.setattr(targets, "_MOST_PULLS", 12)
    search = completed(SLICES["targets"].start(setting_of(hopeless)))
    going, found = underway(search), None
    for _ in range(5000):
        found = found or going.go_on(Budget(1 << 20))
    assert found is not None and found.outcome == Outcome.EXHAUSTED
    assert not SLICES["targets"].is_complete
    assert found.last.work > 20 * pair._SETUP_WORK
