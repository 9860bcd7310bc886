"""A job: what a worker process runs for the page."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True)
class Context:
    """The means that a job has besides its arguments."""

    stop: threading.Event  # set once nobody waits for the job any more
    # Sends an event from within a call: of progress, of which some are dropped, unless it has
    # another "event".
    report: Callable[[dict[str, Any]], None]


# Yields the events of its answer, such as {"event": "answer", ...}; the last is {"event": "done",
# ...}. Raises ``ValueError`` for what the client got wrong.
Job = Callable[[dict[str, Any], Context], Iterator[dict[str, Any]]]

Queue = Literal["quick", "long", "drawing"]

# Every job: its module has a function of that name. The quick ones answer in a moment; they have a
# worker of their own, so that none of them waits behind a long search. Drawings need no search;
# they have a process of their own while there are any, and wait for no compilation.
#
# A module may have ``WARM_UP``, functions without arguments that a worker calls before it takes
# quick or long jobs, and ``WARM_UP_QUICK``, which the worker of the quick jobs calls while it has
# nothing else to do.
JOBS: dict[str, dict[str, Queue]] = {
    "tokoban.web.solving_jobs": {
        "solve": "long",
        "optimise": "long",
        "hint": "quick",
        "explain": "quick",
    },
    "tokoban.web.making_jobs": {"rate": "long", "generate": "long", "animation": "drawing"},
    "tokoban.web.watching_jobs": {
        "predict": "quick",
        "predict_line": "quick",
        "prove_line": "long",
        "watch": "long",
        "race": "long",
        "attention": "quick",
    },
    "tokoban.web.lab_jobs": {
        "translate": "quick",
        "next_tokens": "quick",
        "continue_text": "quick",
        "life": "quick",
        "life_attention": "quick",
        "classify": "long",
        "remember": "quick",
    },
}

QUEUES: dict[str, Queue] = {kind: queue for jobs in JOBS.values() for kind, queue in jobs.items()}
