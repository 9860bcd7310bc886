"""The beam of pulls: what it finds is a solution, what it keeps, and when it begins anew."""

from typing import Any

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from tests.sokoban.brute_force import Shape, random_boards
from tests.sokoban.search.push_graph import (
    Position,
    Push,
    board_at,
    can_be_solved,
    position_of,
    push_graph,
)
from tests.sokoban.search.searches.beam.test_rounds import begun_midway, finish
from tokoban.sokoban.board import Board, Square
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.search.combine.portfolio import MEMBERS, WAYPOINTS, context_in_steps
from tokoban.sokoban.search.level.ground import Squares
from tokoban.sokoban.search.outcome import Outcome
from tokoban.sokoban.search.pauses import Budget, found_by, underway
from tokoban.sokoban.search.searches.beam import pull_beam
from tokoban.sokoban.search.searches.beam import rounds as beam_rounds
from tokoban.sokoban.search.searches.beam.pull_beam import PullBeam
from tokoban.sokoban.search.searches.beam.pull_layers import NEXT, NUM_CANDIDATES
from tokoban.sokoban.search.state.positions import unpacked_bits
from tokoban.sokoban.search.steps import Steps, completed

# Puzzles of `tokoban generate` that no beam of one position solves.
PUZZLES = [
    parse_board(drawing)
    for drawing in (
        "########|###---##|###--$##|###-$$-#|##@--..#|##--#.-#|########|########",
        "########|########|#.---###|#--$$-##|#---$-##|#----@##|#..#####|########",
        "########|########|#-.#####|#---.###|#-$---##|#-$*--##|#-@#####|########",
        "########|##.-####|##---###|##-.-$-#|##-##--#|##-*@$-#|####---#|########",
        "########|#..#####|#$$#####|#@*----#|###----#|#--#-###|#----###|########",
    )
]


def beam_of(board: Board) -> PullBeam:
    context = completed(context_in_steps(board, Squares(board), without=frozenset({WAYPOINTS})))
    search = completed(MEMBERS["pull-beam"].start(context))
    assert isinstance(search, PullBeam)
    return search


def boards() -> list[Board]:
    shapes = Shape(4, 5, 3, is_closed=True), Shape(2, 9, 2, is_closed=False)
    every = [board for shape in shapes for board in random_boards(shape, 16, seed=22)]
    return [board for board in every if not board.is_solved]


def test_a_round_may_begin_midway(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beam_rounds, "_FIRST_WIDTH", 1 << 12)
    num_midway = 0
    for board in PUZZLES:
        search = beam_of(board)
        finish(search, board)
        path = search._solution()[::-1]
        for part in range(1, 4):
            again = begun_midway(beam_of(board), path, part)
            begin = len(again._rounds.current.prefix)
            num_midway += begin > 0
            if begin > 0:
                # The position is the one that the solution comes to before its last moves.
                squares = Squares(board)
                is_box = squares.is_among(board.boxes)
                for step in path[: begin - 1 : -1]:
                    is_box[step.box], is_box[step.end] = False, True
                found = again._boxes_of(np.zeros(1, np.int64))[0]
                assert found.tolist() == is_box.tolist()
                assert int(again._positions.player[0]) == path[begin].player
            finish(again, board)
            assert sum(again._rounds._num_rounds) == 2 * part  # the round midway was the last
    assert num_midway >= 8


def test_a_prefix_without_a_solution_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beam_rounds, "_FIRST_WIDTH", 1 << 12)
    num_dead = 0
    for board in PUZZLES:
        squares, reached = list(Squares(board).squares), push_graph(board).keys()
        search = beam_of(board)
        num_roots = search._layer_ends
        end_layer(search)
        for position in range(num_roots, search._layer_ends):
            boxes = boxes_of(search._positions.boxes[position], squares)
            player = int(search._positions.player[position])
            if (boxes, squares[player]) in reached:
                continue
            [step] = search._path_to(position)
            again = begun_midway(beam_of(board), [step, *[step._replace(player=player)] * 3], 1)
            going = underway(again)
            while not again.is_over:
                going.go_on(Budget(1 << 12))
            assert not again._rounds._best_path
            finish(again, board)
            num_dead += 1
    assert num_dead > 0


