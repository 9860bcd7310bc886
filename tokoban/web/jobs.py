"""The queue of jobs: worker processes kept warm, limits, cancellation, and crashes as messages."""

import asyncio
import contextlib
import itertools
import json
import os
import sys
import traceback
from collections import deque
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from typing import Any

from tokoban.web.job import QUEUES
from tokoban.web.worker import MAX_EVENT_BYTES

MAX_WAITING = 64  # jobs; one page has a handful at most
_MAX_WAITING_BYTES = 2**26  # of the requests of all that wait
_NUM_LONG = 2  # long jobs at once, each in a process of its own
_IDLE_S = 120.0  # after which a process that is not kept warm ends
_GRACE_S = 5.0  # from the stop flag to the end of the process; imports may take as long
_COMPILING_GRACE_S = 180.0  # a compilation that is cut off would only start again
_MAX_JOB_S = 3600.0
_MAX_HELD_MB = 1200  # a process that holds more after a job is replaced
_MAX_BUFFERED_BYTES = 2**25  # events that a slow client has not read

_COMMAND = (sys.executable, "-m", "tokoban.web.worker")


class QueueFullError(Exception):
    """Too many jobs wait already."""


class Run:
    """One job from its request to its last event, whose events are lines of JSON."""

    def __init__(self, number: int, kind: str, arguments: dict[str, Any]) -> None:
        self.number = number
        message = {"number": number, "kind": kind, "arguments": arguments}
        self.request = json.dumps(message).encode() + b"\n"
        self.is_cancelled = asyncio.Event()
        self.is_waiting = True  # for a process
        self.leave_queue: Callable[[], None] = lambda: None
        self._events: deque[tuple[str, bytes]] = deque()
        self._num_bytes = 0
        self._changed = asyncio.Event()
        self._is_over = False

    def cancel(self) -> None:
        """Ends the job; nobody reads its events any more."""
        self.leave_queue()
        self._is_over, self.is_waiting = True, False
        self._events.clear()
        self._changed.set()
        self.is_cancelled.set()

    def put(self, word: str, line: bytes) -> None:
        """Adds an event; progress replaces earlier progress that was not read."""
        if self._is_over:
            return
        if word == "progress" and self._events and self._events[-1][0] == word:
            self._num_bytes -= len(self._events.pop()[1])
        self._events.append((word, line))
        self._num_bytes += len(line)
        self._is_over = word in ("done", "error")
        self.is_waiting = self.is_waiting and word == "progress"
        if self._num_bytes > _MAX_BUFFERED_BYTES:
            self._events.clear()
            self._num_bytes = 0
            self.is_cancelled.set()
            self._is_over = False
            self.fail("too-slow", "The page could not keep up with the job's answers.")
        self._changed.set()

    def report(self, word: str, **content: object) -> None:
        """Adds an event of the queue itself."""
        line = json.dumps({"event": word, **content}).encode() + b"\n"
        self.put("progress" if word == "queued" else word, line)

    def fail(self, code: str, message: str) -> None:
        """Ends the job with an error."""
        self.report("error", code=code, message=message)

    async def events(self, patience_s: float | None = None) -> AsyncIterator[bytes]:
        """The events as they come, up to the last.

        With ``patience_s`` they pause if the job waits for a process longer than that.
        """
        loop = asyncio.get_running_loop()
        end_s = None if patience_s is None else loop.time() + patience_s
        while True:
            self._changed.clear()
            while self._events:
                _, line = self._events.popleft()
                self._num_bytes -= len(line)
                yield line
            if self._is_over:
                return
            left_s = end_s - loop.time() if end_s is not None and self.is_waiting else None
            try:
                await asyncio.wait_for(self._changed.wait(), left_s)
            except TimeoutError:
                if self.is_waiting:
                    return


