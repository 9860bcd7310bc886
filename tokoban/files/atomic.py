"""Atomic writes: files appear complete or not at all. Imports little, for the command line."""

import os
import re
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

# No file takes so long to write: a temporary file this old was left behind.
_ABANDONED_AFTER_S = 24 * 3600.0
_LONGEST_STEM = 60  # bytes of the file name that a temporary name begins with
_TEMPORARY = re.compile(r"\..*\.[0-9a-f]{16}\.tmp")


@contextmanager
def atomically(path: Path) -> Iterator[Path]:
    """Yields a temporary path, renamed to ``path`` on success and removed on failure.

    What killed processes left beside ``path`` is removed a day later. A file that is replaced keeps
    its permissions. A link stays one: its target is replaced. Anything else that is there (a pipe,
    /dev/null, a folder) cannot be replaced by a file, and is itself written to. An ``OSError``
    names ``path``.
    """
    path = Path(os.path.realpath(path))
    if path.exists() and not path.is_file():
        yield path
        return
    _remove_leftovers(path)
    temporary = path.with_name(f"{_prefix(path)}{secrets.token_hex(8)}.tmp")
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
            error.filename, error.filename2 = str(path), None
        raise
    finally:
        with suppress(OSError):  # that it could not be made has been raised
            temporary.unlink()


def _prefix(path: Path) -> str:
    stem = os.fsencode(path.name)[:_LONGEST_STEM].decode(errors="ignore")
    return f".{stem}."


def _remove_leftovers(path: Path) -> None:
    """Removes temporary files of ``path`` that are old."""
    prefix = _prefix(path)
    with suppress(OSError):  # a folder that cannot be listed may still be written into
        for name in os.listdir(path.parent):
            if not (name.startswith(prefix) and _TEMPORARY.fullmatch(name)):
                continue
            leftover = path.with_name(name)
            with suppress(OSError):  # another process removes it
                if time.time() - leftover.stat().st_mtime > _ABANDONED_AFTER_S:
                    leftover.unlink()