def test_boxes_in_place_with_the_player_on_the_other_side_are_no_start() -> None:
    # Pulled from the left, the box comes to where it starts, but there the player is on its right.
    board = parse_board("########|#-$@-.-#|########")
    assert found_by(beam_of(board)).outcome == Outcome.EXHAUSTED


def moves_to(graph: dict[Position, list[Push]], ends: set[Position]) -> set[Position]:
    """All positions from which any pushes of one box lead to one of the ``ends``."""
    found: set[Position] = set()
    for start in graph:
        waiting = [(start, box) for box in start[0]]
        seen = set(waiting)
        while waiting:
            here, moved = waiting.pop()
            for box, after in graph[here]:
                now = after, min(after[0] - here[0])
                if box == moved and now not in seen:
                    seen.add(now)
                    waiting.append(now)
                    if after in ends:
                        found.add(start)
    return found


def end_layer(search: PullBeam) -> bool:
    """Goes on to the next layer; returns False if there is none."""
    last, going = search._layer_ends, underway(search)
    while search._layer_ends == last:
        if going.go_on(Budget(1 << 20)) is not None or search.is_over:
            return False
    return True


def test_a_layer_has_each_new_position_one_move_away_once_and_its_badness(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pull_beam, "_SCHEDULE", ((2, 5),))
    end_layer = PullBeam._end_layer
    ending: list[None] = []

    def end_later(search: PullBeam) -> Steps[Any]:
        ending.append(None)
        yield  # so that the test sees the candidates of the layer
        return (yield from end_layer(search))

    monkeypatch.setattr(PullBeam, "_end_layer", end_later)
    num_layers = 0
    for board in [*PUZZLES, *boards()]:
        if not can_be_solved(board):
            continue
        search, graph = beam_of(board), push_graph(board)
        squares, ground = list(Squares(board).squares), search.ground
        bonuses = search._rounds.current.bonuses
        bonuses += np.random.default_rng(num_layers).integers(-9, 9, size=len(bonuses))
        known: set[Position] = set()
        while True:
            positions, layer = search._positions, search._layer
            first, last = int(layer.progress[NEXT]), search._layer_ends
            stored = {
                (boxes_of(positions.boxes[i], squares), squares[int(positions.player[i])])
                for i in range(first, last)
            }
            known |= stored
            ending.clear()
            going, ended = underway(search), None
            while ended is None and not ending and not search.is_over:
                ended = going.go_on(Budget(1))
                assert not going.pause.growing_bytes
            if ended is not None or search.is_over:
                break
            found = []
            for i in range(int(layer.progress[NUM_CANDIDATES])):
                before = boxes_of(positions.boxes[layer.parent[i]], squares)
                boxes = before - {squares[int(layer.box[i])]} | {squares[int(layer.to[i])]}
                here = board_at(board, (boxes, squares[int(layer.player[i])]))
                found.append(position_of(here))
                kind, badness = divmod(int(layer.score[i]), 1 << beam_rounds.BADNESS_BITS)
                on_goals, regions = len(boxes & board.goals), num_regions(here)
                assert kind == on_goals << 16 | regions
                numbers = Squares(board).numbers(boxes)
                pulls = ground.pushes[4 * numbers + ground.zone[numbers, layer.player[i]]]
                lower_bound = pulls[linear_sum_assignment(pulls)].sum()
                expected = lower_bound + 2 * regions + 5 * on_goals - bonuses[numbers].sum()
                assert badness == beam_rounds.LEAST_BADNESS + expected
            assert len(set(found)) == len(found) and not known & set(found)
            # Of what can be reached in play nothing is missing.
            assert moves_to(graph, stored) & graph.keys() - known <= set(found)
            num_layers += 1
            while search._layer_ends == last and not search.is_over:
                going.go_on(Budget(1 << 20))
            if search.is_over:  # which ``go_on`` has changed
                break  # type: ignore[unreachable]
    assert num_layers >= 15


def boxes_of(words: np.ndarray, squares: list[Square]) -> frozenset[Square]:
    is_box = unpacked_bits(words, len(squares))
    return frozenset(square for square, is_here in zip(squares, is_box, strict=True) if is_here)


def num_regions(board: Board) -> int:
    """Of free floor, by plain walks."""
    rest, count = set(board.inside() - board.boxes), 0
    while rest:
        rest -= board_at(board, (board.boxes, min(rest))).area()
        count += 1
    return count
