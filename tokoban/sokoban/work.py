"""Items of work, done by threads or by any executor, and their results as they come.

An item is a value that can be pickled, and a task a module's function whose result depends on the
item alone: threads, processes and other machines then give the same results. Threads are the
default on one machine, since compiled code runs side by side in them.
"""

import logging
import math
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ThreadPoolExecutor,
    wait,
)
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

from tokoban import __version__
from tokoban.sokoban.search.limits import Watch
from tokoban.sokoban.sizes import MAX_THREADS

_LISTEN_S = 0.1
_COUNT_S = 1.0  # from one count of a cluster's workers, which its scheduler answers, to the next
_GONE = (
    "the workers are gone, of which one may have lacked memory; what is finished is kept, and the "
    "same call goes on"
)

Item = TypeVar("Item")
Result = TypeVar("Result")
# None once the flag is set, of which only threads hear.
Task = Callable[[Item, threading.Event], Result | None]


@dataclass(frozen=True)
class Workers:
    """Who does the work: so many threads of this process, or the workers of an executor."""

    num_threads: int | None = None  # one, where neither is given
    executor: Executor | None = None

    def __post_init__(self) -> None:
        if self.num_threads is not None and self.executor is not None:
            raise ValueError("num_threads and executor are given; expected one of them")
        if self.num_threads is not None and not 1 <= self.num_threads <= MAX_THREADS:
            expected = f"expected 1 to {MAX_THREADS:,}"
            raise ValueError(f"the number of threads is {self.num_threads}; {expected}")

    def prepare(self, compile_all: Callable[[], None]) -> None:
        """Compiles here, in the thread that hears Ctrl-C, or on one worker: outside every limit.

        Tasks compile what is missing: on each further worker, and on one that joins late.
        """
        if self.executor is None:
            compile_all()
        else:
            self.executor.submit(compile_all).result()

    def results(
        self, task: Task[Item, Result], items: Iterable[Item], watch: Watch
    ) -> Iterator[tuple[int, Result | None]]:
        """The number of each item, from 0, and its result, in the order in which they come.

        None is the result of an item that killed several workers of a cluster; the rest goes on.
        At the end that ``watch`` says, and at Ctrl-C, what waits is cancelled, threads are stopped,
        and what is finished still comes; then ``KeyboardInterrupt`` is raised. ``BrokenExecutor``
        says in a sentence that the workers are gone. At most twice as many items as there are
        workers, and two, are under way at a time.
        """
        # Set by this thread alone: ``compiling.clock`` tells each thread another time.
        stop = threading.Event()
        pool = self.executor or ThreadPoolExecutor(self.num_threads or 1)
        waiting: dict[Future[Result | None], int] = {}
        numbered = enumerate(items)
        interrupt: BaseException | None = None
        counted_s = -math.inf
        try:
            try:
                while watch.reason_to_end() is None:
                    if (now_s := time.monotonic()) >= counted_s + _COUNT_S:
                        num_workers, counted_s = _num_workers(pool), now_s
                    room = 2 * num_workers + 2 - len(waiting)
                    for number, item in islice(numbered, max(room, 0)):
                        if self.executor is None:
                            waiting[pool.submit(task, item, stop)] = number
                        else:
                            waiting[pool.submit(_elsewhere, __version__, task, item)] = number
                    if not waiting:
                        return
                    ended = wait(waiting, timeout=_LISTEN_S, return_when=FIRST_COMPLETED).done
                    yield from _taken(ended, waiting)
            except KeyboardInterrupt as error:
                interrupt = error
            except BrokenExecutor:
                interrupt = BrokenExecutor(_GONE)
            stop.set()
            for future in waiting:
                future.cancel()
            if self.executor is None:
                wait(waiting)
            ended = {future for future in waiting if future.done() and not future.cancelled()}
            yield from _taken(ended, waiting)
            if interrupt is not None:
                raise interrupt
        finally:
            stop.set()
            for future in waiting:
                future.cancel()
            if self.executor is None:
                pool.shutdown(cancel_futures=True)


def in_order(
    results: Iterable[tuple[int, Result]], numbers: Iterable[int]
) -> Iterator[tuple[int, Result]]:
    """The results in the order of these numbers; at the end, or at Ctrl-C, those after gaps too."""
    early: dict[int, Result] = {}
    expected = iter(numbers)
    due = next(expected, None)
    try:
        for number, result in results:
            early[number] = result
            while due is not None and due in early:
                yield due, early.pop(due)
                due = next(expected, None)
    except KeyboardInterrupt:
        yield from sorted(early.items())
        raise
    yield from sorted(early.items())


def _num_workers(pool: Executor) -> int:
    """How many items it does at a time, as of now: workers may join and leave."""
    client = getattr(pool, "_client", None)  # of Dask
    if client is not None:
        return sum(client.nthreads().values())
    num_workers: int | None = getattr(pool, "num_workers", getattr(pool, "_max_workers", None))
    return num_workers or os.cpu_count() or 1


def _elsewhere(version: str, task: Task[Item, Result], item: Item) -> Result | None:
    """Does an item in another process, which may be another version's."""
    if version != __version__:
        raise ValueError(
            f"a worker has tokoban {__version__}; expected {version}, which gives out the work"
        )
    is_child = multiprocessing.parent_process() is not None
    if is_child and threading.current_thread() is threading.main_thread():
        # Ctrl-C in a terminal goes to the children too; whoever gives out the work answers it.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    return task(item, threading.Event())


def _taken(
    ended: Iterable[Future[Result | None]], waiting: dict[Future[Result | None], int]
) -> Iterator[tuple[int, Result | None]]:
    """Takes what has ended out of ``waiting``: results first, then what went wrong is raised."""

    def rank(future: Future[Result | None]) -> tuple[bool, int]:
        return future.cancelled() or future.exception() is not None, waiting[future]

    for future in sorted(ended, key=rank):
        number = waiting.pop(future)
        try:
            result = future.result()
        except (BrokenExecutor, CancelledError):
            raise BrokenExecutor(_GONE) from None
        except Exception as error:
            if type(error).__name__ != "KilledWorker":  # of Dask, which has tried it several times
                raise
            logging.getLogger("tokoban").warning(f"item {number} is left out: {error}")
            yield number, None
        else:
            if result is not None:
                yield number, result
