"""Jobs: real worker processes, and what becomes of jobs that are cancelled, crash or are too many.

The workers know the jobs of ``PLANTED`` instead of those of the page.
"""

import asyncio
import functools
import gc
import json
import sys
import threading
import weakref
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from tests.processes import SOON_S, is_alive
from tests.web.event_loops import in_own_loop
from tokoban.web import jobs
from tokoban.web.jobs import JobQueue, QueueFullError, Run

PLANTED = """
import os, signal, time

from tokoban.sokoban.formats.faults import Fault

def echo(arguments, context):
    print("this is not an event")
    yield {"event": "answer", "pid": os.getpid()}
    yield {"event": "done", **arguments}

def wait(arguments, context):
    yield {"event": "answer", "pid": os.getpid()}
    while not context.stop.wait(0.01):
        context.report({"time": time.time()})

def deaf(arguments, context):
    # Reported, since between two events the worker looks whether it shall stop.
    context.report({"event": "answer", "pid": os.getpid()})
    time.sleep(60)
    yield

def refuse(arguments, context):
    raise ValueError(Fault("a wrong board", "planted", boxes=2))
    yield

def fail(arguments, context):
    raise KeyError("an error in the code")
    yield

def crash(arguments, context):
    os.kill(os.getpid(), signal.SIGKILL)
    yield

def flood(arguments, context):
    for number in range(10_000):
        yield {"event": "answer", "text": "x" * 1_000_000}

hint = animation = echo
"""
# A search is compiled for longer than any test waits.
COMPILING = """
WARM_UP = (lambda: time.sleep(1000),)
"""


@asynccontextmanager
async def running(
    folder: Path, *, num_long: int = 1, planted: str = PLANTED
) -> AsyncIterator[JobQueue]:
    """A queue whose workers know the planted jobs."""
    (folder / "planted_jobs.py").write_text(planted)
    start = (
        f"import sys; sys.path.insert(0, {str(folder)!r})\n"
        "from tokoban.web import worker\n"
        "worker.MODULES = ('planted_jobs',)\n"
        "worker.main(sys.argv[1])"
    )
    kinds = ["echo", "wait", "deaf", "refuse", "fail", "crash", "flood"]
    queue = JobQueue(command=(sys.executable, "-c", start), num_long=num_long)
    with patch.dict(jobs.QUEUES, dict.fromkeys(kinds, "long")):
        await queue.start()
        try:
            yield queue
        finally:
            await queue.close()


