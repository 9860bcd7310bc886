"""What a training reads next, made by other processes while it takes a step."""

import itertools
import multiprocessing
import os
import pickle
import signal
import tempfile
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

BATCHES_A_DRAWING = 16
_LOOKS_EVERY_S = 0.2  # a worker, for whether it is needed
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
    # In a file: what is sent to a process that starts, and is long, is read only once that has
    # imported torch, and until then no other process starts.
    with tempfile.TemporaryDirectory(prefix="tokoban-") as folder:
        pickled = Path(folder) / "make.pickle"
        pickled.write_bytes(pickle.dumps(make))
        with ProcessPoolExecutor(workers, context, leave_to_parent, (pickled,)) as pool:
            waiting: deque[Future[bytes]] = deque()
            try:
                for number in itertools.count(first):
                    waiting.append(pool.submit(_make, pickled, number))
                    if len(waiting) > (1 + _AHEAD) * workers:
                        yield pickle.loads(waiting.popleft().result())
            finally:
                pickled.unlink()  # which ends the processes, whatever they are making


def drawn_batches(
    draw: Callable[[int], list[Made]], start_step: int, *, workers: int
) -> Iterator[Made]:
    """Batches from that of ``start_step`` on; ``draw`` makes ``BATCHES_A_DRAWING`` by a number."""
    first, skipped = divmod(start_step, BATCHES_A_DRAWING)
    for drawn in made_ahead(draw, first, workers=workers):
        yield from drawn[skipped:]
        skipped = 0


def leave_to_parent(file: Path) -> None:
    """Begins a worker that ignores Ctrl-C, and ends once its parent or ``file`` is gone."""
    # Ctrl-C goes to a whole terminal, and ``timeout`` ends a whole group: the parent answers.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    threading.Thread(target=_end_when_unneeded, args=(file,), daemon=True).start()


def _end_when_unneeded(file: Path) -> None:
    """Otherwise a killed parent would leave its workers, and a finished one would wait."""
    parent = multiprocessing.parent_process()
    while parent is not None and parent.is_alive() and file.exists():
        parent.join(_LOOKS_EVERY_S)
    os._exit(0)


@cache
def _loaded(pickled: Path) -> Callable[[int], Any]:
    found: Callable[[int], Any] = pickle.loads(pickled.read_bytes())
    return found


def _make(pickled: Path, number: int) -> bytes:
    # As bytes: tensors would be sent as open files, of which a process may have few.
    return pickle.dumps(_loaded(pickled)(number))
