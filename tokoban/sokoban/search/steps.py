"""Long computations in steps, between which limits and Ctrl-C are looked at."""

import time
from collections.abc import Callable, Generator
from typing import Generic, TypeVar

Result = TypeVar("Result")
Steps = Generator[None, None, Result]


_SLICE_S = 0.01  # after which limits and Ctrl-C are looked at


class Underway(Generic[Result]):
    """A computation in steps, of which a search runs a slice now and then.

    The clock decides only how many steps a slice has, not the result.
    """

    def __init__(self, steps: Steps[Result]) -> None:
        self._steps = steps
        self.is_begun = False

    def go_on(self) -> Result | None:
        """Runs steps for a while; returns the result once it is there."""
        self.is_begun = True
        ends_s = time.perf_counter() + _SLICE_S
        while True:
            try:
                next(self._steps)
            except StopIteration as end:
                result: Result = end.value
                return result
            if time.perf_counter() >= ends_s:
                return None


def completed(steps: Steps[Result], check: Callable[[], None] = lambda: None) -> Result:
    """Runs all steps and returns the result; ``check`` is called after each and may raise."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: Result = end.value
            return result
        check()
