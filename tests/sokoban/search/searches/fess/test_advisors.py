"""What each advisor proposes from positions of small boards, against plain definitions."""

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pytest

from tests.sokoban.search.laid_out import for_python
from tests.sokoban.search.push_graph import board_at
from tests.sokoban.search.searches.fess.one_box import (
    Move,
    area_of,
    comes_back,
    opens_a_push,
    small_boards,
)
from tokoban.sokoban.board import Board, Direction, Square
from tokoban.sokoban.deadlocks import dead_squares
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.search.level.ground import NONE, Squares
from tokoban.sokoban.search.measures.packing import plan
from tokoban.sokoban.search.outcome import Outcome
from tokoban.sokoban.search.pauses import Budget
from tokoban.sokoban.search.searches.fess import clearing
from tokoban.sokoban.search.searches.fess.advisors import (
    CLEARER,
    EXPLORER,
    FEATURES,
    MAX_ADVICE,
    OPENER,
)
from tokoban.sokoban.search.searches.fess.scores import (
    HOTSPOTS,
    OPENS,
    OUT_OF_PLAN,
    PACKING,
    REGIONS,
    RETURNS,
    ROOMS,
)
from tokoban.sokoban.search.searches.fess.solver import Fess, fess_in_steps
from tokoban.sokoban.search.searches.fess.tree import NUM_CHILDREN
from tokoban.sokoban.search.state.positions import unpacked_bits
from tokoban.sokoban.search.steps import completed

point_of_plan = for_python(plan.point_of_plan)
next_square = for_python(plan.next_square)
is_no_worse = for_python(clearing.is_no_worse)


@dataclass(frozen=True)
class Child:
    """What the tree says of one."""

    box: Square
    to: Square
    player: Square
    score: int

    def feature(self, bit: int) -> int:
        return self.score >> bit if bit == PACKING else self.score >> bit & 255

    def has(self, mark: int) -> bool:
        return bool(self.score >> mark & 1)

    def is_no_worse(self, score: "Child") -> bool:
        features = PACKING, REGIONS, OUT_OF_PLAN, ROOMS
        return all(self.feature(bit) >= score.feature(bit) for bit in features)


@dataclass(frozen=True)
class Expanded:
    """A position whose children were filed while all advisors but one were silent."""

    board: Board
    squares: Squares
    search: Fess
    parent: Child
    children: list[Child]
    advised: list[Child]


def expanded(board: Board, squares: Squares, known: Fess, advisor: int) -> Expanded | None:
    """None where the position is deadlocked, or a child is the solution."""
    is_silent = np.arange(len(known.tables.is_silent)) != advisor
    boxes = squares.numbers(board.boxes).tolist()
    tables = known.tables._replace(is_silent=is_silent)
    search = Fess(tables, boxes, squares.number[board.player])
    while (outcome := search.advance(Budget(1 << 20, 1))) == Outcome.BUDGET_SPENT:
        if search.num_expansions == 1:
            break
    if outcome != Outcome.BUDGET_SPENT:
        return None
    tree, numbered = search.tree, squares.squares

    def child(number: int) -> Child:
        box, to, player = (
            numbered[column[number]] for column in (tree.box, tree.to, tree.child_player)
        )
        return Child(box, to, player, int(tree.child_score[number]))

    numbers = range(1, int(tree.progress[NUM_CHILDREN]))
    parent = replace(child(0), score=int(tree.score[1]))
    weightless = [number for number in numbers if tree.weight[tree.run[number]] == 0]
    return Expanded(
        board, squares, search, parent, [*map(child, numbers)], [*map(child, weightless)]
    )


# Rooms, doorways, and goals in lanes, where every advisor has something to say.
LEVELS = [
    "############|#----#-----#|#-$------..#|#----#-$---#|##-####--..#|#--$-#-$-@-#|#----#-----#|"
    "############",
    "###########|#...----###|####--$---#|###--$-#$-#|###-@-----#|###########",
    "############|#---####--.#|#-$-----$@-#|#---####-..#|####-###-$-#|####---#---#|############",
]


def positions(advisor: int) -> Iterator[Expanded]:
    """Boxes and player anywhere but on dead squares."""
    draw = random.Random(advisor)
    for board in map(parse_board, LEVELS):
        squares = Squares(board)
        search = completed(fess_in_steps(board, squares))
        inside = sorted(board.inside() - dead_squares(board))
        for _ in range(60):
            *boxes, player = draw.sample(inside, len(board.boxes) + 1)
            position = replace(board, boxes=frozenset(boxes), player=player)
            found = expanded(position, squares, search, advisor)
            if found is not None:
                yield found


