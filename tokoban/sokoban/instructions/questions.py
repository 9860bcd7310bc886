"""Questions about a board, answered exactly in words."""

from collections.abc import Callable, Iterable

import numpy as np

from tokoban.sokoban.board import Board, Square
from tokoban.sokoban.instructions.grammar import Sentence
from tokoban.sokoban.instructions.graph import build_graph
from tokoban.sokoban.instructions.machine import Cells
from tokoban.sokoban.instructions.meaning import Clause, Kind
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
    [clause] = question.meaning
    phrases, value = languages()[question.language], _ANSWERS[clause.kind](board, clause, watch)
    boxes = names_of(board, value) if isinstance(value, Square) and not clause.box else []
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


def _moves_first(board: Board, clause: Clause, watch: Watch) -> Value:
    """None if solutions begin with different boxes, or with no push at all."""
    truth = truth_of(board, (), watch)
    target, left = truth.graph.pushes.target, truth.pushes_left[:, 0]
    pushes = [push for push in truth.graph.pushes_from(0) if left[target[push]] != FAR]
    boxes = {pushed(truth.graph, push)[0] for push in pushes}
    if truth.fewest_pushes is None:
        return "no_solution"
    if truth.fewest_pushes == 0 or len(boxes) > 1:
        return "none"
    return boxes.pop()


def _pushes_left(board: Board, clause: Clause, watch: Watch) -> Value:
    fewest = truth_of(board, (), watch).fewest_pushes
    return "no_solution" if fewest is None else fewest


def _can_reach(board: Board, box: Square, squares: Iterable[Square], watch: Watch) -> bool:
    """Whether some play brings the box to one of the squares, whatever becomes of the others."""
    cells = Cells.of(board, [box])
    graph = build_graph(cells, is_whole=True, watch=watch)
    met = graph.positions.boxes[: graph.num_positions, 1].astype(np.int64)
    return bool(cells.mask(set(squares) & board.inside())[met].any())


def _box(board: Board, clause: Clause) -> Square:
    assert clause.box is not None
    return find_box(board, clause.box)


def _can_reach_place(board: Board, clause: Clause, watch: Watch) -> Value:
    assert clause.place is not None
    return _can_reach(board, _box(board, clause), find_place(board, clause.place), watch)


_ANSWERS: dict[Kind, Callable[[Board, Clause, Watch], Value]] = {
    Kind.HOW_MANY: lambda board, _, __: len(board.boxes & board.goals & board.inside()),
    Kind.WHERE: lambda board, clause, _: _box(board, clause),
    Kind.IS_ON_GOAL: lambda board, clause, _: _box(board, clause) in board.goals,
    Kind.IS_DEADLOCKED: lambda board, clause, watch: (
        not _can_reach(board, _box(board, clause), board.goals, watch)
    ),
    Kind.CAN_REACH: _can_reach_place,
    Kind.MOVES_FIRST: _moves_first,
    Kind.PUSHES_LEFT: _pushes_left,
}
