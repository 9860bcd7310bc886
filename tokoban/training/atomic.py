"""A file that is whole or not there; light, since the command line writes by it too."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def atomically(path: Path) -> Iterator[Path]:
    """A path to write to; it becomes ``path`` at the end, or vanishes if the writer fails.

    A link stays one: the file that it leads to is replaced. What is there and is no plain file (a
    pipe, /dev/null, a folder) cannot be replaced by one, and is itself what is written to.
    """
    path = path.resolve()
    if path.exists() and not path.is_file():
        yield path
        return
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        yield temporary
        with temporary.open("rb") as written:
            os.fsync(written.fileno())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
