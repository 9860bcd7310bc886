"""The limits that every search takes."""

import threading
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What the search for one level may use; None is no limit."""

    time_limit_s: float | None = None
    memory_limit_mb: float = 2000.0  # of all threads together, their answers not counted
    max_expansions: int | None = None
    stop: threading.Event | None = None  # ends the search once it is set

    @property
    def is_stopped(self) -> bool:
        """Whether the stop flag is set."""
        return self.stop is not None and self.stop.is_set()
