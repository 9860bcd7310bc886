"""The job of sentences: what was understood, the exact answer, and the network's beside it."""

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

import tokoban
from tokoban.api import extras
from tokoban.sokoban.board import Board
from tokoban.sokoban.instructions import grammar, questions, truth
from tokoban.sokoban.instructions.meaning import Meaning
from tokoban.sokoban.instructions.naming import find_box, find_place, named_boxes
from tokoban.web import wire
from tokoban.web.job import Context

if TYPE_CHECKING:
    from tokoban.systems.instructions.model import InstructionNet

_MOST_TEXT = 400  # characters
_MOST_EVALUATED = 100  # positions, by the network


def obey(arguments: dict[str, Any], context: Context) -> Iterator[dict[str, Any]]:
    """An instruction obeyed, or a question answered, from the position on.

    First what was understood, then the exact answer; ``network`` is null without torch.
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
    yield {"event": "answer", **exact}
    network = None
    if extras.is_installed("networks"):
        network = _by_network(board, text, is_question=sentence.is_question)
    yield {"event": "done", **exact, "network": network}


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


def _by_network(board: Board, text: str, *, is_question: bool) -> dict[str, Any]:
    from tokoban.sokoban.instructions.play import Play
    from tokoban.systems.instructions import obey
    from tokoban.systems.instructions.prompts import Encoder

    if is_question:
        [play] = Encoder(board).encode([Play.of(board)])
        [said] = obey.answer_all(_network(), [(play, text)])
        return {"answer": said}
    found, predicted = obey.answer(_network(), board, text, most_evaluated=_MOST_EVALUATED)
    return {
        **wire.answer_to_json(found),
        "num_evaluated": found.num_evaluated,
        "impossible": round(predicted.predicted_unsolvable, 4),
    }


@cache
def _network() -> "InstructionNet":
    model: InstructionNet = tokoban.load("sokoban-instructions", system="instructions").model
    return model