class JobQueue:
    """Runs jobs in worker processes: quick ones in one, long ones and drawings in others.

    One process for quick jobs and one for long ones are kept ready and replaced when they end;
    others start when they are needed. ``start`` and ``close`` run in the same event loop.
    """

    def __init__(self, *, command: Sequence[str] = _COMMAND, num_long: int = _NUM_LONG) -> None:
        self._command = tuple(command)
        self._quick = _Lane("quick", 1, is_kept=True)
        self._long = _Lane("long", num_long, is_kept=True)
        self._drawing = _Lane("drawing", 1, is_kept=False)
        self._lanes = {lane.kinds: lane for lane in (self._quick, self._long, self._drawing)}
        self._tasks: set[asyncio.Task[None]] = set()
        self._workers: set[_Worker] = set()
        self._numbers = itertools.count(1)

    async def start(self) -> None:
        """Starts the processes."""
        self._drawing.open()  # its process compiles nothing, so jobs need not wait for that
        self._begin(self._warm_up())

    async def close(self) -> None:
        """Ends all jobs and processes."""
        tasks = tuple(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        # Here, since a task may be cancelled while it waits for its process to end.
        await asyncio.gather(*map(self._end, tuple(self._workers)))

    def submit(self, kind: str, arguments: dict[str, Any]) -> Run:
        """Puts a job in its queue; raises ``QueueFullError``, and ``RecursionError`` for JSON
        too deeply nested to be written.
        """
        lane = self._lanes[QUEUES.get(kind, "quick")]
        run = Run(next(self._numbers), kind, arguments)
        waiting = [run, *(each for other in self._lanes.values() for each in other.waiting)]
        num_bytes = sum(len(each.request) for each in waiting)
        if len(lane.waiting) >= MAX_WAITING or num_bytes > _MAX_WAITING_BYTES:
            raise QueueFullError("Too many jobs are waiting already; try again later.")
        lane.add(run)
        serving = self._begin(self._serve(lane, run))

        def leave() -> None:
            if run in lane.waiting:
                lane.take(run)
                serving.cancel()

        run.leave_queue = leave
        return run

    def _begin(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Starts a task that ends with the queue at the latest."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _warm_up(self) -> None:
        """Starts the kept processes, one after the other: the first compiles for both."""
        for lane in (self._quick, self._long):
            await self._keep_ready(lane)
            lane.open()

    async def _keep_ready(self, lane: "_Lane") -> None:
        """Starts a process if the queue is to have one and none is idle."""
        if lane.is_kept and not lane.idle and (worker := await self._started(lane)):
            self._lay_by(lane, worker)

    async def _serve(self, lane: "_Lane", run: Run) -> None:
        """Runs a job once there is a process for it."""
        async with lane.slots:
            lane.take(run)
            worker = lane.idle.pop() if lane.idle else await self._started(lane, run)
            if worker is None:
                run.fail("crashed", "The worker process does not start; the terminal says why.")
            elif await self._work(worker, run):
                self._lay_by(lane, worker)
            else:
                await self._end(worker)
                await self._keep_ready(lane)

    def _lay_by(self, lane: "_Lane", worker: "_Worker") -> None:
        """Keeps a process for the next job; for a while, unless it is the one kept ready."""
        lane.idle.append(worker)
        since_s = worker.idle_since_s = asyncio.get_running_loop().time()

        async def end_idle() -> None:
            await asyncio.sleep(_IDLE_S)
            if worker.idle_since_s == since_s and worker in lane.idle[int(lane.is_kept) :]:
                lane.idle.remove(worker)
                await self._end(worker)

        self._begin(end_idle())

    async def _started(self, lane: "_Lane", run: Run | None = None) -> "_Worker | None":
        """A process that is ready, for ``run`` if it is given; None if it ended instead."""
        is_first = lane is self._quick and not lane.is_open
        lanes = (self._quick, self._long) if is_first else (lane,)

        def pass_on(notice: bytes) -> None:
            for each in lanes:
                each.set_notice(notice)
            if run is not None:
                run.put("progress", notice)

        try:
            worker = await _Worker.start([*self._command, lane.kinds])
        except OSError:  # no memory, or no file descriptor left: the next job tries again
            traceback.print_exc()
            return None
        self._workers.add(worker)
        is_ready = await worker.is_ready(pass_on)
        for each in lanes:
            each.set_notice(None)
        if is_ready:
            return worker
        await self._end(worker)
        return None

    async def _end(self, worker: "_Worker") -> None:
        """Ends a process."""
        await worker.end()
        self._workers.discard(worker)

    async def _work(self, worker: "_Worker", run: Run) -> bool:
        """Runs a job; False if its process must be replaced."""
        run.report("started")
        relay = asyncio.ensure_future(worker.relay(run))
        cancelled = asyncio.ensure_future(run.is_cancelled.wait())
        try:
            both = {relay, cancelled}
            await asyncio.wait(both, timeout=_MAX_JOB_S, return_when=asyncio.FIRST_COMPLETED)
            if not relay.done():
                if not cancelled.done():
                    run.fail("too-long", f"The job was ended after {_MAX_JOB_S / 60:.0f} minutes.")
                worker.send(b'{"stop": %d}\n' % run.number)
                grace_s = _COMPILING_GRACE_S if worker.is_compiling else _GRACE_S
                await asyncio.wait({relay}, timeout=grace_s)
            if not relay.done():
                return False
            held_mb = relay.result()
            if held_mb is None:
                run.fail("crashed", "The worker process of this job ended; another has started.")
                return False
            return held_mb <= _MAX_HELD_MB
        finally:
            for task in (relay, cancelled):
                task.cancel()
            await asyncio.gather(relay, cancelled, return_exceptions=True)


class _Lane:
    """Jobs that wait for the same processes, served in order."""

    def __init__(self, kinds: str, num_workers: int, *, is_kept: bool) -> None:
        self.kinds = kinds  # of jobs, as passed to a worker
        self.is_kept = is_kept  # whether one process is always ready
        self.is_open = False  # False while the kept process starts: no other would be ready sooner
        self.slots = asyncio.Semaphore(0)  # processes that could work
        self.idle: list[_Worker] = []  # those that wait for a job, the one used last at the end
        self.waiting: list[Run] = []
        self._num_workers = num_workers
        self._notice: bytes | None = None  # why jobs wait, while a process starts

    def open(self) -> None:
        """Lets jobs begin."""
        self.is_open = True
        for _ in range(self._num_workers):
            self.slots.release()

    def add(self, run: Run) -> None:
        """Adds a job at the end."""
        run.report("queued", before=len(self.waiting))
        if self._notice is not None:
            run.put("progress", self._notice)
        self.waiting.append(run)

    def take(self, run: Run) -> None:
        """Takes a job out, and tells the others how many are before them."""
        self.waiting.remove(run)
        for before, other in enumerate(self.waiting):
            other.report("queued", before=before)

    def set_notice(self, notice: bytes | None) -> None:
        """Sets why present and later jobs wait; None if there is no longer a reason."""
        self._notice = notice
        for run in self.waiting:
            if notice is not None:
                run.put("progress", notice)


class _Worker:
    """One worker process."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.is_compiling = False
        self.idle_since_s = 0.0  # by the clock of the event loop

    @classmethod
    async def start(cls, command: Sequence[str]) -> "_Worker":
        """Starts a process; its standard error is the server's."""
        # Several processes with many threads each would only slow each other down.
        environment = {"OMP_NUM_THREADS": "1", **os.environ}
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=2 * MAX_EVENT_BYTES,
            env=environment,
            # Ctrl-C in the terminal is the server's; it ends the workers itself.
            start_new_session=True,
        )
        return cls(process)

    async def is_ready(self, on_notice: Callable[[bytes], None]) -> bool:
        """Waits until the process can take jobs; False if it ends instead.

        ``on_notice`` gets what it reports before, such as that it compiles.
        """
        while line := await self._read():
            word, _, content = line.partition(b" ")
            if word == b"ready":
                return True
            on_notice(content)
        return False

    async def relay(self, run: Run) -> int | None:
        """Sends a job and passes its events on.

        Returns the memory in MB that the process then holds, or None if it ended.
        """
        self.is_compiling = False
        self.send(run.request)
        while line := await self._read():
            word, _, content = line.partition(b" ")
            if word == b"idle":
                return int(content)
            if word == b"compiling":
                self.is_compiling = True
                word = b"progress"
            run.put(word.decode(), content)
        return None

    def send(self, line: bytes) -> None:
        """Writes a line; whether the process has ended is noticed by ``relay``."""
        assert self._process.stdin is not None
        with contextlib.suppress(ConnectionError):
            self._process.stdin.write(line)

    async def _read(self) -> bytes:
        """A line; nothing once the process has ended."""
        assert self._process.stdout is not None
        try:
            return await self._process.stdout.readline()
        except (ValueError, ConnectionError):  # a line beyond all limits
            return b""

    async def end(self) -> None:
        """Ends the process at once."""
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()
        assert self._process.stdin is not None
        self._process.stdin.close()
        await self._process.wait()
        while await self._read():  # to the end, after which the pipe is closed
            pass
