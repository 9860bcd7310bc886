"""Questions about a board, answered exactly in words."""

from collections.abc import Callable, Iterable

import numpy as np

from tokoban.sokoban.board import Board, Square
from tokoban.sokoban.instructions.grammar import Sentence, named
from tokoban.sokoban.instructions.graph import build_graph
from tokoban.sokoban.instructions.machine import Cells
from tokoban.sokoban.instructions.meaning import Clause, Kind
from tokoban.sokoban.instructions.naming import find_box, find_place, name_of
from tokoban.sokoban.instructions.phrases import Phrases, languages
from tokoban.sokoban.instructions.truth import FAR, pushed, truth_of


def answer(board: Board, question: Sentence) -> str:
    """The answer, in the language of the question.

    ``ValueError`` where a name means nothing on the board, ``TooLargeError`` beyond the limits.
    """
    [clause] = question.meaning
    return _ANSWERS[clause.kind](board, clause, languages()[question.language])


def _how_many(board: Board, clause: Clause, phrases: Phrases) -> str:
    return str(len(board.boxes & board.goals & board.inside()))


def _where(board: Board, clause: Clause, phrases: Phrases) -> str:
    return _place(_box(board, clause), phrases)


def _is_on_goal(board: Board, clause: Clause, phrases: Phrases) -> str:
    return _yes_or_no(_box(board, clause) in board.goals, phrases)


def _is_deadlocked(board: Board, clause: Clause, phrases: Phrases) -> str:
    return _yes_or_no(not _can_reach_one(board, _box(board, clause), board.goals), phrases)


def _can_reach(board: Board, clause: Clause, phrases: Phrases) -> str:
    assert clause.place is not None
    squares = find_place(board, clause.place)
    return _yes_or_no(_can_reach_one(board, _box(board, clause), squares), phrases)


def _moves_first(board: Board, clause: Clause, phrases: Phrases) -> str:
    """None if solutions begin with different boxes, or with no push at all."""
    truth = truth_of(board, ())
    if truth.fewest_pushes is None:
        return phrases.answers["no_solution"]
    target, left = truth.graph.pushes.target, truth.pushes_left[:, 0]
    boxes = {
        pushed(truth.graph, push)[0]
        for push in truth.graph.pushes_from(0)
        if left[target[push]] != FAR
    }
    if truth.fewest_pushes == 0 or len(boxes) > 1:
        return phrases.answers["none"]
    box = boxes.pop()
    name = name_of(board, box)
    return _place(box, phrases) if name is None else named(name, phrases)


def _pushes_left(board: Board, clause: Clause, phrases: Phrases) -> str:
    fewest = truth_of(board, ()).fewest_pushes
    return phrases.answers["no_solution"] if fewest is None else str(fewest)


def _can_reach_one(board: Board, box: Square, squares: Iterable[Square]) -> bool:
    """Whether some play brings the box to one of the squares, whatever becomes of the others."""
    cells = Cells.of(board, [box])
    graph = build_graph(cells, is_whole=True)
    met = graph.positions.boxes[: graph.num_positions, 1].astype(np.int64)
    return bool(cells.mask(set(squares) & board.inside())[met].any())


def _box(board: Board, clause: Clause) -> Square:
    assert clause.box is not None
    return find_box(board, clause.box)


def _place(square: Square, phrases: Phrases) -> str:
    row, column = phrases.answers["row"], phrases.answers["column"]
    return f"{row} {square.row + 1} {column} {square.column + 1}"


def _yes_or_no(is_so: bool, phrases: Phrases) -> str:
    return phrases.answers["yes" if is_so else "no"]


_ANSWERS: dict[Kind, Callable[[Board, Clause, Phrases], str]] = {
    Kind.HOW_MANY: _how_many,
    Kind.WHERE: _where,
    Kind.IS_ON_GOAL: _is_on_goal,
    Kind.IS_DEADLOCKED: _is_deadlocked,
    Kind.CAN_REACH: _can_reach,
    Kind.MOVES_FIRST: _moves_first,
    Kind.PUSHES_LEFT: _pushes_left,
}
