"""Standard streams as the caller left them: closed ones, full disks and readers that went away."""

import io
import os
import sys
from contextlib import suppress


def replace_closed() -> None:
    """Puts something in place of streams that are closed; writing to such an output is an error.

    What would be said on a closed standard error is lost. The file descriptors are taken too, or
    the next file that is opened would get one of them, and whatever a library prints.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            flags = os.O_RDONLY if name == "stdout" else os.O_RDWR
            taken = os.open(os.devnull, flags)  # the lowest number that is free: the stream's own
            setattr(sys, name, open(taken, mode, encoding="utf-8"))  # noqa: SIM115 (until the end)


def replace_unbuffered() -> None:
    """Gives standard output a buffer again, which ``PYTHONUNBUFFERED`` takes away.

    A file without one writes a part of what it gets, on a disk that is nearly full say, and says
    nothing of the rest. Lines are still written at once.
    """
    given = sys.stdout
    if type(given) is io.TextIOWrapper and isinstance(given.buffer, io.RawIOBase):
        buffer = io.BufferedWriter(given.buffer)
        sys.stdout = io.TextIOWrapper(buffer, given.encoding, given.errors, line_buffering=True)


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
