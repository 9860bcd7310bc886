"""Loops that numba compiles: without the GIL, and cached until a file they are made of changes.

The first compilation of a process is reported by a warning of the logger ``tokoban``, which Python
prints on standard error if the caller has set up no logging. ``tokoban prepare`` compiles all
entries in advance.
"""

import hashlib
import logging
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator, Set
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from typing import Any

import numba
from numba.core import event
from numba.core.runtime import rtsys

from tokoban.compiling.linking import EntryCompiler, PartCompiler, widen_arguments

KEPT = (
    "compiling for this machine, once, for up to a minute or two; `tokoban prepare` compiles "
    "everything in advance"
)
NOT_KEPT = (
    "compiling, as in every run: no folder for compiled code can be written; set NUMBA_CACHE_DIR "
    "to one"
)

_COMMENT = re.compile("#.*")
# What a module imports from, if from any, and the names up to the end of the line or bracket.
_IMPORT = re.compile(r"^(?:from +([\w.]+) +)?import +(\([^)]*|.*)", re.MULTILINE)
_NAME = re.compile(r"[\w.]+")

# Every function that Python calls, as far as its module has been imported.
_entries: list[Any] = []
_is_cached = True


class Notice(event.Listener):
    """Reports the first function that is compiled; one that is loaded from a cache is not."""

    was_given = False

    def on_start(self, event: event.Event) -> None:
        """Reports it, the first time."""
        if not self.was_given:
            self.was_given = True
            logging.getLogger("tokoban").warning(KEPT if _is_cached else NOT_KEPT)

    def on_end(self, event: event.Event) -> None:
        """Reports nothing."""


class _Stopwatch(event.Listener):
    """The time for which each thread held the compiler or waited for it."""

    def __init__(self) -> None:
        self._own = threading.local()

    def on_start(self, event: event.Event) -> None:
        """The outermost of nested compilations counts."""
        if self._depth() == 0:
            self._own.started_s = time.perf_counter()
        self._own.depth = self._depth() + 1

    def on_end(self, event: event.Event) -> None:
        """Adds the time once the outermost has ended."""
        self._own.depth = self._depth() - 1
        if self._depth() == 0:
            self._own.spent_s = self.spent_s() + time.perf_counter() - self._own.started_s

    def _depth(self) -> int:
        return getattr(self._own, "depth", 0)

    def spent_s(self) -> float:
        """The seconds of the calling thread."""
        return getattr(self._own, "spent_s", 0.0)


class _Stop(event.Listener):
    """Ends what a thread compiles, before the next function, once its flag is set."""

    def __init__(self) -> None:
        self._own = threading.local()

    @contextmanager
    def until(self, stop: threading.Event) -> Iterator[None]:
        """Raises ``KeyboardInterrupt`` where this thread would compile after ``stop`` is set.

        Compilers take other exceptions for errors of what they compile.
        """
        before = getattr(self._own, "stop", None)
        self._own.stop = stop
        try:
            yield
        finally:
            self._own.stop = before

    def on_start(self, event: event.Event) -> None:
        """Looks at the flag."""
        stop: threading.Event | None = getattr(self._own, "stop", None)
        if stop is not None and stop.is_set():
            raise KeyboardInterrupt

    def on_end(self, event: event.Event) -> None:
        """Does nothing."""


NOTICE = Notice()
_STOPWATCH = _Stopwatch()
_STOP = _Stop()
until = _STOP.until
event.register("numba:compile", NOTICE)
event.register("numba:compile", _STOP)
# Also held while compiled code is loaded from a cache.
event.register("numba:compiler_lock", _STOPWATCH)


def clock() -> float:
    """Seconds like ``time.perf_counter``, without those that this thread has spent compiling.

    The clock of everything that is reported or limited: a search must not answer worse, or look
    slower, because it is the first on this machine.
    """
    return time.perf_counter() - _STOPWATCH.spent_s()


