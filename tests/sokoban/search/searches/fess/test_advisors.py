"""What each advisor proposes from positions of small boards, against plain definitions."""

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pytest

from tokoban.sokoban.board import Board, Square
from tokoban.sokoban.deadlocks import dead_squares
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.search.level.ground import Squares, grounds_both_ways
from tokoban.sokoban.search.outcome import Outcome
from tokoban.sokoban.search.pauses import Budget
from tokoban.sokoban.search.searches.fess.advisors import ADVISORS, FEATURES
from tokoban.sokoban.search.searches.fess.scores import OUT_OF_PLAN, PACKING
from tokoban.sokoban.search.searches.fess.solver import Fess, fess_in_steps
from tokoban.sokoban.search.searches.fess.tree import NUM_CHILDREN
from tokoban.sokoban.search.steps import completed


@dataclass(frozen=True)
class Child:
    """What the tree says of one."""

    box: Square
    to: Square
    player: Square
    score: int

    def feature(self, bit: int) -> int:
        return self.score >> bit if bit == PACKING else self.score >> bit & 255


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
        grounds = grounds_both_ways(board, squares)
        search = completed(fess_in_steps(*grounds, squares.number[board.player]))
        inside = sorted(board.inside() - dead_squares(board))
        for _ in range(60):
            *boxes, player = draw.sample(inside, len(board.boxes) + 1)
            position = replace(board, boxes=frozenset(boxes), player=player)
            found = expanded(position, squares, search, advisor)
            if found is not None:
                yield found


@pytest.mark.parametrize("advisor", range(len(ADVISORS)))
def test_advisors_propose_the_best_child_by_their_rule_or_none(advisor: int) -> None:
    num_silent = num_proposed = 0
    for at in positions(advisor):
        packed = at.parent.feature(PACKING)
        kept = [child for child in at.children if child.feature(PACKING) >= packed]
        bit = FEATURES[advisor]
        value = at.parent.feature(bit)
        by_rank = {
            child: (child.feature(bit), child.score) for child in kept if child.feature(bit) > value
        }
        best = [child for child, rank in by_rank.items() if rank == max(by_rank.values())]
        assert len(at.advised) == min(len(best), 1) and set(at.advised) <= set(best)
        num_silent += not best
        num_proposed += bool(best)
    # What is filled keeps boxes out of plan; no move of another box alone lets them in.
    is_rare = advisor == FEATURES.index(OUT_OF_PLAN)
    assert num_silent >= 5 and (num_proposed >= 5 or is_rare)
