"""Standard streams as the caller left them: closed ones, full disks and readers that went away."""

import errno
import io
import os
import sys
from contextlib import suppress
from typing import Any, NoReturn


class _Closed(io.TextIOBase):
    """Stands for a stream that was closed before the command started."""

    encoding = "utf-8"

    def __init__(self, name: str) -> None:
        self.name = name

    @property
    def buffer(self) -> "_Closed":
        return self

    def write(self, _: Any) -> NoReturn:
        raise OSError(errno.EBADF, "closed", self.name)

    def read(self, *_: Any) -> NoReturn:
        raise OSError(errno.EBADF, "closed", self.name)

    readline = read


def replace_closed() -> None:
    """Puts something in place of streams that are closed: using them is an ``OSError``.

    What would be said on a closed standard error is lost. The file descriptors are taken too, or
    the next file that is opened would get one of them, and whatever a library prints.
    """
    if sys.stdin is None or sys.stdout is None or sys.stderr is None:
        while (taken := os.open(os.devnull, os.O_RDWR)) < 2:
            pass
        if taken > 2:
            os.close(taken)
    if sys.stdin is None:
        sys.stdin = _Closed("standard input")
    if sys.stdout is None:
        sys.stdout = _Closed("standard output")
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 (until the end)


def replace_unencodable() -> None:
    """Shows ``?`` for letters that standard output cannot encode, on a Latin-1 terminal say."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")


def drop_unwritten() -> None:
    """Forgets what could not be written, of which the interpreter would complain at exit."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            with suppress(OSError, ValueError):  # of a stream without a file descriptor
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
