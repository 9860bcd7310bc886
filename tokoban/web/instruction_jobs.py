"""The job of sentences: what was understood, and the exact answer."""

from collections.abc import Iterator
from typing import Any

from tokoban.sokoban.board import Board
from tokoban.sokoban.instructions import grammar, questions, truth
from tokoban.sokoban.instructions.meaning import Meaning
from tokoban.sokoban.instructions.naming import find_place, named_boxes
from tokoban.web import wire
from tokoban.web.job import Context

_MOST_TEXT = 400  # characters


def obey(arguments: dict[str, Any], context: Context) -> Iterator[dict[str, Any]]:
    """Obeys an instruction, or answers a question, from the position on.

    First what was understood, then the answer.
    """
    board = wire.board_of(arguments)
    text = wire.text_of(arguments, "text", most=_MOST_TEXT)
    sentence = grammar.parse(text)
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


def _names(board: Board, meaning: Meaning) -> dict[str, Any]:
    """The squares of all boxes and places that are named."""
    places = {
        square
        for clause in meaning
        for place in (clause.place, clause.other_place)
        if place is not None
        for square in find_place(board, place)
    }
    return {"boxes": wire.squares(named_boxes(board, meaning)), "places": wire.squares(places)}
