"""A player's seat: what each key does, and what is on the screen after it."""

from collections.abc import Callable

from rich.text import Text

from tokoban.cli import pages
from tokoban.cli.advice import Advice
from tokoban.cli.screen import Screen
from tokoban.sokoban.board import Direction, Square
from tokoban.sokoban.play import Game
from tokoban.sokoban.render import Mark, pushed_box

_DIRECTIONS = {
    **{direction.name.lower(): direction for direction in Direction},  # arrows, by their names
    **dict(zip("wasd", Direction, strict=True)),
}
_MOVES_BETWEEN_SAVES = 50


class Table:
    """A game, its advice and its screen; mutable. ``message`` is shown until the next key.

    ``look`` is that of ``advice.Background``. ``save`` is called when a level is solved or left,
    and now and then; it answers a complaint.
    """

    def __init__(
        self,
        game: Game,
        look: Callable[..., Advice],
        screen: Screen,
        *,
        save: Callable[[], str | None],
    ) -> None:
        self._game, self._look, self._screen = game, look, screen
        self._save = save
        self.message = ""
        self.notice = ""  # why a hint takes long, until it comes
        self._page = "game"
        self._grade = 0  # of the hint that is wanted; 0 for none
        self._cursor = game.number  # in the list of levels
        self._typed = ""  # the digits of a level's number
        self._deadlocked_after: int | None = None  # moves; all that follow are deadlocked too
        self._num_unsaved = 0

    def press(self, key: str) -> bool:
        """Obeys a key; whether the game goes on. Unknown keys change nothing."""
        self.message = ""
        if self._page == "game":
            return self._play(key)
        if self._page == "levels":
            self._choose(key)
        else:
            self._page = "game"
        return True

    def _play(self, key: str) -> bool:
        game, before = self._game, (self._game.number, self._game.board)
        was_solved = game.board.is_solved
        if key in _DIRECTIONS:
            game.move(_DIRECTIONS[key])
        elif key in ("u", "backspace"):
            game.undo()
        elif key == "y":
            game.redo()
        elif key == "r":
            game.restart()
        elif key in ("n", "p"):
            game.turn_to(1 if key == "n" else -1)
        elif key == "h" and not game.board.is_solved:
            self._grade = min(self._grade + 1, pages.NUM_GRADES)
        elif key in ("l", "?"):
            self._page = "levels" if key == "l" else "keys"
            self._cursor, self._typed = game.number, ""
        elif key == "q":
            return False
        if (game.number, game.board) != before:
            self._note_change(before[0], is_solved=game.board.is_solved and not was_solved)
        return True

    def _choose(self, key: str) -> None:
        """A key in the list of levels."""
        numbers = list(self._game.levels)
        place = numbers.index(self._cursor)
        if key in ("up", "w"):
            self._cursor, self._typed = numbers[max(place - 1, 0)], ""
        elif key in ("down", "s"):
            self._cursor, self._typed = numbers[min(place + 1, len(numbers) - 1)], ""
        elif key.isdecimal() and key.isascii():
            self._typed = (self._typed + key)[-9:]
            if int(self._typed) in self._game.levels:
                self._cursor = int(self._typed)
        elif key == "backspace":
            self._typed = self._typed[:-1]
        elif key == "enter":
            self._page = "game"
            if self._cursor != self._game.number:
                before = self._game.number
                self._game.open(self._cursor)
                self._note_change(before)
        elif key in ("l", "q", "escape"):
            self._page = "game"

    def _note_change(self, number_before: int, *, is_solved: bool = False) -> None:
        """Discards the hint of the previous board, and saves the game now and then."""
        self._grade = 0
        self._num_unsaved += 1
        is_another = self._game.number != number_before
        if is_another or len(self._game.directions) < (self._deadlocked_after or 0):
            self._deadlocked_after = None
        if is_another or is_solved or self._num_unsaved == _MOVES_BETWEEN_SAVES:
            self.save()

    def save(self) -> None:
        """Saves what was played; a complaint becomes the message."""
        self._num_unsaved = 0
        self.message = self._save() or ""

    def show(self) -> None:
        """Draws the page anew."""
        if self._page == "keys":
            lines = pages.keys_page()
        elif self._page == "levels":
            lines = pages.levels_page(self._screen, self._game, self._cursor, self._typed)
        else:
            lines = self._game_page()
        self._screen.show(*lines)

    def _game_page(self) -> list[Text]:
        game = self._game
        pushed = pushed_box(game.before, game.board)
        marks: dict[Square, Mark] = {pushed: Mark.PUSHED} if pushed else {}
        if game.board.is_solved:
            heading = Text(pages.describe_solution(game.lurd), "bold green")
            return pages.game_page(self._screen, game, marks, heading, Text(self.message, "cyan"))
        advice = self._look(game.board, wants_hint=self._grade > 0)
        deadlock = advice.proof if advice.proof and advice.proof.certificate else None
        if deadlock and self._deadlocked_after is None:
            self._deadlocked_after = len(game.directions)
        heading, message = Text(), self.message
        hint = advice.hint
        if self._deadlocked_after is not None:
            is_start = self._deadlocked_after == 0
            heading = Text(pages.describe_deadlock(deadlock, is_start=is_start), "bold red")
            marks |= dict.fromkeys(deadlock.boxes if deadlock else (), Mark.BLAMED)
        else:
            heading = pages.describe_prospects(advice)
            if self._grade and hint is None:
                message = self.notice or "thinking …"
            elif self._grade and hint is not None:
                self.notice = ""
                message = pages.describe_hint(hint, self._grade)
                shown = (hint.box, hint.destination if self._grade > 1 else None)
                marks |= {square: Mark.HINT for square in shown if square is not None}
        return pages.game_page(self._screen, game, marks, heading, Text(message, "cyan"))
