"""The progress of work that takes many attempts: a bar on a terminal, elsewhere a line at times."""

import sys
import threading
import time
from types import TracebackType

from tokoban.sokoban.wording import counted

_LINES_APART_S = 10.0


class Attempts:
    """The number of attempts so far and of the levels found, shown on standard error."""

    def __init__(self, num_levels: int) -> None:
        self.number = 0
        self._num_found, self._num_levels = 0, num_levels

    def __enter__(self) -> "Attempts":
        from rich.progress import Progress, TimeElapsedColumn

        from tokoban.cli.screen import Screen

        screen = Screen(stderr=True)
        columns = *Progress.get_default_columns(), TimeElapsedColumn()
        self._bar = Progress(
            *columns, console=screen, transient=True, disable=not screen.is_terminal
        )
        self._task = self._bar.add_task("making levels", total=self._num_levels)
        self._bar.start()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._speak, daemon=True)
        if not screen.is_terminal:
            self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._bar.stop()
        self._ended.set()
        if self._thread.is_alive():
            self._thread.join()

    def report(self, number: int) -> None:
        """Counts another attempt."""
        self.number = number
        self._bar.update(self._task, description=f"making levels, {self._tried}")

    def found(self, number: int) -> None:
        """Counts another level."""
        self._num_found = number
        self._bar.update(self._task, completed=number)

    @property
    def _tried(self) -> str:
        return counted(self.number, "attempt")

    def _speak(self) -> None:
        """A line at times: one attempt at a large level may take minutes."""
        started_s = time.monotonic()
        while not self._ended.wait(_LINES_APART_S):
            so_far = f"{self._num_found:,} of {counted(self._num_levels, 'level')} so far"
            elapsed_s = time.monotonic() - started_s
            print(f"tokoban: {so_far}, {self._tried}, {elapsed_s:.0f} s", file=sys.stderr)
