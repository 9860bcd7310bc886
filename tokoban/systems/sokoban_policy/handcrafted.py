"""Solutions to learn from, such as the one that the post drew by hand: some moves do not count."""

from dataclasses import dataclass

from tokoban.sokoban.board import Board
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.puzzles.random_levels import GeneratedLevel

_ACTIONS = "ULDRx"  # in the order of their numbers; x: undo


@dataclass(frozen=True)
class HandcraftedEntry:
    """One solution from one start; an unsolved one says that the start has no solution."""

    start: Board
    actions: tuple[int, ...]
    is_bad: tuple[bool, ...]  # not to be imitated, masked out of the loss
    is_solved: bool

    @classmethod
    def from_level(cls, level: GeneratedLevel) -> "HandcraftedEntry":
        """A generated level as an entry: its solution, nothing masked; or none, and no moves."""
        actions = tuple(level.solution or ())
        return cls(level.board, actions, (False,) * len(actions), level.solution is not None)


def _drawn(moves: str, bad: str) -> HandcraftedEntry:
    """A solution of the post's start; an x of ``bad`` stands below each move that is bad."""
    start = parse_board("########|#      #|#      #|# . $@ #|#      #|#      #|#      #|########")
    actions = tuple(_ACTIONS.index(move) for move in moves)
    return HandcraftedEntry(start, actions, tuple(mark == "x" for mark in bad), is_solved=True)


HANDCRAFTED = (_drawn("LL", "--"), _drawn("xLL", "x--"), _drawn("UxLL", "xx--"))
