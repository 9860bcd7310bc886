"""How the functions of this folder are compiled: without the GIL, cached where that is possible."""

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba

from tokoban.sokoban.solving import astar


def _forget_stale() -> None:
    """Removes what was compiled before any file here changed: numba looks at one file at a time,
    and would go on calling the old functions of another."""
    folder = Path(__file__).parent
    newest = max(path.stat().st_mtime for path in (*folder.glob("*.py"), Path(astar.__file__)))
    for index in folder.glob("__pycache__/*.nbi"):
        with contextlib.suppress(OSError):
            if index.stat().st_mtime < newest:
                index.unlink()


def _compile(function: Callable, options: dict[str, Any]) -> Callable:
    try:
        return numba.njit(cache=True, **options)(function)
    except RuntimeError:  # no cache folder can be written: compiled anew by every process
        return numba.njit(**options)(function)


def compiled(function: Callable) -> Callable:
    """For functions that make no arrays and keep none: uncounted references are much faster.

    What is compiled has to be marked ``no_type_check``, or checkers of shapes would wrap it first.
    """
    return _compile(function, {"nogil": True, "_nrt": False})


def makes_arrays(function: Callable) -> Callable:
    """For compiled functions that make arrays; those of ``compiled`` must not call them."""
    return _compile(function, {"nogil": True})


_forget_stale()
