"""The worker process: reads jobs from standard input, writes their events to standard output.

Each line of input is JSON: a job ``{"number", "kind", "arguments"}`` or ``{"stop": number}``. Each
line of output is a word and JSON: an event of the job, ``ready`` once the searches can start,
``compiling`` when one has to be compiled first, and ``idle`` with the memory held in MB after the
last event of a job. The process ends with its input.
"""

import importlib
import json
import logging
import os
import queue
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from inspect import isfunction
from types import ModuleType
from typing import Any, BinaryIO

from tokoban.api import extras
from tokoban.sokoban.formats.faults import Fault
from tokoban.sokoban.search.limits import Reason
from tokoban.web import wire
from tokoban.web.job import MODULES, Context, Job

MAX_EVENT_BYTES = 2**24
_REPORTS_APART_S = 0.05
# Two networks and a search at its memory limit, which holds its tables twice while they grow.
_MAX_DATA_BYTES = 4 * 10**9
_LAST = ("done", "error")


@dataclass(frozen=True)
class _Task:
    """A job that was sent, and its stop flag."""

    number: int
    kind: str
    arguments: dict[str, Any]
    stop: threading.Event = field(default_factory=threading.Event)


class _Output:
    """Writes lines; the threads of the process share it."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._lock = threading.Lock()

    def write(self, word: str, content: object) -> None:
        """Writes a whole line; if it is too long, an error takes its place."""
        line = _encode(word, content)
        if len(line) > MAX_EVENT_BYTES:
            message = f"The answer is longer than {MAX_EVENT_BYTES:,} bytes."
            line = _encode("error", {"event": "error", "code": "too-large", "message": message})
        with self._lock:
            self._file.write(line)
            self._file.flush()


def _encode(word: str, content: object) -> bytes:
    return f"{word} {json.dumps(content, separators=(',', ':'), allow_nan=False)}\n".encode()


class _CompilingHandler(logging.Handler):
    """Reports to the server, which then waits longer, that a search is being compiled."""

    def __init__(self, output: _Output) -> None:
        super().__init__()
        self._output = output

    def emit(self, record: logging.LogRecord) -> None:
        """Passes the notice on."""
        event = {"event": "progress", "code": "compiling", "message": record.getMessage()}
        self._output.write("compiling", event)


def main(kinds: str) -> None:
    """Works until the input ends; warms up for the ``kinds``, "quick", "long" or "drawing"."""
    _limit_memory()
    # What libraries print must not mix with the events.
    events = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    output = _Output(events)
    tasks: queue.Queue[_Task] = queue.Queue()
    threading.Thread(target=_read, args=(sys.stdin.buffer, tasks), daemon=True).start()
    logger = logging.getLogger("tokoban")
    logger.handlers, logger.propagate = [_CompilingHandler(output)], False
    modules = [importlib.import_module(name) for name in MODULES]
    jobs: dict[str, Job] = {
        name: value
        for module in modules
        for name, value in vars(module).items()
        if isfunction(value) and value.__module__ == module.__name__ and not name.startswith("_")
    }
    for step in _steps(modules, "WARM_UP") if kinds != "drawing" else []:
        _warm_up(step)
    to_do = _steps(modules, "WARM_UP_QUICK") if kinds == "quick" else []
    output.write("ready", sorted(jobs))
    while True:
        try:
            task = tasks.get(block=not to_do)
        except queue.Empty:
            _warm_up(to_do.pop(0))
            continue
        _work(task, jobs, output)
        output.write("idle", _held_mb())


def _limit_memory() -> None:
    """Limits memory to what a search may need, before the system kills other programs for it."""
    try:
        import resource
    except ImportError:  # Windows
        return
    _, most = resource.getrlimit(resource.RLIMIT_DATA)
    if most == resource.RLIM_INFINITY or most > _MAX_DATA_BYTES:
        resource.setrlimit(resource.RLIMIT_DATA, (_MAX_DATA_BYTES, most))


def _steps(modules: Sequence[ModuleType], name: str) -> list[Callable[[], None]]:
    return [step for module in modules for step in getattr(module, name, ())]


def _warm_up(step: Callable[[], None]) -> None:
    """Runs a step; if it fails, the job that needs it will say what is wrong."""
    try:
        step()
    except Exception:
        traceback.print_exc()


def _read(file: BinaryIO, tasks: "queue.Queue[_Task]") -> None:
    """Queues jobs and sets stop flags until the input ends, and with it the process."""
    try:
        latest: _Task | None = None
        for line in file:
            message = json.loads(line)
            if "stop" not in message:
                latest = _Task(**message)
                tasks.put(latest)
            elif latest is not None and latest.number == message["stop"]:
                latest.stop.set()
    finally:
        # The server has gone: nobody waits for the work of the main thread.
        os.kill(os.getpid(), signal.SIGTERM)


def _work(task: _Task, jobs: dict[str, Job], output: _Output) -> None:
    """Runs one job; writes its events, exactly one of them a last one."""

    def fail(code: str, message: str, **more: object) -> None:
        output.write("error", {"event": "error", "code": code, "message": message, **more})

    if task.kind not in jobs:
        fail("refused", f"There is no job {task.kind[:40]!r}; there are {', '.join(sorted(jobs))}.")
        return
    context = Context(stop=task.stop, report=_reporter(output))
    try:
        for event in jobs[task.kind](task.arguments, context):
            output.write(event["event"], event)
            if event["event"] in _LAST:
                return
            if task.stop.is_set():
                break
        output.write("done", {"event": "done"})
    except ValueError as error:
        # A message with a code is shown in the page's language.
        said = error.args[0] if error.args else None
        kind = "reason" if isinstance(said, Reason) else "problem"
        more = {kind: wire.coded_to_json(said)} if isinstance(said, Fault) else {}
        fail("refused", _sentence(str(error)), **more)
    except ModuleNotFoundError as error:
        fail("extra", _sentence(extras.sentence(error)))
    except MemoryError:
        fail("memory", "There is not enough memory for this.")
    except Exception as error:
        traceback.print_exc()
        fail("failed", _sentence(f"The job failed: {type(error).__name__}: {error}"))


def _reporter(output: _Output) -> Callable[[dict[str, Any]], None]:
    """Sends events; progress no more often than the eye can follow."""
    sent_s = 0.0

    def report(content: dict[str, Any]) -> None:
        nonlocal sent_s
        event = {"event": "progress", **content}
        now_s = time.monotonic()
        if event["event"] == "progress":
            if now_s - sent_s < _REPORTS_APART_S:
                return
            sent_s = now_s
        output.write(event["event"], event)

    return report


def _sentence(message: str) -> str:
    """One sentence of limited length: a message may quote what the client sent."""
    message = " ".join(message.split())
    if len(message) > 500:
        message = f"{message[:500]} ..."
    return message if message.endswith((".", "!", "?")) else f"{message}."


def _held_mb() -> int:
    """The memory that the process holds, in MB; 0 where the system does not say."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            num_pages = int(file.read().split()[1])
    except OSError:
        return 0
    return num_pages * os.sysconf("SC_PAGE_SIZE") // 10**6


if __name__ == "__main__":
    main(sys.argv[1])