def inner(
    function: Callable, *, is_inlined: bool = False, liberties: Set[str] = frozenset()
) -> Callable:
    """Compiles a function that only compiled functions call; it is kept inside its callers.

    Signed integers of any size are passed as int64, so it is compiled once for all of them.
    A large tuple of arrays is copied at each call, so a function that takes one in a hot loop has
    to be ``is_inlined``; else LLVM decides by its size.
    ``liberties`` are LLVM's fast-math flags. What is compiled has to be marked ``no_type_check``,
    or checkers of shapes would wrap it first.
    """
    # Functions that make no arrays and keep none need no reference counts, which are slow.
    # Half of the time to compile would go into wrappers for calls from Python.
    options: dict[str, Any] = {"_nrt": False, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    options["forceinline"] = is_inlined
    options["pipeline_class"] = PartCompiler
    return widen_arguments(numba.njit(nogil=True, fastmath=set(liberties), **options)(function))


def entry(
    function: Callable | None = None,
    *,
    makes_arrays: bool = False,
    liberties: Set[str] = frozenset(),
) -> Callable:
    """Compiles a function for Python to call; caches it beside its file or in the user's folder.

    Threads that call it run side by side. It is compiled anew when its own file changes, or one
    that its file imports from the same package, directly or through others.
    """
    global _is_cached
    if function is None:
        return partial(entry, makes_arrays=makes_arrays, liberties=liberties)
    options: dict[str, Any] = {"nogil": True, "fastmath": set(liberties), "_nrt": makes_arrays}
    options["no_cfunc_wrapper"] = True
    options["pipeline_class"] = EntryCompiler
    try:
        dispatcher = numba.njit(cache=True, **options)(function)
        # Numba looks at the function's own file alone, and would go on with what it called before.
        # The version is compared before anything is unpickled that names modules of the past.
        index = dispatcher._cache._cache_file
        index._version += _digest(function.__module__)
        index._load_index = partial(_index_or_none, index._load_index)
        dispatcher._cache.load_overload = partial(
            _load, dispatcher._cache._load_overload, makes_arrays
        )
    except AttributeError as error:
        raise ImportError(
            f"numba {numba.__version__} has a cache format that tokoban does not know; "
            "pyproject.toml names the versions that fit"
        ) from error
    except RuntimeError:  # no such folder can be written: compiled anew by every process
        dispatcher = numba.njit(**options)(function)
        _is_cached = False
    _entries.append(dispatcher)
    return dispatcher


def _index_or_none(load: Callable[[], dict]) -> dict:
    """The index of what is cached; an empty one if it names types of modules that are gone.

    Types come from the callers too, on which the digest does not depend.
    """
    try:
        return load()
    except (ImportError, AttributeError):
        return {}


def _load(load: Callable, makes_arrays: bool, signature: Any, context: Any) -> Any:
    """Compiled code, or None, as numba's ``load_overload`` has it, in a tenth of its time.

    Numba first imports all that its compiler may need, and SciPy. Machine code needs nothing of
    that; only where it makes arrays are their functions linked to it.
    """
    if makes_arrays:
        rtsys.initialize(context)
    return load(signature, context)


def is_cached() -> bool:
    """Whether every entry so far has a folder in which its compiled code is kept."""
    return _is_cached


def cache_folders() -> set[Path]:
    """The folders with the compiled code of all entries so far."""
    return {Path(path) for entry in _entries if (path := entry.stats.cache_path)}


@cache
def _digest(module: str) -> str:
    """Changes whenever a file changes that the module may be compiled from."""
    digest = hashlib.sha256()
    for name in sorted({__name__, *_sources(module)}):
        digest.update(Path(str(sys.modules[name].__file__)).read_bytes())
    return digest.hexdigest()


def _sources(module: str) -> set[str]:
    """The module and all modules of its package that it imports, directly or through others.

    Only modules that are loaded can have been compiled from, and what a module calls has been
    loaded before its own functions are declared.
    """
    package = module.split(".")[0] + "."
    found, unread = {module}, [module]
    while unread:
        for name in _imported_names(unread.pop()):
            is_file = getattr(sys.modules.get(name), "__file__", None) is not None
            if name.startswith(package) and is_file and name not in found:
                found.add(name)
                unread.append(name)
    return found


@cache
def _imported_names(module: str) -> frozenset[str]:
    """Every module that this one may import: ``from a.b import c`` names a.b and a.b.c.

    Imports inside functions are left out: what compiled code uses is imported at the top. Read by
    a pattern, since to parse the files would take a tenth of the time of a short command.
    """
    names: set[str] = set()
    source = Path(str(sys.modules[module].__file__)).read_text(encoding="utf-8")
    for parent, imported in _IMPORT.findall(_COMMENT.sub("", source)):
        names.add(parent)
        names.update(f"{parent}.{name}" if parent else name for name in _NAME.findall(imported))
    return frozenset(names)
