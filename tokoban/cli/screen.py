"""Output for people: coloured on a terminal, plain in a file or a pipe."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TypeVar

from rich.console import Console
from rich.text import Text

from tokoban.sokoban.board import Board, Square
from tokoban.sokoban.render import Mark, render

Row = TypeVar("Row")
_LEAST_ROWS = 3


class Screen(Console):
    """A rich console that takes text as it is: nothing wrapped, no markup, no guessed colours."""

    def __init__(self, *, stderr: bool = False) -> None:
        super().__init__(stderr=stderr, highlight=False, markup=False, emoji=False, soft_wrap=True)

    @property
    def has_colour(self) -> bool:
        """Whether this is a terminal with colours, and the user wants them (``NO_COLOR``)."""
        return self.is_terminal and self.color_system is not None and not self.no_color

    def picture(self, board: Board, *, marks: Mapping[Square, Mark] | None = None) -> Text:
        """The board in colours, or as XSB."""
        drawing = render(board, has_colour=self.has_colour, marks=marks or {})
        return Text("\n").join(Text.from_ansi(row) for row in drawing.split("\n"))

    def view(self, board: Board, *, marks: Mapping[Square, Mark], spare: int) -> list[Text]:
        """The rows of the board, or what fits around the player if ``spare`` lines stay free."""
        rows = [*self.picture(board, marks=marks).split("\n", allow_blank=True)]
        columns_a_square = 2 if self.has_colour else 1
        left = columns_a_square * _first_shown(
            board.player.column, board.width, self.width // columns_a_square
        )
        shown = self.window(rows, board.player.row, spare=spare)
        return [row[left : left + self.width] for row in shown]

    def window(self, rows: Sequence[Row], middle: int, *, spare: int) -> Sequence[Row]:
        """The rows that fit around the one with the number ``middle`` if ``spare`` stay free.

        At least ``_LEAST_ROWS``, for which a low terminal leaves out what stands below them.
        """
        room = max(self.height - spare, _LEAST_ROWS)
        top = _first_shown(middle, len(rows), room)
        return rows[top : top + room]

    def num_lines(self, *texts: Text) -> int:
        """The number of lines of these texts, long ones wrapped."""
        return sum(max(len(text.wrap(self, self.width)), 1) for text in texts)

    @contextmanager
    def full(self) -> Iterator[None]:
        """The whole terminal for ``show``; afterwards it is again as it was."""
        self.cover(True)
        try:
            yield
        finally:
            self.cover(False)

    def cover(self, is_full: bool) -> None:
        """Turns to the terminal's other screen, without a cursor, or back to the usual one."""
        self.set_alt_screen(is_full)
        self.show_cursor(not is_full)

    def show(self, *lines: Text) -> None:
        """Replaces what is on the full screen, without the flicker of clearing it first."""
        with self.capture() as drawn:
            self.print(*lines, sep="\n", soft_wrap=False)
        rows = drawn.get().rstrip("\n").split("\n")[: self.height]
        # Each row clears what is left of the old one behind it, the last one all that is below.
        page = "\x1b[K\n".join(rows)
        self.file.write(f"\x1b[H{page}\x1b[J")
        self.file.flush()

    @contextmanager
    def counting(
        self, description: str, total: int | None, *, is_shown: bool = True
    ) -> Iterator[Callable[..., None]]:
        """A bar on a terminal, until the end; the function updates its task, as rich calls that.

        Where this is none, because results go to a file, it is drawn on standard error.
        """
        console = self if self.is_terminal else Screen(stderr=True)
        if not (is_shown and console.is_terminal):
            yield lambda **changes: None
            return
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )

        columns = (
            TextColumn("{task.description}", markup=False),
            *(BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn()),
        )
        with Progress(*columns, console=console, transient=True) as progress:
            yield partial(progress.update, progress.add_task(description, total=total))

    def on_broken_pipe(self) -> None:
        """Leaves the closed pipe to ``cli.main``, where rich would exit with status 1."""
        raise  # the BrokenPipeError, which rich is handling when it calls this


def _first_shown(middle: int, length: int, room: int) -> int:
    """The start of a window of ``room`` places that contains ``middle``."""
    return max(0, min(middle - room // 2, length - room))
