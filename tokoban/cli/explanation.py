"""Explanations of positions, as text for people and as JSON for programs."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from rich.text import Text

from tokoban.cli.found import entry
from tokoban.sokoban.explanation import Explanation, drawing
from tokoban.sokoban.formats import Level
from tokoban.sokoban.proofs.certificate import Certificate
from tokoban.sokoban.proofs.notation import to_json
from tokoban.sokoban.wording import counted


@dataclass(frozen=True)
class Game:
    """Moves that were made on a level, and which of its saved games they are, from 1."""

    number: int
    level: Level
    moves: str
    saved: int | None = None


def as_text(game: Game, explanation: Explanation) -> Text:
    """A line on when, sentences on why, and a drawing of the boxes in deadlock."""
    saved = "" if game.saved is None else f"  saved game {game.saved}"
    figures = f"{_when(game, explanation)}: {explanation.elapsed_s:.2f} s{saved}"
    below = [Text(sentence) for sentence in explanation.sentences]
    if explanation.certificate is not None:
        below += drawn(explanation.certificate)
    return entry(game.number, explanation.status, figures, game.level, *below)


def _when(game: Game, explanation: Explanation) -> str:
    """The push that deadlocked the game, or the number of moves, in words."""
    moves, solvable = explanation.moves, explanation.num_moves_solvable
    if not game.moves:
        return ""
    if explanation.status != "deadlocked":
        return f" after {counted(len(moves), 'move')}"
    if not moves:
        return " from the start"
    num_pushes = sum(map(str.isupper, moves))
    message = f" by push {num_pushes} (move {len(moves)}, {moves[-1]})"
    if solvable is not None and sum(map(str.isupper, moves[:solvable])) == num_pushes - 1:
        return message
    known = "" if solvable is None else f", solvable until move {solvable}"
    return f"{message} at the latest{known}"


def described(game: Game, explanation: Explanation) -> dict[str, Any]:
    """The object for ``--json``; what is not known is null."""
    certificate = explanation.certificate
    return {
        "index": game.number,
        "title": game.level.title,
        "saved_game": game.saved,
        "status": explanation.status,
        "played": explanation.moves,
        "num_moves_solvable": explanation.num_moves_solvable,
        "lurd": explanation.solution and explanation.solution.lurd,
        "elapsed_s": round(explanation.elapsed_s, 6),
        "certificate": certificate and to_json(certificate),
    }


def drawn(certificate: Certificate) -> Iterator[Text]:
    """The rows of the board: the boxes in deadlock are X, or x on a goal."""
    for row in drawing(certificate).split("\n"):
        line = Text()
        for letter in row:
            line.append(letter, style="bold red reverse" if letter in "Xx" else "")
        yield line