def steps_from(board: Board, sources: set[Square]) -> dict[Square, int]:
    """Of walks on the empty board."""
    steps = dict.fromkeys(sources, 0)
    for square in (waiting := sorted(sources)):
        for ahead in map(square.neighbour, Direction):
            if ahead in board.inside() and ahead not in steps:
                steps[ahead] = steps[square] + 1
                waiting.append(ahead)
    return steps


def squares_to_clear(at: Expanded, advisor: int) -> set[Square]:
    """None if the advisor is silent."""
    is_blocked = np.array([square in at.board.boxes for square in at.squares.squares] + [True])
    packing = at.search.tables.packing
    point = point_of_plan(packing, is_blocked)
    if advisor == OPENER:
        packed = at.parent.feature(PACKING)
        square = next_square(packing, is_blocked)
        is_silent = any(child.feature(PACKING) > packed for child in at.children)
        return set() if is_silent or square == NONE else {at.squares.squares[square]}
    bits = unpacked_bits(packing.points.out_of_plan[point], len(at.squares.squares))
    outside = {at.squares.squares[i] for i in np.flatnonzero(bits)}
    return outside if outside & at.board.boxes else set()


@pytest.mark.parametrize("advisor", range(MAX_ADVICE))
def test_advisors_propose_the_best_child_by_their_rule_or_none(advisor: int) -> None:
    num_silent = num_proposed = 0
    for at in positions(advisor):
        packed = at.parent.feature(PACKING)
        by_rank: dict[Child, tuple[int, ...]] = {}
        kept = [child for child in at.children if child.feature(PACKING) >= packed]
        if advisor < len(FEATURES):
            bit = FEATURES[advisor]
            value = at.parent.feature(bit)
            by_rank = {
                child: (child.feature(bit), child.score)
                for child in kept
                if child.feature(bit) > value
            }
        elif advisor == EXPLORER:
            by_rank = {
                child: (child.score,) for child in kept if child.has(OPENS) and child.has(RETURNS)
            }
        else:
            steps = steps_from(at.board, squares_to_clear(at, advisor))
            by_rank = {
                child: (-steps[child.box], steps[child.to], child.score)
                for child in kept
                if steps
                and steps[child.to] > steps[child.box]
                and child.is_no_worse(at.parent)
                and (child.has(RETURNS) or advisor != CLEARER)
            }
        best = [child for child, rank in by_rank.items() if rank == max(by_rank.values())]
        assert len(at.advised) == min(len(best), 1) and set(at.advised) <= set(best)
        num_silent += not best
        num_proposed += bool(best)
    # What is filled keeps boxes out of plan; no move of another box alone lets them in.
    is_rare = advisor == FEATURES.index(OUT_OF_PLAN)
    assert num_silent >= 5 and (num_proposed >= 5 or is_rare)


def test_a_child_is_no_worse_if_it_is_worse_by_no_feature_but_ties() -> None:
    features = PACKING, REGIONS, OUT_OF_PLAN, ROOMS
    score = sum(7 << bit for bit in (*features, HOTSPOTS))
    assert is_no_worse(score - (1 << HOTSPOTS), score)
    for bit in features:
        assert is_no_worse(score + (1 << bit), score)
        assert not is_no_worse(score - (1 << bit), score)


def test_marks_say_what_the_move_opens_and_whether_it_can_be_undone() -> None:
    num_opening = num_returning = num_children = 0
    for board, graph in small_boards():
        squares = Squares(board)
        search = completed(fess_in_steps(board, squares))
        ends = board.inside() - dead_squares(board)
        for position in list(graph)[:: max(len(graph) // 8, 1)]:
            at = expanded(board_at(board, position), squares, search, EXPLORER)
            for child in [] if at is None else at.children:
                boxes = position[0] - {child.box} | {child.to}
                move = Move(child.box, child.to, (boxes, child.player))
                assert child.has(OPENS) == opens_a_push(board, area_of(board, position), move, ends)
                assert child.has(RETURNS) == comes_back(graph, position, move)
                num_opening += child.has(OPENS)
                num_returning += child.has(RETURNS)
                num_children += 1
    assert 20 < num_opening < num_children - 20 and 20 < num_returning < num_children - 20
