"""The progress bar of ``tokoban solve``."""

from types import TracebackType

from rich.console import Group
from rich.live import Live
from rich.progress import Progress as Bars
from rich.progress import SpinnerColumn, TaskID, TextColumn

from tokoban.cli.found import SOLVER_NAMES, Found, length
from tokoban.cli.screen import Screen
from tokoban.sokoban.search.answer import Objective, Progress

_PATIENCE_S = 1.0  # a search that takes longer gets a line of its own


class Bar:
    """A bar of all levels, where there are several, and a line for each search that takes long.

    Nothing is drawn where there is no terminal. Any thread may ``report`` and ``announce``.
    """

    def __init__(self, num_levels: int, screen: Screen) -> None:
        self._levels = Bars(console=screen)
        self._searches = Bars(
            SpinnerColumn(), TextColumn("{task.description}", markup=False), console=screen
        )
        self._lines: dict[int, TaskID] = {}
        self._solving = self._levels.add_task("solving", total=num_levels, visible=num_levels > 1)
        self._live = Live(
            Group(self._levels, self._searches),
            console=screen,
            transient=True,
            refresh_per_second=8,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._is_shown = screen.is_terminal
        self._screen = screen

    def __enter__(self) -> "Bar":
        if self._is_shown:
            self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._is_shown:
            self._live.stop()

    def report(self, number: int, sought: Objective, progress: Progress) -> None:
        """Shows the progress of the search of one level."""
        is_long = progress.elapsed_s >= _PATIENCE_S
        if not self._is_shown or (number not in self._lines and not is_long):
            return
        if number not in self._lines:
            self._lines[number] = self._searches.add_task("")
        self._searches.update(self._lines[number], description=describe(number, sought, progress))

    def announce(self, number: int, found: Found) -> None:
        """Prints what is known of a level whose search goes on."""
        answer = found.answer
        if answer.solution is not None:
            message = f"{length(answer.solution)} after {answer.elapsed_s:.2f} s, {found.remark}"
            self._screen.print(f"{number:>4}  so far {message}; looking for better")

    def done(self, number: int) -> None:
        """Counts a level that has its answer."""
        self._levels.advance(self._solving)
        if number in self._lines:
            self._searches.remove_task(self._lines.pop(number))


def describe(number: int, sought: Objective, progress: Progress) -> str:
    """The line of one search."""
    from tokoban.sokoban.search.combine.anytime import OBJECTIVE_NAMES  # imports all searches

    least = f", at least {progress.at_least:,}" if progress.at_least else ""
    best = f", so far {length(progress.best)}" if progress.best else ""
    working = progress.working
    by = f", {SOLVER_NAMES.get(working, working)}" if working else ""
    return (
        f"level {number}: {OBJECTIVE_NAMES[sought]}{least}{best}; {progress.expansions:,} "
        f"expansions, {progress.positions:,} positions, {progress.elapsed_s:.0f} s{by}"
    )
