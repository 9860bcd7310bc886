"""Runs a coroutine where the thread may have an event loop already, as that of a browser has."""

import asyncio
import functools
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any


def in_own_loop(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """A test without ``async``: it runs in a thread and an event loop of its own."""

    @functools.wraps(test)
    def run(**fixtures: Any) -> None:
        with ThreadPoolExecutor(1) as thread:
            thread.submit(asyncio.run, test(**fixtures)).result()

    return run
