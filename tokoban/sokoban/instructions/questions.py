"""Questions about a board, answered exactly in words."""

import numpy as np

from tokoban.sokoban.board import Board, Square
from tokoban.sokoban.instructions.grammar import Sentence
from tokoban.sokoban.instructions.graph import build_graph
from tokoban.sokoban.instructions.machine import Cells
from tokoban.sokoban.instructions.meaning import CONDITIONAL, Box, Clause, Kind, Meaning
from tokoban.sokoban.instructions.naming import find_box, find_place, names_of
from tokoban.sokoban.instructions.phrases import Phrases, languages, names_of_box
from tokoban.sokoban.instructions.truth import FAR, pushed, truth_of
from tokoban.sokoban.search.limits import UNWATCHED, Watch

Value = bool | int | Square | str  # an answer; a text is a key of ``Phrases.answers``


def answer(board: Board, question: Sentence, watch: Watch = UNWATCHED) -> str:
    """The answer, in the language of the question.

    ``ValueError`` where a name means nothing on the board, ``TooLargeError`` or
    ``OutOfTimeError`` beyond the limits.
    """
    return answers(board, question, watch)[0]


def answers(board: Board, question: Sentence, watch: Watch = UNWATCHED) -> list[str]:
    """The answer, and where that names a box, its other names and its square."""
    clause, *demands = question.meaning
    phrases, value = languages()[question.language], _value(board, clause, tuple(demands), watch)
    boxes = names_of(board, value, Box) if isinstance(value, Square) and not clause.box else []
    return [
        *(name for box in boxes for name in names_of_box(box, phrases)),
        _in_words(value, phrases),
    ]


def _in_words(value: Value, phrases: Phrases) -> str:
    if isinstance(value, bool):
        value = "yes" if value else "no"
    if isinstance(value, Square):
        row, column = phrases.answers["row"], phrases.answers["column"]
        return f"{row} {value.row + 1} {column} {value.column + 1}"
    return phrases.answers[value] if isinstance(value, str) else str(value)


def _value(board: Board, clause: Clause, demands: Meaning, watch: Watch) -> Value:
    kind, goals = clause.kind, board.goals & board.inside()
    if kind is Kind.HOW_MANY:
        return len(board.boxes & goals)
    if kind is Kind.MOVES_FIRST or kind in CONDITIONAL:
        truth = truth_of(board, demands, watch)
        if kind in (Kind.IS_SOLVABLE, Kind.IS_LOST):
            return (truth.fewest_pushes is None) == (kind is Kind.IS_LOST)
        if truth.fewest_pushes is None:
            return "no_solution"
        if kind is Kind.PUSHES_LEFT:
            return truth.fewest_pushes
        target, left = truth.graph.pushes.target, truth.pushes_left[:, 0]
        pushes = [push for push in truth.graph.pushes_from(0) if left[target[push]] != FAR]
        boxes = {pushed(truth.graph, push)[0] for push in pushes}
        # Solutions may begin with different boxes, or with no push at all.
        return "none" if truth.fewest_pushes == 0 or len(boxes) > 1 else boxes.pop()
    assert clause.box is not None
    box = find_box(board, clause.box)
    if kind is Kind.WHERE:
        return box
    if kind is Kind.IS_ON_GOAL:
        return box in goals
    squares = goals if clause.place is None else find_place(board, clause.place)
    # Some play brings the box to one of the squares, whatever becomes of the others.
    cells = Cells.of(board, [box])
    graph = build_graph(cells, is_whole=True, watch=watch)
    met = graph.positions.boxes[: graph.num_positions, 1].astype(np.int64)
    can_reach = bool(cells.mask(squares)[met].any())
    return can_reach == (kind is Kind.CAN_REACH)
