"""Targets: what is found is a solution, and nothing that is not found proves anything."""

import pytest

from tokoban.sokoban import rules
from tokoban.sokoban.board import Board, Direction
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.search.combine import targets
from tokoban.sokoban.search.combine.portfolio import MEMBERS, SearchContext, context_in_steps
from tokoban.sokoban.search.level.ground import Squares
from tokoban.sokoban.search.outcome import Outcome
from tokoban.sokoban.search.pauses import found_by
from tokoban.sokoban.search.steps import completed

# Four boxes in a room, and their goals around a corner.
ROOM = parse_board("##########|#------..#|#-$-$---.#|#-$-$-##.#|#--@--####|##########")


def setting_of(board: Board) -> SearchContext:
    return completed(context_in_steps(board, Squares(board)))


@pytest.fixture
def early(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few pulls, so that pushes to a target have to find the solution."""
    monkeypatch.setattr(targets, "_PULLS", 3)


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
    search = completed(MEMBERS["targets"].start(setting_of(ROOM)))
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
