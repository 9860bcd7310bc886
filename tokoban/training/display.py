"""The progress of a run: a bar on a terminal, a line twice a minute elsewhere."""

import time
from types import TracebackType
from typing import Any

from tokoban.training.tables import GrowingTable

_SECONDS_BETWEEN_LINES = 30.0


class Display:
    """A progress bar with step, loss, speed and time left; nothing where ``is_shown`` is False."""

    def __init__(self, name: str, *, is_shown: bool) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )

        self._table = GrowingTable()
        self._said_s, self._measured = time.monotonic(), ""
        self.console = Console(stderr=True, quiet=not is_shown)
        self.bar = Progress(
            TextColumn("[bold]{task.description}"),
            BarColumn(),
            TextColumn("{task.percentage:3.0f}%"),
            TextColumn("step {task.fields[step]} · {task.fields[measured]}"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=self.console,
            disable=not self.console.is_terminal,
        )
        self.task = self.bar.add_task(name, total=1.0, step=0, measured="")

    def __enter__(self) -> "Display":
        self.bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.bar.stop()

    def advance(self, progress: float, *, step: int) -> None:
        """``progress`` is how much of the run is over, 0 to 1."""
        self.bar.update(self.task, completed=progress, step=step)
        now_s = time.monotonic()
        if not self.console.is_terminal and now_s - self._said_s >= _SECONDS_BETWEEN_LINES:
            self._said_s = now_s
            self.say(f"{progress:.0%} · step {step}{self._measured}")

    def measured(self, *, loss: float, steps_per_s: float) -> None:
        """The newest metrics beside the bar."""
        text = f"loss {loss:.4g} · {steps_per_s:.3g} steps/s"
        self.bar.update(self.task, measured=text)
        self._measured = f" · {text}"

    def say(self, text: str) -> None:
        """A line that stays."""
        self.console.print(text, highlight=False, markup=False, soft_wrap=True)

    def say_metrics(self, step: int, metrics: dict[str, Any]) -> None:
        """A row of evaluation, below the names of the metrics if these are new."""
        self.say(self._table.add({"step": step, **metrics}))
