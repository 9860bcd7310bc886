"""The post's text format for training entries drawn by hand: a start, its goal, solutions.

::

    start:          two boards in XSB squares, the goal with every box on a goal
    ########
    #. bp  #
    ########

    goal:
    ########
    #B     #
    ########

    solved          then any number of solutions, each "solved" or "unsolved"
    moves: UxLL     u d l r in capitals, x for undo
    isbad: xx--     x: not to be imitated, masked out of the loss

The post draws its boards with ``b``, ``B`` and ``p``, which XSB reads too.
"""

from dataclasses import dataclass

from tokoban.sokoban.board import UNDO, Board
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.puzzles.random_levels import GeneratedLevel
from tokoban.sokoban.rules import play

_ACTIONS = {"U": 0, "L": 1, "D": 2, "R": 3, "x": UNDO}


@dataclass(frozen=True)
class HandcraftedEntry:
    """One solution from one start; an unsolved one says that the start has no solution."""

    start: Board
    actions: tuple[int, ...]
    is_bad: tuple[bool, ...]
    is_solved: bool

    @classmethod
    def from_level(cls, level: GeneratedLevel) -> "HandcraftedEntry":
        """A generated level as an entry: its solution, nothing masked; or none, and no moves."""
        actions = tuple(level.solution or ())
        return cls(level.board, actions, (False,) * len(actions), level.solution is not None)


def parse_entries(text: str, *, source: str) -> list[HandcraftedEntry]:
    """All entries of a file; raises ``ValueError`` with ``source`` and line for what is wrong."""
    entries: list[HandcraftedEntry] = []
    start: Board | None = None
    lines = list(enumerate(text.splitlines(), start=1))
    place = 0
    while place < len(lines):
        number, line = lines[place][0], lines[place][1].strip()
        place += 1
        try:
            if not line:
                continue
            if line in ("start:", "goal:"):
                rows = []
                while place < len(lines) and lines[place][1].strip():
                    rows.append(lines[place][1].rstrip())
                    place += 1
                start = _start_or_checked_goal(line, "\n".join(rows), start)
            elif line in ("solved", "unsolved"):
                values = []
                for key in ("moves:", "isbad:"):
                    following = lines[place][1].strip() if place < len(lines) else "the end"
                    if not following.startswith(key):
                        raise ValueError(f"expected {key!r} after {line!r}, got {following!r}")
                    values.append(following.removeprefix(key).strip())
                    place += 1
                entries.append(_entry(start, *values, is_solved=line == "solved"))
            else:
                raise ValueError(f"expected start:, goal:, solved or unsolved, got {line!r}")
        except ValueError as error:
            raise ValueError(f"{source}:{number}: {error}") from None
    return entries


def _start_or_checked_goal(kind: str, drawing: str, start: Board | None) -> Board:
    """The start drawn, or the start again once the goal is seen to belong to it."""
    if kind == "start:":
        return parse_board(drawing)
    if start is None:
        raise ValueError("a goal before any start")
    # A goal has no player of its own: any floor square will do to read it.
    goal = parse_board(
        drawing if any(p in drawing for p in "@+pP") else drawing.replace(" ", "@", 1)
    )
    if (goal.walls, goal.goals) != (start.walls, start.goals) or not goal.is_solved:
        raise ValueError("the goal must have the walls and goals of the start, a box on each goal")
    return start


def _entry(start: Board | None, moves: str, bad: str, *, is_solved: bool) -> HandcraftedEntry:
    if start is None:
        raise ValueError("a solution before any start")
    unknown = sorted(set(moves) - set(_ACTIONS))
    if unknown:
        raise ValueError(f"move {unknown[0]!r} is not one of U L D R x")
    if len(bad) != len(moves) or set(bad) - set("x-"):
        raise ValueError(f"expected one of x - for each of the {len(moves)} moves, got {bad!r}")
    actions = tuple(_ACTIONS[move] for move in moves)
    if is_solved and not play(start, actions)[-1].is_solved:
        raise ValueError(f"the moves {moves} do not solve the start")
    return HandcraftedEntry(start, actions, tuple(letter == "x" for letter in bad), is_solved)
