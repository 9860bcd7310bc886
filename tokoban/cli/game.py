"""A game in progress: levels, and the moves on one of them; it knows no screen and no keys."""

from collections.abc import Mapping

from tokoban.sokoban import rules
from tokoban.sokoban.board import Board, Direction
from tokoban.sokoban.formats import Level, lurd


class Game:
    """Plays levels by the plain rules; mutable, since a game goes on.

    ``number`` is that of the level being played; ``solutions`` has by number the newest solution of
    each level solved so far.
    """

    def __init__(self, levels: Mapping[int, Level], *, number: int | None = None) -> None:
        """Begins with the level of that ``number``, or else with the first.

        Raises ``ValueError`` for a number that no level has.
        """
        if number is not None and number not in levels:
            raise ValueError(f"there is no level {number}")
        self._levels = dict(levels)
        self.solutions: dict[int, str] = {}
        self._open(next(iter(levels)) if number is None else number)

    def _open(self, number: int) -> None:
        self.number = number
        self.directions: list[Direction] = []  # those in force
        self._boards = [self.level.board]  # the start, and one for each of them

    @property
    def num_levels(self) -> int:
        """The number of the last level."""
        return max(self._levels)

    @property
    def level(self) -> Level:
        """The level being played."""
        return self._levels[self.number]

    @property
    def board(self) -> Board:
        """The board as it is now."""
        return self._boards[-1]

    @property
    def lurd(self) -> str:
        """The moves in force, upper-case where they push."""
        return lurd.format(self.level.board, self.directions)

    @property
    def before(self) -> Board:
        """The board before the last move, or the start."""
        return self._boards[-2:][0]

    def move(self, direction: Direction) -> None:
        """Moves the player; a bump changes nothing, and neither does a move on a solved board."""
        if self.board.is_solved:
            return
        after = rules.step(self.board, direction)
        if after == self.board:
            return
        self._boards.append(after)
        self.directions.append(direction)
        if after.is_solved:
            self.solutions[self.number] = self.lurd

    def undo(self) -> None:
        """Takes the last move back, and the one before it when repeated, as ``rules.play`` does."""
        if self.directions:
            self.directions.pop()
            self._boards.pop()

    def restart(self) -> None:
        """Back to the start of the level."""
        self._open(self.number)

    def turn_to(self, step: int) -> None:
        """Opens the level ``step`` places on; the last is followed by the first."""
        numbers = list(self._levels)
        self._open(numbers[(numbers.index(self.number) + step) % len(numbers)])
