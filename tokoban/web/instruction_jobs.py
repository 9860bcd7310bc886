"""The job of sentences: what was understood, and the exact answer."""

from collections.abc import Iterator
from typing import Any

from tokoban.sokoban.board import Board
from tokoban.sokoban.instructions import grammar, questions, truth
from tokoban.sokoban.instructions.meaning import Meaning
from tokoban.sokoban.instructions.naming import find_box, find_place, named_boxes
from tokoban.web import wire
from tokoban.web.job import Context

_MOST_TEXT = 400  # characters


def obey(arguments: dict[str, Any], context: Context) -> Iterator[dict[str, Any]]:
    """An instruction obeyed, or a question answered, from the position on.

    First what was understood, then the answer.
    """
    board = wire.board_of(arguments)
    text = wire.text_of(arguments, "text", most=_MOST_TEXT)
    sentence = grammar.parse(text)
    named_boxes(board, sentence.meaning)  # refuses names that mean nothing on the board
    yield {
        "event": "understood",
        "sentence": grammar.sentence(sentence.meaning, sentence.language),
        "names": _names(board, sentence.meaning),
    }
    if sentence.is_question:
        exact = {"answer": questions.answer(board, sentence)}
    else:
        exact = wire.answer_to_json(truth.solve(board, sentence.meaning))
    yield {"event": "done", **exact}


def _names(board: Board, meaning: Meaning) -> list[dict[str, Any]]:
    """What each name means on the board."""
    found = []
    for clause in meaning:
        for box in (clause.box, clause.other):
            if box is not None:
                squares = wire.squares([find_box(board, box)])
                found.append({"kind": "box", "name": box.value, "squares": squares})
        for place in (clause.place, clause.other_place):
            if place is not None:
                squares = wire.squares(find_place(board, place))
                found.append({"kind": "place", "name": place.value, "squares": squares})
    return found
