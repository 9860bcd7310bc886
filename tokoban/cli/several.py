"""Several levels at once, each in a thread, and their answers in the order of the levels."""

import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait

from tokoban.cli.found import Found
from tokoban.sokoban.board import Board
from tokoban.sokoban.search import solver

_LISTEN_S = 0.1


class Interrupted(KeyboardInterrupt):
    """Ctrl-C, and what is ``known`` by then of the levels whose answers had not come yet."""

    def __init__(self, known: Mapping[int, Found]) -> None:
        super().__init__()
        self.known = known


def in_threads(
    find: Callable[[int, Board, threading.Event], Found],
    boards: Mapping[int, Board],
    *,
    num_threads: int,
) -> Iterator[tuple[int, Found]]:
    """The answers that ``find`` gives, in order.

    Ctrl-C sets the stop flag that ``find`` is given; ``Interrupted`` is raised once all threads
    have ended.
    """
    if boards:
        solver.prepare()  # by this thread, which is the one that hears Ctrl-C
    stop = threading.Event()
    pool = ThreadPoolExecutor(num_threads)
    waiting: dict[int, Future[Found]] = {}
    try:
        for number, board in boards.items():
            waiting[number] = pool.submit(find, number, board, stop)
        for number in boards:
            while not wait([waiting[number]], timeout=_LISTEN_S).done:
                pass
            yield number, waiting.pop(number).result()
    except KeyboardInterrupt:
        stop.set()
        pool.shutdown(cancel_futures=True)
        ended = {number: future for number, future in waiting.items() if not future.cancelled()}
        known = {n: future.result() for n, future in ended.items() if not future.exception()}
        raise Interrupted(known) from None
    finally:
        stop.set()
        pool.shutdown(cancel_futures=True)
