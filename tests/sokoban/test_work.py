"""Items of work: all are done once, few are under way, and Ctrl-C keeps what is finished."""

import _thread
import itertools
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Future, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from typing import Any

import pytest

from tokoban.sokoban import work
from tokoban.sokoban.search.limits import Limits, Watch
from tokoban.sokoban.work import Workers, in_order

_PATIENCE_S = 30.0


def watch(**limits: Any) -> Watch:
    return Watch(Limits(**limits))


def square(item: int, stop: threading.Event) -> int:
    time.sleep(0.001 * (item % 3))  # some end before those that began earlier
    return item * item


@pytest.mark.parametrize("num_threads", [1, 3])
def test_threads_and_an_executor_give_every_result_with_its_number(num_threads: int) -> None:
    expected = {number: (number + 7) ** 2 for number in range(23)}
    with ThreadPoolExecutor(num_threads) as executor:
        for workers in (Workers(num_threads), Workers(executor=executor)):
            assert dict(workers.results(square, range(7, 30), watch())) == expected


@pytest.mark.parametrize("is_elsewhere", [False, True], ids=["threads", "executor"])
def test_few_items_are_under_way_at_a_time(is_elsewhere: bool) -> None:
    drawn = []

    def items() -> Iterator[int]:
        for number in itertools.count():
            drawn.append(number)
            yield number

    with ThreadPoolExecutor(3) as executor:
        workers = Workers(executor=executor) if is_elsewhere else Workers(3)
        for taken, _ in enumerate(workers.results(square, items(), watch()), 1):
            # Those that have ended and wait to be taken were under way together at most.
            assert len(drawn) - taken <= 2 * 3 + 2
            if taken == 40:
                break


def test_results_come_in_order_with_gaps_at_the_end_alone() -> None:
    assert list(in_order([(2, "c"), (0, "a"), (1, "b"), (5, "f"), (4, "e")], range(9))) == [
        (0, "a"), (1, "b"), (2, "c"), (4, "e"), (5, "f")
    ]  # fmt: skip
    found = in_order(interrupted([(3, "d"), (0, "a")]), range(9))
    assert [next(found), next(found)] == [(0, "a"), (3, "d")]
    with pytest.raises(KeyboardInterrupt):
        next(found)


def interrupted(results: list[tuple[int, str]]) -> Any:
    yield from results
    raise KeyboardInterrupt


@pytest.mark.parametrize("is_elsewhere", [False, True], ids=["threads", "executor"])
def test_ctrl_c_cancels_what_waits_and_keeps_what_is_finished(is_elsewhere: bool) -> None:
    released = threading.Event()
    begun: list[int] = []

    def task(item: int, stop: threading.Event) -> int | None:
        begun.append(item)
        if item < 2:
            return item
        _thread.interrupt_main()
        # Of Ctrl-C threads hear; nobody waits for what is done elsewhere.
        assert (released if is_elsewhere else stop).wait(_PATIENCE_S)
        return None if stop.is_set() else item

    executor = ThreadPoolExecutor(1) if is_elsewhere else None
    workers = Workers(None if is_elsewhere else 1, executor)
    kept = []
    with pytest.raises(KeyboardInterrupt):
        for number, result in workers.results(task, itertools.count(), watch()):
            kept.append((number, result))
    assert kept == [(0, 0), (1, 1)]
    released.set()
    if executor is not None:
        executor.shutdown()
    assert begun == [0, 1, 2]


def test_a_limit_ends_the_work_with_what_is_finished() -> None:
    stop = threading.Event()

    def task(item: int, has_to_end: threading.Event) -> int | None:
        if item == 2:
            stop.set()
            assert has_to_end.wait(_PATIENCE_S)
        return None if has_to_end.is_set() else item

    workers = Workers(1)
    assert list(workers.results(task, itertools.count(), watch(stop=stop))) == [(0, 0), (1, 1)]
    assert list(workers.results(task, itertools.count(), watch(time_limit_s=0.0))) == []


class Failing(ThreadPoolExecutor):
    """Ends one of its items by an error of the executor's own."""

    def __init__(self, error: BaseException | None) -> None:
        super().__init__(1)
        self._error = error
        self._earlier: list[Future[Any]] = []

    def submit(self, task: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future = super().submit(task, *args, **kwargs)
        self._earlier.append(future)
        if len(self._earlier) != 3:
            return future
        wait(self._earlier)
        failed: Future[Any] = Future()
        if self._error is None:
            failed.cancel()
            failed.set_running_or_notify_cancel()
        else:
            failed.set_exception(self._error)
        return failed


class KilledWorker(Exception):  # noqa: N818
    """As Dask calls its own."""


def test_an_item_that_kills_workers_is_reported_and_the_rest_goes_on(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with Failing(KilledWorker("it died three times")) as executor:
        found = dict(Workers(executor=executor).results(square, range(5), watch()))
    assert found == {0: 0, 1: 1, 2: None, 3: 9, 4: 16}
    assert caplog.messages == ["item 2 is left out: it died three times"]


@pytest.mark.parametrize("error", [BrokenProcessPool("a child died"), None], ids=str)
def test_workers_that_are_gone_are_a_sentence_after_what_is_finished(
    error: BaseException | None,
) -> None:
    kept = []
    with Failing(error) as executor, pytest.raises(BrokenExecutor, match="the workers are gone"):
        for number, _ in Workers(executor=executor).results(square, range(3), watch()):
            kept.append(number)
    assert sorted(kept) == [0, 1]


def test_errors_of_an_item_are_the_callers() -> None:
    def task(item: int, stop: threading.Event) -> int:
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        list(Workers(2).results(task, range(9), watch()))


def test_a_worker_of_another_version_is_refused() -> None:
    with pytest.raises(ValueError, match=r"a worker has tokoban .*; expected 9\.9, which gives"):
        work._elsewhere("9.9", square, 3)


def test_threads_with_an_executor_or_out_of_range_are_refused() -> None:
    told = "num_threads and executor are given; expected one"
    with ThreadPoolExecutor(1) as executor, pytest.raises(ValueError, match=told):
        Workers(2, executor)
    for number in (0, 9999):
        with pytest.raises(ValueError, match=f"threads is {number}; expected 1 to 1,024"):
            Workers(number)
