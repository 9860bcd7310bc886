"""What is found out about a game, for people, for scripts and as a picture.

Nothing is shown that the checker of certificates, or the plain rules, do not confirm.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from rich.text import Text

from tokoban.cli.output import counted
from tokoban.cli.png import encode_png
from tokoban.sokoban.board import Square
from tokoban.sokoban.formats import Level, format_board, printable
from tokoban.sokoban.proofs.certificate import Certificate
from tokoban.sokoban.proofs.explainer import Deadlocked
from tokoban.sokoban.proofs.games import ExplainedGame
from tokoban.sokoban.proofs.notation import to_json
from tokoban.sokoban.render import SQUARE_PX, render_rgb

_STYLES = {"solvable": "green", "deadlocked": "yellow", "unknown": "red"}
_FRAME, _FRAME_PX = (220, 30, 30), 3


@dataclass(frozen=True)
class Game:
    """Moves that were made on a level, and which of its saved games they are, from 1."""

    number: int
    level: Level
    moves: str
    saved: int | None = None


class Explanation:
    """A game, the verdict on it, and its words."""

    def __init__(self, game: Game, verdict: ExplainedGame) -> None:
        self.game = game
        self.verdict = verdict
        answer = verdict.answer
        self.plan = self.certificate = None
        if isinstance(answer, Deadlocked):
            self.certificate = answer.certificate
        elif answer.solution is not None:
            self.plan = answer.solution.lurd

    @property
    def status(self) -> str:
        """Of three honest answers, the one that was found."""
        if self.certificate is not None:
            return "deadlocked"
        return "unknown" if self.plan is None else "solvable"

    def text(self) -> Text:
        """A line on when, sentences on why, and a drawing of the boxes in deadlock."""
        saved = "" if self.game.saved is None else f"  saved game {self.game.saved}"
        head = Text.assemble(
            (f"{self.game.number:>4}  ", "dim"),
            (self.status, f"bold {_STYLES[self.status]}"),
            f"{self._when()}: {self.verdict.answer.elapsed_s:.2f} s{saved}",
            (f"  {printable(self.game.level.title)}".rstrip(), "bold"),
        )
        if self.certificate is not None:
            below = [Text(sentence) for sentence in sentences(self.certificate)]
            below += drawn(self.certificate)
        elif self.plan is not None:
            told = f"{counted(len(self.plan), 'move')} to go: {self.plan}"
            below = [Text(told if self.plan else "solved")]
        else:
            limit = getattr(self.verdict.answer, "reason", "")
            below = [Text(f"neither solved nor proved deadlocked within {limit}")]
        return Text("\n").join([head, *(Text("      ") + line for line in below)])

    def _when(self) -> str:
        """Which push deadlocked the game, or how far it has come."""
        moves, solvable = self.verdict.moves, self.verdict.num_moves_solvable
        if not self.game.moves:
            return ""
        if self.status != "deadlocked":
            return f" after {counted(len(moves), 'move')}"
        if not moves:
            return " from the start"
        num_pushes = sum(map(str.isupper, moves))
        told = f" by push {num_pushes} (move {len(moves)}, {moves[-1]})"
        if solvable is not None and sum(map(str.isupper, moves[:solvable])) == num_pushes - 1:
            return told
        known = "" if solvable is None else f", solvable until move {solvable}"
        return f"{told} at the latest{known}"

    def described(self) -> dict[str, Any]:
        """The object for ``--json``; what is not known is null."""
        return {
            "index": self.game.number,
            "title": self.game.level.title,
            "saved_game": self.game.saved,
            "status": self.status,
            "moves": self.verdict.moves,
            "moves_known_solvable": self.verdict.num_moves_solvable,
            "lurd": self.plan,
            "seconds": round(self.verdict.answer.elapsed_s, 6),
            "certificate": self.certificate and to_json(self.certificate),
        }

    def picture(self) -> bytes:
        """The position as PNG, the boxes in deadlock framed."""
        picture = render_rgb(self.verdict.board)
        for row, column in self.certificate.boxes if self.certificate else ():
            top, left = row * SQUARE_PX, column * SQUARE_PX
            tile = picture[top : top + SQUARE_PX, left : left + SQUARE_PX]
            inside = (slice(_FRAME_PX, -_FRAME_PX),) * 2
            box = tile[inside].copy()
            tile[:] = _FRAME
            tile[inside] = box
        return encode_png(picture)


def sentences(certificate: Certificate) -> list[str]:
    """Why a position is deadlocked, for people; squares are counted from 1."""
    boxes, kind = certificate.boxes, certificate.kind
    where = " and ".join(f"row {box.row + 1}, column {box.column + 1}" for box in boxes)
    if kind == "count":
        return ["There are fewer boxes than goals."]
    if kind == "dead":
        return [f"No pushes bring the box at {where} to a goal."]
    if len(boxes) == 1:
        return [f"The box at {where} is on no goal, and any push would deadlock it."]
    group = f"the {len(boxes)} boxes at {where}"
    told = {
        "frozen": f"Not all on goals are {group}, and any push of one would deadlock it.",
        "bipartite": f"To no more than {counted(len(boxes) - 1, 'goal')} come {group}.",
        "search": f"Even were there no others, {group} could not all come to goals, as a search "
        f"of {counted(len(certificate.positions), 'position')} shows.",
    }[kind]
    if certificate.is_minimal:
        return [told, "Without any one of them the others could."]
    return [told, "Whether all of them are needed for that is not known."]


def drawn(certificate: Certificate) -> Iterator[Text]:
    """The rows of the board: the boxes in deadlock are X, or x on a goal."""
    for row, letters in enumerate(format_board(certificate.board).split("\n")):
        line = Text()
        for column, letter in enumerate(letters):
            if Square(row, column) in certificate.boxes:
                line.append({"$": "X", "*": "x"}[letter], style="bold red reverse")
            else:
                line.append(letter)
        yield line