class Shared:
    """A queue that several tests share, since its workers take most of a second to start."""

    def __init__(self, folder: Path) -> None:
        self._running = running(folder)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()
        self.queue = self.result_of(self._running.__aenter__())

    def result_of(self, work: Coroutine[Any, Any, Any]) -> Any:
        """The result of what runs in the loop of the queue."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def close(self) -> None:
        self.result_of(self._running.__aexit__(None, None, None))
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shared]:
    """Each test leaves it without jobs."""
    with closing(Shared(tmp_path_factory.mktemp("jobs"))) as made:
        yield made


def in_its_loop(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """A test of the shared queue, without ``async``."""

    @functools.wraps(test)
    def run(shared: Shared, **fixtures: Any) -> None:
        shared.result_of(test(shared, **fixtures))

    return run


async def events_of(run: Run, *, last: str = "") -> list[dict[str, Any]]:
    """The events as far as the first of the kind ``last``, or all."""
    found = []
    async for line in run.events():
        found.append(json.loads(line))
        if found[-1]["event"] == last:
            break
    return found


async def pid_of(run: Run) -> int:
    """The process that tells its number in a first answer."""
    pid: int = (await events_of(run, last="answer"))[-1]["pid"]
    return pid


@in_its_loop
async def test_events_come_in_order_and_a_worker_serves_many_jobs(shared: Shared) -> None:
    first, second = [await events_of(shared.queue.submit("echo", {"n": n})) for n in (1, 2)]
    assert [event["event"] for event in first] == ["queued", "started", "answer", "done"]
    assert (first[-1]["n"], second[-1]["n"]) == (1, 2)
    assert first[2]["pid"] == second[2]["pid"]


@in_its_loop
async def test_errors_are_sentences_and_harm_no_other_job(shared: Shared) -> None:
    last = {}
    for kind in ("refuse", "fail", "crash", "unheard", "echo"):
        last[kind] = (await events_of(shared.queue.submit(kind, {})))[-1]
    said = {"message": "a wrong board", "code": "planted", "values": {"boxes": 2}}
    assert last["refuse"]["problem"] == said
    codes = {kind: event.get("code") for kind, event in last.items()}
    assert codes == {
        "refuse": "refused",
        "fail": "failed",
        "crash": "crashed",
        "unheard": "refused",
        "echo": None,
    }
    assert last["refuse"]["message"] == "a wrong board."
    assert "KeyError" in last["fail"]["message"]
    assert "worker process" in last["crash"]["message"]
    assert "echo" in last["unheard"]["message"]


@in_its_loop
async def test_a_cancelled_job_ends_at_once_and_leaves_its_worker(
    shared: Shared, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "_GRACE_S", SOON_S)
    run = shared.queue.submit("wait", {})
    pid = await pid_of(run)
    run.cancel()
    [*_, answer, _] = await events_of(shared.queue.submit("echo", {}))
    # Otherwise the process would have been ended after the time of grace.
    assert answer["pid"] == pid


@in_own_loop
async def test_a_spare_process_ends_once_it_has_rested_since_its_last_job(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rests: list[asyncio.Future[None]] = []
    sleep, own_loop = asyncio.sleep, asyncio.get_running_loop()

    async def rest(seconds: float) -> None:
        # The processes of the shared queue rest too, in another loop.
        if seconds != jobs._IDLE_S or asyncio.get_running_loop() is not own_loop:
            return await sleep(seconds)
        rests.append(asyncio.get_running_loop().create_future())
        return await rests[-1]

    monkeypatch.setattr(asyncio, "sleep", rest)

    async def drawn(queue: JobQueue) -> tuple[int, asyncio.Future[None]]:
        """The process that made a drawing, and its rest, which begins once it is laid by."""
        before = len(rests)
        [*_, answer, _] = await events_of(queue.submit("animation", {}))
        while len(rests) == before:
            await sleep(0.01)
        return answer["pid"], rests[-1]

    async with running(tmp_path) as queue:
        for kind in ("hint", "echo"):  # the processes that are always ready
            await events_of(queue.submit(kind, {}))
        while len(rests) < 4:  # each of them rests when it is ready, and after its job
            await sleep(0.01)
        (first, first_rest), (second, _) = await drawn(queue), await drawn(queue)
        first_rest.set_result(None)  # of the first job: there was another since
        third, last_rest = await drawn(queue)
        assert first == second == third
        last_rest.set_result(None)
        while is_alive(first):
            await sleep(0.01)


@in_its_loop
async def test_a_job_that_does_not_listen_is_ended_with_its_process(
    shared: Shared, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "_GRACE_S", 0.1)

    run = shared.queue.submit("deaf", {})
    pid = await pid_of(run)
    run.cancel()
    [*_, answer, _] = await events_of(shared.queue.submit("echo", {}))
    assert answer["pid"] != pid
    assert not is_alive(pid)


@in_own_loop
async def test_quick_jobs_do_not_wait_behind_long_ones_and_no_worker_survives(
    tmp_path: Path,
) -> None:
    async with running(tmp_path, num_long=2) as queue:
        long = [queue.submit("wait", {}) for _ in range(4)]
        pids = {await pid_of(run) for run in long[:2]} | {await pid_of(queue.submit("hint", {}))}
        assert len(pids) == 3
        # Those that wait are told how many are before them.
        long[2].cancel()
        long[0].cancel()
        begun = await events_of(long[3], last="started")
        assert [event.get("before") for event in begun] == [0, None]
    assert not any(map(is_alive, pids))


@in_own_loop
async def test_a_drawing_waits_neither_for_a_compilation_nor_behind_a_search(
    tmp_path: Path,
) -> None:
    async with running(tmp_path, planted=PLANTED + COMPILING) as queue:
        search = queue.submit("wait", {})
        assert (await events_of(queue.submit("animation", {})))[-1]["event"] == "done"
        search.cancel()


@in_its_loop
async def test_too_many_jobs_are_refused_and_cancelled_ones_make_room(shared: Shared) -> None:
    runs = []
    with pytest.raises(QueueFullError, match="Too many jobs are waiting"):
        for _ in range(200):
            runs.append(shared.queue.submit("echo", {}))
    assert len(runs) == 64
    runs.pop().cancel()
    runs.append(shared.queue.submit("echo", {}))
    lasts = [(await events_of(run))[-1]["event"] for run in runs]
    assert lasts == ["done"] * 64


@in_own_loop
async def test_large_jobs_that_wait_for_other_processes_are_too_many_as_well() -> None:
    queue = JobQueue()  # no job begins before its start
    long = queue.submit("solve", {"text": "x" * 1000})
    with (
        patch.object(jobs, "_MAX_WAITING_BYTES", 1000 + 200),
        pytest.raises(QueueFullError, match="Too many jobs are waiting"),
    ):
        queue.submit("echo", {"text": "x" * 200})
    long.cancel()
    await queue.close()


@in_its_loop
async def test_what_was_cancelled_is_not_kept(shared: Shared) -> None:
    long = shared.queue.submit("wait", {})
    await pid_of(long)
    left = []
    for _ in range(10):
        run = shared.queue.submit("wait", {"text": "x" * 1_000_000})
        run.cancel()
        left.append(weakref.ref(run))
    del run
    async with asyncio.timeout(SOON_S):
        while any(each() for each in left):
            await asyncio.sleep(0.01)
            gc.collect()
    long.cancel()


@in_its_loop
async def test_arguments_too_deep_to_be_written_harm_no_other_job(shared: Shared) -> None:
    deep: Any = []
    for _ in range(sys.getrecursionlimit()):
        deep = [deep]
    with pytest.raises(RecursionError):
        shared.queue.submit("echo", {"deep": deep})
    assert (await events_of(shared.queue.submit("echo", {})))[-1]["event"] == "done"


@in_its_loop
async def test_a_page_that_reads_nothing_ends_its_job(shared: Shared) -> None:
    run = shared.queue.submit("flood", {})
    await events_of(run, last="answer")
    await asyncio.wait_for(run.is_cancelled.wait(), SOON_S)
    [event] = await events_of(run)
    assert event["code"] == "too-slow"


@in_own_loop
async def test_jobs_are_told_that_a_worker_compiles_before_it_is_ready() -> None:
    script = 'print(\'compiling {"event": "progress", "code": "compiling"}\', flush=True)\n'
    queue = JobQueue(command=(sys.executable, "-c", f"{script}input()"))
    await queue.start()
    async with asyncio.timeout(SOON_S):
        told = await events_of(queue.submit("echo", {}), last="progress")
    assert told[-1]["code"] == "compiling"
    await queue.close()


@pytest.mark.parametrize(
    "command", [(sys.executable, "-c", "raise SystemExit('planted')"), ("/no/such/program",)]
)
@in_own_loop
async def test_a_worker_that_does_not_start_is_a_message(command: tuple[str, ...]) -> None:
    queue = JobQueue(command=command)
    await queue.start()
    for kind in ("echo", "hint"):
        last = (await asyncio.wait_for(events_of(queue.submit(kind, {})), SOON_S))[-1]
        assert (last["event"], last["code"]) == ("error", "crashed")
    await queue.close()
