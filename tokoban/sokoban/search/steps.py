"""Long computations in steps, between which limits and Ctrl-C are checked."""

from collections.abc import Callable, Generator
from typing import TypeVar

Result = TypeVar("Result")
Steps = Generator[None, None, Result]


def completed(steps: Steps[Result], check: Callable[[], None] = lambda: None) -> Result:
    """Runs all steps and returns the result; ``check`` is called after each and may raise."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: Result = end.value
            return result
        check()
