"""Atomic writes: files appear complete or not at all. Imports little, for the command line."""

import functools
import hashlib
import itertools
import os
import platform
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

# No file takes so long to write: a temporary file this old was left behind.
_ABANDONED_AFTER_S = 24 * 3600.0
_LONGEST_STEM = 60  # bytes of the file name that a temporary name begins with
_TEMPORARY = re.compile(r"\..*\.(?P<machine>[0-9a-f]{8})-(?P<process>\d+)-\d+-\d+\.tmp")
_numbers = itertools.count()  # next() is one step for all threads


@contextmanager
def atomically(path: Path) -> Iterator[Path]:
    """Yields a temporary path, renamed to ``path`` on success and removed on failure.

    The temporary name is unique among processes and threads, and those that killed processes left
    beside ``path`` are removed. A file that is replaced keeps its permissions. A link stays one:
    its target is replaced. Anything else that is there (a pipe, /dev/null, a folder) cannot be
    replaced by a file, and is itself written to. An ``OSError`` names ``path``.
    """
    path = Path(os.path.realpath(path))
    if path.exists() and not path.is_file():
        yield path
        return
    _remove_leftovers(path)
    number = f"{os.getpid()}-{threading.get_ident()}-{next(_numbers)}"
    temporary = path.with_name(f"{_prefix(path)}{_machine()}-{number}.tmp")
    try:
        with temporary.open("xb") as created:
            usual = os.fstat(created.fileno()).st_mode & 0o777
        yield temporary
        with temporary.open("rb") as written:
            os.fsync(written.fileno())
        # A writer may have put a file of other permissions in the place of the one made here.
        temporary.chmod(path.stat().st_mode & 0o777 if path.exists() else usual)
        os.replace(temporary, path)
    except OSError as error:
        name = error.filename
        # The error of a write, on a full disk for instance, names no file.
        if (name is None and error.errno is not None) or (
            name is not None and Path(os.fsdecode(name)) == temporary
        ):
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise
    finally:
        with suppress(OSError):  # that it could not be made has been raised
            temporary.unlink()


def _prefix(path: Path) -> str:
    stem = os.fsencode(path.name)[:_LONGEST_STEM].decode(errors="ignore")
    return f".{stem}."


def _remove_leftovers(path: Path) -> None:
    """Removes temporary files of ``path`` whose process is known to have ended, or that are old."""
    prefix = _prefix(path)
    with suppress(OSError):  # a folder that cannot be listed may still be written into
        for name in os.listdir(path.parent):
            found = _TEMPORARY.fullmatch(name) if name.startswith(prefix) else None
            if found is None:
                continue
            leftover = path.with_name(name)
            with suppress(OSError):
                is_old = time.time() - leftover.stat().st_mtime > _ABANDONED_AFTER_S
                is_ours = found["machine"] == _machine()
                if is_old or (is_ours and not _is_running(int(found["process"]))):
                    leftover.unlink()


def _is_running(process: int) -> bool:
    if os.name != "posix":  # there the signal 0 would end the process
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # another user's
        return True
    return True


@functools.cache
def _machine() -> str:
    """Stands for where process numbers mean what they mean here: machine, boot and container."""
    known = [platform.node()]
    for source in ("/proc/sys/kernel/random/boot_id", "/proc/self/ns/pid"):
        with suppress(OSError):
            is_link = os.path.islink(source)
            known.append(os.readlink(source) if is_link else Path(source).read_text())
    return hashlib.blake2b("\n".join(known).encode(), digest_size=4).hexdigest()
