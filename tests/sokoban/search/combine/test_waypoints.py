"""Pushes to positions midway: what they find solves the board, and what they cut off is dead."""

from collections.abc import Set

import numpy as np
import pytest

from tests.sokoban.brute_force import Shape, random_boards
from tests.sokoban.search.push_graph import Position, board_at, position_of, push_graph
from tests.sokoban.search.searches.beam.test_pull_beam import PUZZLES
from tokoban.sokoban import rules
from tokoban.sokoban.board import Board, Direction
from tokoban.sokoban.formats.level import Solution
from tokoban.sokoban.search.combine.portfolio import MEMBERS, context_in_steps
from tokoban.sokoban.search.combine.waypoints import Waypoints
from tokoban.sokoban.search.level.ground import Squares, build_ground, ground_to_in_steps
from tokoban.sokoban.search.level.one_box import Step
from tokoban.sokoban.search.outcome import Outcome
from tokoban.sokoban.search.pauses import Budget, Found, Search, Underway, underway
from tokoban.sokoban.search.searches.beam import beam
from tokoban.sokoban.search.searches.beam import rounds as beam_rounds
from tokoban.sokoban.search.steps import completed


@pytest.fixture(autouse=True)
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rounds of one position that end soon, so that pushes from the start are needed."""
    monkeypatch.setattr(beam_rounds, "_FIRST_WIDTH", 1)
    monkeypatch.setattr(beam, "PATIENCE", 3)


def search_of(board: Board) -> Waypoints:
    setting = completed(context_in_steps(board, Squares(board)))
    search = completed(MEMBERS["pull-beam"].start(setting))
    assert isinstance(search, Waypoints)
    return search


def boards() -> list[Board]:
    every = random_boards(Shape(5, 6, 3, is_closed=True), 24, seed=3)
    return [*PUZZLES, *(board for board in every if not board.is_solved)]


def go_on(going: Underway, budget: int = 1 << 12) -> Found | None:
    """Once; when it grows, by as much as was announced."""
    bound = going.pause.growing_bytes
    if bound and going.go_on(Budget(0)) is None:
        assert going.pause.num_bytes <= bound
    return going.go_on(Budget(budget))


def position_after(board: Board, path: list[Step], length: int) -> Position:
    """The position of the path after so many of its pulls."""
    squares, boxes = Squares(board).squares, set(board.goals)
    for step in path[:length]:
        boxes = boxes - {squares[step.end]} | {squares[step.box]}
    return position_of(board_at(board, (frozenset(boxes), squares[path[length].player])))


def pull(search: Waypoints) -> None:
    """Goes on with pulls alone for a while."""
    going, pulls = underway(search._pulls), search._pulls
    while pulls.num_expansions < 200 and not pulls.is_over:
        if going.go_on(Budget(1)) is not None:
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


def pushing(search: Waypoints, path: list[Step], length: int) -> Underway:
    """Pushes to the position after so many steps of the path, with work enough."""
    search._pulls._rounds.path_of_round = search._pulls._rounds._best_path = path

    def push(budget: Budget) -> Search:
        found, _ = yield from search._push_to(length, 1 << 20, budget)
        return found or Found(Outcome.INCONCLUSIVE, search.pause())

    return Underway(push)


Moves = tuple[Direction, ...]


def noted_moves(search: Waypoints, monkeypatch: pytest.MonkeyPatch) -> list[Moves]:
    """A list that gets the moves to each position that is reached."""
    whole, noted = search._whole, list[Moves]()

    def note(to_position: Moves) -> Moves:
        noted.append(to_position)
        return whole(to_position)

    monkeypatch.setattr(search, "_whole", note)
    return noted


def check_region(search: Waypoints, board: Board, to_position: Moves, solution: Moves) -> int:
    """That no solution is claimed if the player is elsewhere; returns how often that was tried."""
    here = rules.play(board, to_position)[-1]
    if here.is_solved:  # another position was met
        return 0
    path, length = search._pulls.path, search._length
    assert search._whole(to_position) == solution
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
            noted = noted_moves(search, monkeypatch)
            going, found = pushing(search, path, length), None
            cuts: list[list[Step]] = []  # the paths that are left
            while found is None:
                found = go_on(going)
                if pulls.path not in [path, *cuts]:
                    cuts.append(pulls.path)
                    assert pulls._rounds._best_path is pulls.path
                    assert len(pulls.path) == length - 1
                    if 0 < length // 2 < len(pulls.path):
                        length //= 2  # is tried next
                        assert found is None
                    assert search._length == length
                # The next step says where the player is.
                assert search._length < len(pulls.path) or found is not None
            boxes, region = position_after(board, path, len(path) - 1)
            # Where the player comes to another region first, the position is given up.
            if {here for there, here in reached if there == boxes} == {region}:
                assert found.outcome == Outcome.SOLVED
            if found.outcome == Outcome.SOLVED:
                Solution.of(board, found.directions)
                num_solved += not cuts
                num_elsewhere += check_region(search, board, noted[-1], found.directions)
            for left in cuts:
                dead, _ = position_after(board, path, len(left) + 1)
                assert all(dead != boxes for boxes, _ in reached)
            num_cut += len(cuts)
    assert num_solved >= 20 and num_cut >= 5 and num_elsewhere > 0


def test_a_ground_with_other_goals_is_that_of_the_board_with_them() -> None:
    for board in boards():
        squares = Squares(board)
        other = Board(
            board.height, board.width, board.walls, board.boxes, board.boxes, board.player
        )
        numbers = squares.numbers(board.boxes)
        known = build_ground(board, squares)
        ground = completed(ground_to_in_steps(numbers, known.neighbours, known.zone))
        for one, two in zip(ground, build_ground(other, squares), strict=True):
            assert np.array_equal(one, two)
