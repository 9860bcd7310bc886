"""Locks between processes, which the system releases even if their holder is killed."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

# File systems without locks; work goes on without one.
_NO_LOCKS = (errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS)


@contextmanager
def locked(path: Path, *, in_use: str, wait_s: float = 0.0) -> Iterator[None]:
    """Holds the lock file ``path``, which is made if it is missing and removed at the end.

    Raises ``BlockingIOError`` with ``path``'s folder and the message ``in_use`` if another process
    holds it for ``wait_s`` seconds. A killed process leaves the file, unlocked.
    """
    from filelock import FileLock, Timeout

    lock = FileLock(path, timeout=wait_s)
    try:
        lock.acquire()
    except Timeout:
        raise BlockingIOError(errno.EWOULDBLOCK, in_use, str(path.parent)) from None
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            raise
    try:
        yield
    finally:
        with suppress(OSError):  # on Windows, where it is open, ``release`` removes it
            path.unlink(missing_ok=True)
        lock.release()


@contextmanager
def alone_in(path: str | Path, *, doing: str = "labels into it") -> Iterator[None]:
    """Makes the folder and keeps other runs out of it.

    Raises ``BlockingIOError`` if another run works in it; ``doing`` is what it does there.
    """
    folder = Path(path)
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder / ".lock", in_use=f"another run {doing}"):
        yield
