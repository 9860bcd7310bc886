"""The contents of a level file: levels, their solutions, and the problems found in it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import overload

from tokoban.sokoban.board import Board, Direction
from tokoban.sokoban.formats import lurd
from tokoban.sokoban.wording import counted

# Longer titles are cut where a message quotes them: a title may be a line of any length.
_QUOTED_LENGTH = 60

# The note of a level that is proved to be unsolvable.
NO_SOLUTION = "This level has no solution."


@dataclass(frozen=True)
class Solution:
    """Moves that solve a level, with their title and notes in the file.

    ``lurd`` has one of ``uldr`` for each step and one of ``ULDR`` for each push.
    """

    lurd: str
    title: str = "Solution"
    notes: tuple[str, ...] = ()
    line: int = field(default=0, compare=False)  # of the first move, from 1; 0 if from no file

    def __post_init__(self) -> None:
        if not isinstance(self.lurd, str):
            raise ValueError(f"a solution is {self.lurd!r}; expected text in LURD")
        if strange := set(self.lurd) - set("uldrULDR"):
            raise ValueError(f"a solution holds {min(strange)!r}; expected the letters uldrULDR")

    @classmethod
    def of(cls, board: Board, directions: Iterable[int], title: str = "Solution") -> "Solution":
        """The solution of these moves; raises ``ValueError`` unless they solve ``board``."""
        played = lurd.replay(board, lurd.letters_of(directions))
        if not played.is_solved:
            raise ValueError(played.reason or f"not solved after {played.moves} moves")
        return cls(played.lurd, title)

    @property
    def directions(self) -> tuple[Direction, ...]:
        """The player's moves, pushes among them."""
        return lurd.parse(self.lurd)

    @property
    def num_moves(self) -> int:
        """The number of moves, pushes included."""
        return len(self.lurd)

    @property
    def num_pushes(self) -> int:
        """The number of moves that push a box."""
        return sum(map(str.isupper, self.lurd))

    def __str__(self) -> str:
        """The moves as LURD."""
        return self.lurd


@dataclass(frozen=True)
class SavedGame:
    """Moves that the rules allow and that do not solve their level, as a player left them.

    ``position`` is how many of them were made when the game was saved; the others had been taken
    back and can be made again.
    """

    directions: tuple[Direction, ...]
    position: int
    title: str = "SaveGame"
    notes: tuple[str, ...] = ()
    line: int = field(default=0, compare=False)  # of the first move, from 1; 0 if from no file


@dataclass(frozen=True)
class Level:
    """A board with closed walls and as many goals as boxes, and its texts in the file.

    Two levels are equal wherever they were read from. ``notes`` are lines without line ends.
    ``number`` counts all boards of the file, so that an invalid one does not renumber the others.
    """

    board: Board
    title: str = ""
    author: str = ""
    notes: tuple[str, ...] = ()
    solutions: tuple[Solution, ...] = ()
    source: str = field(default="", compare=False)
    line: int = field(default=0, compare=False)  # of the first row, from 1; 0 if from no file
    saved_games: tuple[SavedGame, ...] = ()
    number: int = field(default=0, compare=False)  # which board of its file, from 1; 0 if from none

    def __post_init__(self) -> None:
        if not isinstance(self.board, Board):
            raise ValueError(f"the board of a level is {self.board!r}; expected a Board")
        for name in ("title", "author"):
            if not isinstance(getattr(self, name), str):
                raise ValueError(f"the {name} of a level is {getattr(self, name)!r}; expected text")
        for name, kind in (("notes", str), ("solutions", Solution), ("saved_games", SavedGame)):
            given = getattr(self, name)
            if not isinstance(given, tuple) or not all(isinstance(one, kind) for one in given):
                expected = f"a tuple of {'text' if kind is str else kind.__name__}"
                raise ValueError(f"the {name} of a level are {given!r:.60}; expected {expected}")


@dataclass(frozen=True)
class Problem:
    """A problem at one line of a file."""

    message: str
    source: str
    line: int
    level: int = 0  # which board of the file, from 1; 0 if the file itself is wrong
    title: str = ""

    def __str__(self) -> str:
        """One printable line: ``{source}:{line}: level {level} "{title}": {message}``."""
        level = f'level {self.level} "{quoted(self.title)}": ' if self.level else ""
        return f"{printable(self.source)}:{self.line}: {level}{printable(self.message)}"


@dataclass(frozen=True)
class LevelFile(Sequence[Level]):
    """The valid levels of a file, its problems, and the notes above its first level.

    It is a sequence of the valid levels. ``problems`` has the invalid ones. ``warnings`` are about
    oddities that lose nothing: a game that is kept as text, a wrong width.
    """

    levels: tuple[Level, ...]
    problems: tuple[Problem, ...] = ()
    notes: tuple[str, ...] = ()
    warnings: tuple[Problem, ...] = field(default=(), compare=False)

    @overload
    def __getitem__(self, index: int) -> Level: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Level, ...]: ...

    def __getitem__(self, index: int | slice) -> Level | tuple[Level, ...]:
        """The level of that place among the valid ones, from 0."""
        return self.levels[index]

    def __len__(self) -> int:
        """The number of valid levels."""
        return len(self.levels)

    def __repr__(self) -> str:
        # All levels of a file fill the screen.
        levels, problems = counted(len(self), "valid level"), counted(len(self.problems), "problem")
        return f"<LevelFile: {levels}, {problems}>"

    @property
    def num_boards(self) -> int:
        """The number of boards, as ``Level.number`` counts them."""
        numbers = (level.number for level in self.levels)
        return max((*numbers, *(problem.level for problem in self.problems)), default=0)

    @property
    def invalid(self) -> dict[int, Problem]:
        """By number, the first problem of each board that is no level.

        A level with a problem is not among them: only a solution or a saved game of it is wrong.
        """
        valid = {level.number for level in self.levels}
        found: dict[int, Problem] = {}
        for problem in self.problems:
            if problem.level and problem.level not in valid:
                found.setdefault(problem.level, problem)
        return found


def printable(text: str) -> str:
    """``text`` without what could steer a terminal; titles are other people's."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def quoted(title: str) -> str:
    """A title as messages quote it: printable, and cut where it is long."""
    if len(title) > _QUOTED_LENGTH:
        title = title[: _QUOTED_LENGTH - 3] + "..."
    return printable(title)
