"""How the world compiles: cached until a file that it may be compiled from changes."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

from tokoban import compiling
from tokoban.compiling import inner

__all__ = ["entry", "inner"]


def entry(function: Callable, *, makes_arrays: bool = False) -> Callable:
    """Made of all of its folder, and of ``solving``, which others build on."""
    folder = Path(function.__code__.co_filename).parent
    return compiling.entry(function, made_of=_files(folder), makes_arrays=makes_arrays)


@cache
def _files(folder: Path) -> tuple[Path, ...]:
    here = Path(__file__)
    return here, *sorted({*folder.glob("*.py"), *(here.parent / "solving").glob("*.py")})
