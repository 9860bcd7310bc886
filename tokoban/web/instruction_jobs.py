"""The job for sentences: what was understood, the exact answer, and a network's answer."""

from collections.abc import Iterator
from functools import cache
from typing import Any

import tokoban
from tokoban.api import extras
from tokoban.sokoban.board import Board
from tokoban.sokoban.formats.faults import Fault
from tokoban.sokoban.instructions import grammar, truth
from tokoban.sokoban.instructions.grammar import Sentence
from tokoban.sokoban.instructions.meaning import ROLES
from tokoban.sokoban.instructions.naming import find_place, named_boxes
from tokoban.sokoban.instructions.phrases import languages
from tokoban.sokoban.search.limits import Limits, Watch
from tokoban.web import wire
from tokoban.web.job import Context

_MOST_TEXT = 400  # characters
_OBEY_S = 30.0


def obey(arguments: dict[str, Any], context: Context) -> Iterator[dict[str, Any]]:
    """Obeys an instruction from the position on, or answers a question about it.

    First what was understood, then the exact answer, then what the network that comes with tokoban
    says, None where it is not installed, no time is left, or the floor or a name is not for it.
    """
    board = wire.board_of(arguments)
    text = wire.text_of(arguments, "text", most=_MOST_TEXT)
    sentence = grammar.parse(text)
    limits = wire.limits_of(arguments, context, usual_s=_OBEY_S)
    watch = Watch(Limits(**limits))
    yield {
        "event": "understood",
        "sentence": str(sentence),
        "names": _names(board, sentence),
    }
    if sentence.is_question:
        exact = {"answer": tokoban.ask(board, text, **limits)}
    else:
        exact = wire.answer_to_json(truth.solve(board, sentence.meaning, watch.limits))
    yield {"event": "answered", **exact}
    yield {"event": "done", "network": _by_network(board, text, sentence, watch.rest())}


def _by_network(
    board: Board, text: str, sentence: Sentence, limits: Limits
) -> dict[str, Any] | None:
    if not extras.is_installed("networks"):
        return None
    from tokoban.systems.instructions import obey as reader

    try:
        if sentence.is_question:
            return {"answer": tokoban.ask(board, text, policy=_network())}
        answer, predicted = reader.answer(_network().model, board, text, limits)
    except ValueError:  # a floor too large, or a name that the network does not know
        return None
    if predicted is None:  # a floor too large, or no time
        return None
    return {
        "num_pushes": answer.solution and answer.solution.num_pushes,
        "impossible": predicted.predicted_unsolvable,
    }


@cache
def _network() -> Any:
    return tokoban.load("sokoban-instructions")


def _names(board: Board, sentence: Sentence) -> dict[str, Any]:
    """The squares of all boxes and places that are named."""
    meaning, phrases = sentence.meaning, languages()[sentence.language]
    try:
        boxes = named_boxes(board, meaning)
        places = {
            square
            for clause in meaning
            for place in (clause.place, clause.other_place)
            if place is not None
            for square in find_place(board, place)
        }
    except ValueError as error:
        [fault] = error.args
        assert isinstance(fault, Fault)
        said: dict[object, str] = {
            meant.value: phrases.with_capitals(grammar.usual_name(meant, sentence.language))
            for clause in meaning
            for role in ROLES
            if (meant := getattr(clause, role)) is not None
        }
        # Its names are in English.
        fault.values |= {key: said[name] for key, name in fault.values.items() if name in said}
        raise
    return {"boxes": wire.squares(boxes), "places": wire.squares(places)}
