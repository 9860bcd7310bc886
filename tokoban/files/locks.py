"""Locks between processes, which the kernel releases however their holder ends (``flock``)."""

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

# File systems without locks; work goes on without one.
_NO_LOCKS = (errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS)


@contextmanager
def locked(path: Path, *, in_use: str, is_shared: bool = False) -> Iterator[None]:
    """Holds the lock file ``path``, which is made if it is missing and removed at the end.

    Raises ``BlockingIOError`` with ``path``'s folder and the message ``in_use`` if another process
    holds it. A shared lock excludes the others only. A killed process leaves the file, unlocked.
    """
    lock = _take(path, fcntl.LOCK_SH if is_shared else fcntl.LOCK_EX, in_use)
    try:
        yield
    finally:
        _release(lock, path)


def _take(path: Path, operation: int, in_use: str) -> int:
    while True:
        lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            fcntl.flock(lock, operation | fcntl.LOCK_NB)
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


def _release(lock: int, path: Path) -> None:
    """Removes the file unless others share it; only whoever holds it alone may."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        path.unlink(missing_ok=True)
    except OSError:
        pass
    finally:
        os.close(lock)
