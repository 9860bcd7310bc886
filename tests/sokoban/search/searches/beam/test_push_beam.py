"""The beam of moves: what it finds is a solution, what it keeps, and when it begins anew."""

from itertools import permutations

import numpy as np
import pytest

from tests.sokoban.search.push_graph import (
    Position,
    Push,
    board_at,
    can_be_solved,
    position_of,
    push_graph,
    pushes_left,
)
from tests.sokoban.search.searches.beam.test_pull_beam import PUZZLES, boards, boxes_of, num_regions
from tests.sokoban.search.searches.beam.test_rounds import begun_midway, finish
from tokoban.sokoban.board import Board
from tokoban.sokoban.search.combine.portfolio import MEMBERS, context_in_steps
from tokoban.sokoban.search.level.ground import Squares
from tokoban.sokoban.search.level.one_box import Step
from tokoban.sokoban.search.pauses import Budget, found_by, underway
from tokoban.sokoban.search.searches.beam import push_beam
from tokoban.sokoban.search.searches.beam import rounds as beam_rounds
from tokoban.sokoban.search.searches.beam.push_beam import PushBeam
from tokoban.sokoban.search.searches.beam.rounds import badness_of, in_order
from tokoban.sokoban.search.searches.fess import scores
from tokoban.sokoban.search.searches.fess.tree import SOLVED_BY, steps_to
from tokoban.sokoban.search.steps import completed


def beam_of(board: Board) -> PushBeam:
    context = completed(context_in_steps(board, Squares(board)))
    search = completed(MEMBERS["push-beam"].start(context))
    assert isinstance(search, PushBeam)
    return search


def test_a_round_may_begin_midway(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beam_rounds, "_FIRST_WIDTH", 1 << 12)
    num_midway = 0
    for board in PUZZLES:
        search = beam_of(board)
        found_by(search, 1 << 12)
        path = steps_to(search._tree, int(search._tree.progress[SOLVED_BY]))
        for part in range(1, 4):
            again = begun_midway(beam_of(board), path, part)
            finish(again, board)
            assert (
                sum(again._rounds._num_rounds) == 2 * part
            )  # the round that began midway was the last
            num_midway += len(again._rounds.current.prefix) > 0
    assert num_midway >= 8


def test_a_prefix_without_a_solution_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beam_rounds, "_FIRST_WIDTH", 1 << 12)
    num_dead = 0
    for board in PUZZLES:
        graph, start = push_graph(board), position_of(board)
        alive = pushes_left(graph, board.goals)
        squares = Squares(board)
        for box, after in graph[start]:
            if after in alive:
                continue
            end = min(after[0] - start[0])
            step = Step(*(squares.number[square] for square in (box, end, after[1])))
            search = begun_midway(beam_of(board), [step] * 4, 1)
            going = underway(search)
            while not search.is_over:
                going.go_on(Budget(1 << 12))
            assert not search._rounds._best_path
            finish(search, board)
            num_dead += 1
    assert num_dead > 0


def test_a_round_learns_from_its_best_positions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beam_rounds, "_FIRST_WIDTH", 3)
    monkeypatch.setattr(beam_rounds, "_LEARNT_FROM", 5)
    num_better_later = 0
    for board in PUZZLES:
        search = beam_of(board)
        while end_layer(search):
            tree = search._tree
            badness = badness_of(tree.child_score[: search._first_new])
            best = sorted(range(1, len(badness)), key=lambda child: (badness[child], child))[:5]
            assert search._best.tolist() == best
            num_better_later += best != sorted(best)
            boxes = [child_position(search, child, board)[0] for child in best]
            squares = Squares(board)
            expected = [squares.is_among(one).tolist() for one in boxes]
            assert search._boxes_of(search._best).tolist() == expected
    assert num_better_later > 0


def moves_of_one_box(graph: dict[Position, list[Push]], start: Position) -> set[Position]:
    """All positions after any pushes of one box."""
    found: set[Position] = set()
    waiting = [(start, box) for box in start[0]]
    while waiting:
        here, moved = waiting.pop()
        for box, after in graph[here]:
            if box == moved and after not in found:
                found.add(after)
                waiting.append((after, min(after[0] - here[0])))
    return found


def end_layer(search: PushBeam) -> bool:
    """Goes on to the next layer; returns False if there is none."""
    chosen, going = search._chosen, underway(search)
    while search._chosen is chosen:
        if going.go_on(Budget(1 << 20)) is not None or search.is_over:
            return False
    return True


def test_a_layer_has_positions_one_move_away_once_and_their_badness(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(push_beam, "TO_GOALS", ((2, 5),))
    num_layers = 0
    for board in [*PUZZLES, *boards()]:
        if not can_be_solved(board):
            continue
        search, graph = beam_of(board), push_graph(board)
        bonuses = search._rounds.current.bonuses
        bonuses += np.random.default_rng(num_layers).integers(-9, 9, size=len(bonuses))
        ground, known = search._tables.ground, {position_of(board)}
        while True:
            tree, first = search._tree, search._first_new
            layer = [child_position(search, child, board) for child in search._chosen.tolist()]
            if not end_layer(search):
                break
            found = set()
            for child in range(first, search._first_new):
                position = child_position(search, child, board)
                assert position not in known
                known.add(position)
                found.add(position)
                here = board_at(board, position)
                player = int(tree.child_player[child])
                boxes = Squares(board).numbers(here.boxes)
                pushes = ground.pushes[4 * boxes + ground.zone[boxes, player]]
                lower_bound = min(
                    int(pushes[range(len(boxes)), goals].sum())
                    for goals in permutations(range(len(boxes)))
                )
                packed = int(tree.child_score[child]) >> scores.PACKING
                outside = 255 - (int(tree.child_score[child]) >> scores.OUT_OF_PLAN & 255)
                badness = int(badness_of(tree.child_score[child : child + 1])[0])
                expected = lower_bound + 2 * num_regions(here) + 5 * (outside - packed)
                expected -= int(bonuses[boxes].sum())
                assert badness == beam_rounds.LEAST_BADNESS + expected
            assert found <= {after for before in layer for after in moves_of_one_box(graph, before)}
            num_layers += 1
    assert num_layers >= 15


def test_a_layer_begins_with_the_positions_that_come_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beam_rounds, "_FIRST_WIDTH", 3)
    num_full = 0
    for board in PUZZLES:
        search = beam_of(board)
        first, seed = search._first_new, search._rounds.current.seed
        while end_layer(search):
            tree, children = search._tree, np.arange(first, search._first_new)
            first = search._first_new
            expected = in_order(tree.child_score[children], tree.key[children], 3, seed)
            assert search._chosen.tolist() == children[expected].tolist()
            num_full += len(children) > 3
    assert num_full > 0


def child_position(search: PushBeam, child: int, board: Board) -> Position:
    """The boxes and the player of a child of the tree."""
    tree, squares = search._tree, list(Squares(board).squares)
    boxes = boxes_of(tree.boxes[tree.parent[tree.run[child]]], squares)
    box, to = squares[int(tree.box[child])], squares[int(tree.to[child])]
    boxes = boxes if child == 0 else boxes - {box} | {to}
    return boxes, squares[int(tree.child_player[child])]
