"""Several levels at once, each in a thread, and their answers in the order of the levels."""

import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait

from tokoban.cli.answers import Answer, News, Report, Stop
from tokoban.sokoban.board import Board
from tokoban.sokoban.search import solver
from tokoban.sokoban.search.solver import Progress

_LISTEN_S = 0.1


class Interrupted(KeyboardInterrupt):
    """Ctrl-C, and what is ``known`` by then of the levels whose answers had not come yet."""

    def __init__(self, known: Mapping[int, Answer]) -> None:
        super().__init__()
        self.known = known


def in_threads(
    find: Callable[[Board, Report, News], Answer],
    boards: Mapping[int, Board],
    *,
    num_threads: int,
    tell: Callable[[int, str, Progress], None],
    announce: Callable[[int, Answer], None],
) -> Iterator[tuple[int, Answer]]:
    """The answers that ``find`` gives, in order; ``tell`` is told how far each level is, and
    ``announce`` what is known of one while its search goes on.

    Raises ``Interrupted`` after Ctrl-C, once the threads have stopped; ``find`` hears of it by the
    ``Stop`` that its report raises.
    """
    if boards:
        solver.prepare()  # by this thread, which is the one that hears Ctrl-C
    is_stopped = threading.Event()

    def work(number: int, board: Board) -> Answer:
        def report(sought: str, progress: Progress) -> None:
            if is_stopped.is_set():
                raise Stop
            tell(number, sought, progress)

        return find(board, report, lambda answer: announce(number, answer))

    pool = ThreadPoolExecutor(num_threads)
    waiting: dict[int, Future[Answer]] = {}
    try:
        for number, board in boards.items():
            waiting[number] = pool.submit(work, number, board)
        for number in boards:
            while not wait([waiting[number]], timeout=_LISTEN_S).done:
                pass
            yield number, waiting.pop(number).result()
    except KeyboardInterrupt:
        is_stopped.set()
        pool.shutdown(cancel_futures=True)
        ended = {number: future for number, future in waiting.items() if not future.cancelled()}
        known = {n: future.result() for n, future in ended.items() if not future.exception()}
        raise Interrupted(known) from None
    finally:
        is_stopped.set()
        pool.shutdown(cancel_futures=True)
