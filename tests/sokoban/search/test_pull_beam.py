"""The beam of pulls: what it finds is a solution, what it keeps, and when it begins anew."""

from functools import partial

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
from tokoban.sokoban.board import Board, Square
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.search import pull_beam
from tokoban.sokoban.search.answer import Answer
from tokoban.sokoban.search.ground import NONE, Squares
from tokoban.sokoban.search.limits import Limits
from tokoban.sokoban.search.outcome import Outcome
from tokoban.sokoban.search.portfolio import SLICES, Portfolio, setting_in_steps
from tokoban.sokoban.search.positions import unpacked_bits
from tokoban.sokoban.search.pull_beam import PullBeam
from tokoban.sokoban.search.pull_layers import NEXT, NUM_CANDIDATES, SOLVED_BY, empty_layer
from tokoban.sokoban.search.single import Stage, Stages, find_answer
from tokoban.sokoban.search.steps import completed

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
    setting = completed(setting_in_steps(board, Squares(board)))
    search = completed(SLICES["pull-beam"].start(setting))
    assert isinstance(search, PullBeam)
    return search


def stages(board: Board) -> Stages:
    setting = yield from setting_in_steps(board, Squares(board))
    yield Stage(Portfolio(setting, [SLICES["pull-beam"]], 2000.0))


def answer_to(board: Board) -> Answer:
    # Solutions are replayed by the rules, or this raises.
    return find_answer(board, partial(stages, board), Limits())


def boards() -> list[Board]:
    shapes = Shape(4, 5, 3, is_closed=True), Shape(2, 9, 2, is_closed=False)
    every = [board for shape in shapes for board in random_boards(shape, 16, seed=22)]
    return [board for board in every if not board.is_solved]


def test_a_beam_that_drops_nothing_solves_what_can_be_solved_and_proves_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pull_beam, "_FIRST_WIDTH", 1 << 12)
    monkeypatch.setattr(pull_beam, "_PATIENCE", 1 << 12)
    solved = [board for board in boards() if can_be_solved(board)]
    hopeless = [board for board in boards() if not can_be_solved(board)]
    assert len(solved) >= 8 and len(hopeless) >= 8
    for board in solved:
        assert answer_to(board).status == "solved"
    for board in hopeless:
        answer = answer_to(board)
        assert answer.status == "gave up" or answer.solver == "rules"


@pytest.mark.parametrize("board", PUZZLES)
def test_rounds_grow_wider_until_one_keeps_a_way_to_the_start(
    monkeypatch: pytest.MonkeyPatch, board: Board
) -> None:
    monkeypatch.setattr(pull_beam, "_FIRST_WIDTH", 1)
    monkeypatch.setattr(pull_beam, "_PATIENCE", 7)
    search = beam_of(board)
    outcome, before, num_rounds = Outcome.BUDGET_SPENT, (0, 0), 1
    while outcome != Outcome.SOLVED:
        assert outcome in (Outcome.BUDGET_SPENT, Outcome.STORE_FULL)
        if outcome == Outcome.STORE_FULL:
            num_rounds += 1
            bound = search.num_bytes_while_growing()
            search.grow()
            assert search.num_bytes() <= bound
        now = search.work, search.progress(0.0).expansions
        assert now >= before
        outcome, before = search.go_on(3, None), now
    assert num_rounds > 1
    assert answer_to(board).status == "solved"


def test_a_layer_has_each_new_position_one_pull_away_once_and_its_features() -> None:
    num_layers = 0
    for board in [*PUZZLES, *boards()]:
        if not can_be_solved(board):
            continue
        search, graph = beam_of(board), push_graph(board)
        squares = list(Squares(board).squares)
        known: set[Position] = set()
        outcome = Outcome.BUDGET_SPENT
        while outcome == Outcome.BUDGET_SPENT:
            positions, layer = search._positions, search._layer
            first, last = int(layer.progress[NEXT]), search._layer_ends
            stored = {
                (boxes_of(positions.boxes[i], squares), squares[int(positions.player[i])])
                for i in range(first, last)
            }
            known |= stored
            while layer.progress[NEXT] < last and layer.progress[SOLVED_BY] == NONE:
                outcome = search.go_on(1, None)
            if layer.progress[SOLVED_BY] != NONE:
                break
            found = []
            for i in range(int(layer.progress[NUM_CANDIDATES])):
                before = boxes_of(positions.boxes[layer.parent[i]], squares)
                boxes = before - {squares[int(layer.box[i])]} | {squares[int(layer.to[i])]}
                here = board_at(board, (boxes, squares[int(layer.player[i])]))
                found.append(position_of(here))
                assert layer.num_on_goals[i] == len(boxes & board.goals)
                assert layer.num_regions[i] == num_regions(here)
            assert len(set(found)) == len(found) and not known & set(found)
            # Of what can be reached in play nothing is missing.
            reached = {
                before
                for before, pushes in graph.items()
                if stored & {after for _, after in pushes}
            }
            assert reached - known <= set(found)
            num_layers += 1
            outcome = search.go_on(1, None)
    assert num_layers >= 50


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


def test_half_are_the_best_and_half_the_best_of_each_kind_in_turn() -> None:
    draw = np.random.default_rng(5)
    layer = empty_layer(53, np.zeros(1, np.uint64), 3)
    layer.progress[NUM_CANDIDATES] = count = 47
    layer.lower_bound[:count] = draw.integers(11, size=count)
    layer.num_regions[:count] = draw.integers(1, 4, size=count)
    layer.num_on_goals[:count] = draw.integers(3, size=count)
    layer.boxes_key[:count] = draw.integers(1 << 64, size=count, dtype=np.uint64)
    badness = [
        (int(layer.lower_bound[i]) + int(layer.num_regions[i]), int(layer.boxes_key[i]) >> 48)
        for i in range(count)
    ]
    by_kind: dict[tuple[int, int], list[int]] = {}
    for i in sorted(range(count), key=badness.__getitem__):
        by_kind.setdefault((int(layer.num_on_goals[i]), int(layer.num_regions[i])), []).append(i)
    in_turn: list[int] = []
    for rank in range(count):
        at_rank = [kind[rank] for kind in by_kind.values() if rank < len(kind)]
        in_turn += sorted(at_rank, key=badness.__getitem__)
    first = in_turn[:9]
    best = [i for i in sorted(range(count), key=badness.__getitem__) if i not in first][:10]
    assert pull_beam._chosen(layer, 19).tolist() == first + best
    assert pull_beam._chosen(layer, count).tolist() == list(range(count))
