"""A game in progress: levels, and the moves on one of them; it knows no screen and no keys."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from tokoban.sokoban import rules
from tokoban.sokoban.board import Board, Direction
from tokoban.sokoban.formats import Level, lurd


@dataclass(frozen=True)
class Progress:
    """A player's progress in a level: legal moves that do not solve it, and solutions.

    Only ``position`` of the moves are in force; the others were taken back and can be made again.
    Of the solutions there are the one with the fewest moves and the one with the fewest pushes.
    """

    directions: tuple[Direction, ...] = ()
    position: int = 0
    solutions: tuple[tuple[Direction, ...], ...] = ()


class Game:
    """Plays levels by the plain rules; mutable, since a game goes on.

    ``number`` is that of the level being played; ``solutions`` has by number the newest solution of
    each level solved so far. A level that is left keeps its moves, unless they have solved it.
    """

    def __init__(
        self,
        levels: Mapping[int, Level],
        *,
        number: int | None = None,
        progress: Mapping[int, Progress] | None = None,
    ) -> None:
        """Begins with the level of that ``number``, or else with the first.

        ``progress`` by number is that of earlier games. Raises ``ValueError`` for a number that no
        level has.
        """
        if number is not None and number not in levels:
            raise ValueError(f"there is no level {number}")
        self.levels = dict(levels)
        self.solutions: dict[int, str] = {}
        self._progress = dict(progress or {})
        self._open(next(iter(levels)) if number is None else number)

    def _open(self, number: int) -> None:
        self.number = number
        self.directions: list[Direction] = []  # those in force
        self._undone: list[Direction] = []  # those that can be made again, the next one last
        self._boards = [self.level.board]  # the start, and one for each of those in force
        kept = self._progress.get(number, Progress())
        for direction in kept.directions[: kept.position]:
            self._make(direction)
        self._undone = [*reversed(kept.directions[kept.position :])]

    @property
    def num_levels(self) -> int:
        """The number of the last level."""
        return max(self.levels)

    @property
    def level(self) -> Level:
        """The level being played."""
        return self.levels[self.number]

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
        if self.board.is_solved or rules.step(self.board, direction) == self.board:
            return
        # A move that was taken back and is made by hand leaves those behind it to be made again.
        if self._undone and self._undone[-1] == direction:
            self._undone.pop()
        else:
            self._undone.clear()
        self._make(direction)

    def _make(self, direction: Direction) -> None:
        self._boards.append(rules.step(self.board, direction))
        self.directions.append(direction)
        if self.board.is_solved:
            self.solutions[self.number] = self.lurd
            kept = self._progress.get(self.number, Progress())
            solutions = shortest(self.level.board, (*kept.solutions, (*self.directions,)))
            self._progress[self.number] = replace(kept, solutions=solutions)

    def undo(self) -> None:
        """Takes the last move back, and the one before it when repeated, as ``rules.play`` does."""
        if self.directions:
            self._undone.append(self.directions.pop())
            self._boards.pop()

    def redo(self) -> None:
        """Makes the last move again that was taken back."""
        if self._undone:
            self._make(self._undone.pop())

    def restart(self) -> None:
        """Takes all moves back, so that they can be made again."""
        while self.directions:
            self.undo()

    def turn_to(self, step: int) -> None:
        """Opens the level ``step`` places on; the last is followed by the first."""
        numbers = list(self.levels)
        self.open(numbers[(numbers.index(self.number) + step) % len(numbers)])

    def open(self, number: int) -> None:
        """Opens the level of that number as it was left, or from its start if it was solved."""
        self._progress[self.number] = self.progress(self.number)
        self._open(number)

    def progress(self, number: int) -> Progress:
        """The progress in a level so far."""
        kept = self._progress.get(number, Progress())
        if number != self.number:
            return kept
        if self.board.is_solved:
            return replace(kept, directions=(), position=0)
        directions = (*self.directions, *reversed(self._undone))
        letters = lurd.letters_of(directions)
        if lurd.replay(self.level.board, letters).is_solved:
            directions = directions[:-1]  # else it would be a solution, which is kept as such
        return replace(kept, directions=directions, position=len(self.directions))


def shortest(
    start: Board, solutions: tuple[tuple[Direction, ...], ...]
) -> tuple[tuple[Direction, ...], ...]:
    """The first with the fewest moves and the first with the fewest pushes, which may be one."""

    def figures(solution: tuple[Direction, ...]) -> tuple[int, int]:
        return len(solution), sum(map(str.isupper, lurd.format(start, solution)))

    if not solutions:
        return ()
    by_moves = min(solutions, key=figures)
    by_pushes = min(solutions, key=lambda solution: figures(solution)[::-1])
    return tuple(dict.fromkeys((by_moves, by_pushes)))
