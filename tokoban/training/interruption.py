"""SIGINT and SIGTERM as a flag that the loop checks between two steps."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def interruptible() -> Iterator[Callable[[], bool]]:
    """A function that says whether SIGINT or SIGTERM has come; a second one ends the program.

    Outside the main thread, where Python allows no handlers, the answer is always no.
    """
    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    has_come = False
    usual = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def restore() -> None:
        for number, handler in usual.items():
            signal.signal(number, handler)

    def note(number: int, frame: FrameType | None) -> None:
        nonlocal has_come
        has_come = True
        restore()

    for number in usual:
        signal.signal(number, note)
    try:
        yield lambda: has_come
    finally:
        restore()
