"""Loops that numba compiles: without the GIL, and cached until a file they are made of changes.

The first compilation of a process is told to the logger ``tokoban``: it may take half a minute.
"""

import hashlib
import logging
from collections.abc import Callable, Set
from functools import cache
from pathlib import Path
from typing import Any

import numba
from numba.core import event


class Notice(event.Listener):
    """Tells of the first function that is compiled; one that a cache has is not."""

    was_given = False

    def on_start(self, event: event.Event) -> None:
        """Tells it, the first time."""
        if not self.was_given:
            self.was_given = True
            logging.getLogger("tokoban").info("compiling for this machine, once")

    def on_end(self, event: event.Event) -> None:
        """Has nothing to say."""


NOTICE = Notice()
event.register("numba:compile", NOTICE)


def inner(function: Callable, *, liberties: Set[str] = frozenset()) -> Callable:
    """Compiles a function that only compiled functions call; it is kept inside its callers.

    ``liberties`` are those of LLVM with sums and comparisons of floats. What is compiled has to be
    marked ``no_type_check``, or checkers of shapes would wrap it first.
    """
    # Functions that make no arrays and keep none need no counted references, which are slow; what
    # Python would call them by takes half of the time to compile.
    options: dict[str, Any] = {"_nrt": False, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    return numba.njit(nogil=True, fastmath=set(liberties), **options)(function)


def entry(
    function: Callable,
    *,
    made_of: tuple[Path, ...],
    makes_arrays: bool = False,
    liberties: Set[str] = frozenset(),
) -> Callable:
    """Compiles a function for Python to call; caches it beside its file or in the user's folder.

    Threads that call it run side by side. ``made_of`` are the files that the functions it calls
    are written in: when one of them changes, it is compiled anew.
    """
    options: dict[str, Any] = {"nogil": True, "fastmath": set(liberties), "_nrt": makes_arrays}
    try:
        dispatcher = numba.njit(cache=True, **options)(function)
    except RuntimeError:  # no such folder can be written: compiled anew by every process
        return numba.njit(**options)(function)
    # Numba looks at the function's own file alone, and would go on with what it called before.
    dispatcher._cache._cache_file._source_stamp = _digest((Path(__file__), *made_of))
    return dispatcher


@cache
def _digest(files: tuple[Path, ...]) -> str:
    """Changes whenever one of the files does."""
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.read_bytes())
    return digest.hexdigest()
