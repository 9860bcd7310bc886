"""Scores the responses of any model to the benchmark; the truth is found anew, not read."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tokoban.sokoban.board import Board
from tokoban.sokoban.formats import lurd
from tokoban.sokoban.instructions.grammar import parse
from tokoban.sokoban.instructions.machine import obeys
from tokoban.sokoban.instructions.questions import answer
from tokoban.sokoban.instructions.truth import truth_of

IMPOSSIBLE = ("impossible", "unmöglich")
_TEXTS = ("split", "text", "response")


@dataclass
class Scores:
    """Counts of one split."""

    possible: int = 0  # instructions
    obeyed: int = 0  # of these
    extra_pushes: int = 0  # of the obedient solutions, beyond the fewest
    fewest_pushes: int = 0  # of the same instructions
    impossible: int = 0
    refused: int = 0  # of these
    questions: int = 0
    right: int = 0

    def add(self, board: Board, text: str, response: str) -> None:
        """Judges a response; ``ValueError`` for a sentence that means nothing on the board."""
        sentence, response = parse(text), response.strip()
        if sentence.is_question:
            right = answer(board, sentence)
            self.questions += 1
            self.right += response.casefold().rstrip(".") == right
            return
        truth = truth_of(board, sentence.meaning)
        if truth.fewest_pushes is None:
            self.impossible += 1
            self.refused += response.casefold().rstrip(".") in IMPOSSIBLE
            return
        self.possible += 1
        try:
            moves = lurd.parse(response)
        except ValueError:
            return
        if obeys(truth.graph.cells, truth.machine, moves):
            self.obeyed += 1
            num_pushes = lurd.replay(board, response).lurd
            self.extra_pushes += sum(map(str.isupper, num_pushes)) - truth.fewest_pushes
            self.fewest_pushes += truth.fewest_pushes

    def metrics(self, name: str) -> dict[str, float]:
        """Counts, and shares of those that are not zero."""
        shares = {
            "obeyed": (self.obeyed, self.possible),
            "extra_pushes": (self.extra_pushes, self.fewest_pushes),
            "refused": (self.refused, self.impossible),
            "answered": (self.right, self.questions),
        }
        counts = {"possible": self.possible, "impossible": self.impossible}
        counts["questions"] = self.questions
        found: dict[str, float] = {f"{name}_{key}": count for key, count in counts.items() if count}
        return found | {
            f"{name}_{key}": count / whole for key, (count, whole) in shares.items() if whole
        }


@dataclass
class Scored:
    """The scores by split, and what was wrong with lines."""

    splits: dict[str, Scores] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


def score(lines: Iterable[tuple[int, Any]]) -> Scored:
    """Scores objects by the numbers of their lines; what is no such object is a problem."""
    scored = Scored()
    for number, item in lines:
        try:
            board = _board(item)
            scores = scored.splits.get(item["split"], Scores())
            scores.add(board, item["text"], item["response"])
            scored.splits[item["split"]] = scores
        except ValueError as error:
            scored.problems.append(f"{number}: {error}")
    return scored


def _board(item: Any) -> Board:
    if not isinstance(item, Mapping):
        raise ValueError(f"the line is {item!r:.60}; expected an object in JSON")
    for name in _TEXTS:
        if not isinstance(item.get(name), str):
            raise ValueError(f"{name} is {item.get(name)!r:.60}; expected text")
    rows = item.get("board")
    if not isinstance(rows, list) or not all(isinstance(row, str) for row in rows):
        raise ValueError(f"board is {rows!r:.60}; expected rows of text")
    return Board.from_xsb("\n".join(rows))
