"""A job: what a worker process runs for the page."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True)
class Context:
    """What a job is given besides its arguments."""

    stop: threading.Event  # set once nobody waits for the job any more
    # Sends an event from within a call: progress, which may be dropped, unless the content has
    # another "event".
    report: Callable[[dict[str, Any]], None]


# Yields the events of its answer, such as {"event": "answer", ...}; the last is {"event": "done",
# ...}. Raises ``ValueError`` for what the client got wrong.
Job = Callable[[dict[str, Any], Context], Iterator[dict[str, Any]]]

Queue = Literal["quick", "long", "drawing"]

# Every public function of these modules is a job of its name.
#
# A module may have ``WARM_UP``, functions without arguments that a worker calls before it takes
# quick or long jobs, and ``WARM_UP_QUICK``, which the worker of the quick jobs calls while it has
# nothing else to do.
MODULES = (
    "tokoban.web.solving_jobs",
    "tokoban.web.making_jobs",
    "tokoban.web.watching_jobs",
    "tokoban.web.lab_jobs",
    "tokoban.web.instruction_jobs",
)

# All others are quick: they answer in a moment and have a worker of their own, so that none of them
# waits behind a long search. Drawings need no search; they have a process of their own while there
# are any, and wait for no compilation.
QUEUES: dict[str, Queue] = {
    **dict.fromkeys(("solve", "optimise", "rate", "generate", "watch", "classify", "obey"), "long"),
    "animation": "drawing",
}
