"""Long computations in steps, between which limits and Ctrl-C are checked."""

from collections.abc import Callable, Generator
from typing import TypeVar

Result = TypeVar("Result")
Steps = Generator[None, None, Result]

_SLICE_S = 0.01  # how long compiled code runs before limits and Ctrl-C are looked at
_MOST_WORK = 1 << 30  # of one slice: a search whose turns end earlier never spends its budget


def next_slice(work: int, took_s: float) -> int:
    """The work of the next slice of compiled code, when one of ``work`` took so many seconds.

    The smallest boards do a million units of work a second, the largest a few hundred.
    """
    if took_s >= _SLICE_S:
        return max(work // 2, 1)
    # Each slice costs some 50 us besides, as much as several expansions.
    return min((8 if took_s < _SLICE_S / 8 else 2) * work, _MOST_WORK)


def completed(steps: Steps[Result], check: Callable[[], None] = lambda: None) -> Result:
    """Runs all steps and returns the result; ``check`` is called after each and may raise."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: Result = end.value
            return result
        check()
