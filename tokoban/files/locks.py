"""Locks between processes, which the kernel releases however their holder ends (``flock``)."""

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

# File systems without locks; work goes on without one.
_NO_LOCKS = (errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS)


@contextmanager
def locked(path: Path, *, in_use: str) -> Iterator[None]:
    """Holds the lock file ``path``, which is made if it is missing and removed at the end.

    Raises ``BlockingIOError`` with ``path``'s folder and the message ``in_use`` if another process
    holds it. A killed process leaves the file, unlocked.
    """
    lock = _take(path, in_use)
    try:
        yield
    finally:
        with suppress(OSError):
            path.unlink(missing_ok=True)
        os.close(lock)


@contextmanager
def alone_in(path: str | Path, *, doing: str = "labels into it") -> Iterator[None]:
    """Makes the folder and keeps other runs out of it.

    Raises ``BlockingIOError`` if another run works in it; ``doing`` is what it does there.
    """
    folder = Path(path)
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder / ".lock", in_use=f"another run {doing}"):
        yield


def _take(path: Path, in_use: str) -> int:
    while True:
        lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # The last holder may have removed the file between the two calls above.
            if os.path.samestat(os.fstat(lock), os.stat(path)):
                return lock
        except BlockingIOError:
            os.close(lock)
            raise BlockingIOError(errno.EWOULDBLOCK, in_use, str(path.parent)) from None
        except FileNotFoundError:
            pass
        except OSError as error:
            if error.errno in _NO_LOCKS:
                return lock
            os.close(lock)
            raise
        os.close(lock)
