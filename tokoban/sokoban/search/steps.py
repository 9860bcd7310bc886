"""Long computations in steps, between which limits and Ctrl-C are checked."""

import time
from collections.abc import Callable, Generator
from typing import TypeVar

Result = TypeVar("Result")
Steps = Generator[None, None, Result]


_SLICE_S = 0.01  # after which limits and Ctrl-C are checked


def for_a_while(steps: Steps[Result]) -> Result | None:
    """Runs steps for some 10 ms; the result once it is there.

    The clock decides only how many steps that are, not the result.
    """
    ends_s = time.perf_counter() + _SLICE_S
    while True:
        try:
            next(steps)
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
