"""``--cluster``: the workers of a Dask cluster instead of threads of this machine."""

import argparse
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tokoban.cli import options

if TYPE_CHECKING:
    from tokoban.sokoban.work import Workers

_CONNECT_S = 30


@contextmanager
def workers_of(arguments: argparse.Namespace) -> "Iterator[Workers]":
    """The cluster that is asked for, or so many threads.

    Raises ``ValueError`` where both are given, and ``OSError`` where no scheduler answers.
    """
    from tokoban.sokoban.work import Workers

    if arguments.cluster is None:
        yield Workers(arguments.threads)
        return
    options.refuse(arguments, "--threads", because="with --cluster")
    if arguments.cluster == "":
        raise ValueError("--cluster is empty; expected an address or a scheduler file")
    from distributed import Client

    is_file = os.path.isfile(arguments.cluster)
    place = {"scheduler_file" if is_file else "address": arguments.cluster}
    with Client(**place, timeout=_CONNECT_S, set_as_default=False) as client:
        # What was done already is not looked for: an item is given out once.
        yield Workers(executor=client.get_executor(pure=False))
