"""What a training reads next, made by other processes while it takes a step."""

import itertools
import multiprocessing
import pickle
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from typing import TypeVar

_AHEAD = 2  # values for each worker, besides the one under way

Made = TypeVar("Made")


def made_ahead(make: Callable[[int], Made], first: int, *, workers: int) -> Iterator[Made]:
    """``make(first)``, ``make(first + 1)``, ... without end, by so many processes.

    ``make`` and its values are pickled, and ``make`` must depend on its number alone; without
    ``workers`` it is called here. ``BrokenExecutor`` if a process ends.
    """
    if workers == 0:
        yield from map(make, itertools.count(first))
        return
    # Not forked: a process whose torch has started threads, or has a GPU, cannot be.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, context, _begin, (make,)) as pool:
        waiting: deque[Future[bytes]] = deque()
        try:
            for number in itertools.count(first):
                waiting.append(pool.submit(_make, number))
                if len(waiting) > (1 + _AHEAD) * workers:
                    yield pickle.loads(waiting.popleft().result())
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


_make_one: Callable[[int], object]  # of a worker


def _begin(make: Callable[[int], object]) -> None:
    global _make_one
    _make_one = make
    # Ctrl-C in a terminal goes to the workers too; the training answers it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """A killed process leaves its workers waiting otherwise."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
    signal.raise_signal(signal.SIGTERM)


def _make(number: int) -> bytes:
    # As bytes: tensors would be sent as open files, of which a process may have few.
    return pickle.dumps(_make_one(number))
