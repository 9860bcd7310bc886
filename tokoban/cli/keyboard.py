"""Single keys from a terminal, by name, and a terminal that is always given back as it was."""

import os
import select
import signal
import sys
import termios
import tty
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_ARROWS = {b"A": "up", b"B": "down", b"C": "right", b"D": "left"}
_NAMES = {b"\x7f": "backspace", b"\x08": "backspace", b"\r": "enter", b"\n": "enter"}
# The rest of an arrow key's bytes follows at once, but over a slow line not in the same read.
_ESCAPE_WAIT_S = 0.1
_ENDING_SIGNALS = (signal.SIGTERM, signal.SIGHUP)


@contextmanager
def single_keys(terminal: int) -> Iterator[None]:
    """Keys arrive one by one and unseen until the end, however that comes; Ctrl-C interrupts."""
    usual = termios.tcgetattr(terminal)
    handlers = {number: signal.signal(number, _leave) for number in _ENDING_SIGNALS}
    try:
        tty.setcbreak(terminal)
        changed = termios.tcgetattr(terminal)
        changed[6][termios.VSUSP] = b"\0"  # Ctrl-Z would leave the terminal as it is now
        termios.tcsetattr(terminal, termios.TCSANOW, changed)
        yield
    finally:
        termios.tcsetattr(terminal, termios.TCSAFLUSH, usual)
        for number, handler in handlers.items():
            signal.signal(number, handler)


def _leave(number: int, frame: FrameType | None) -> None:
    """Ends the program as the signal would, but through every ``finally``."""
    sys.exit(128 + number)


def read_keys(terminal: int) -> Iterator[str]:
    """Each key as it is pressed: "up", "backspace", "q", …; ends when the terminal is gone."""
    while byte := os.read(terminal, 1):
        if byte == b"\x1b":
            yield _read_escape(terminal)
        else:
            yield _NAMES.get(byte, byte.decode("ascii", "replace").lower())


def _read_escape(terminal: int) -> str:
    """The key whose bytes begin with ESC: an arrow, "escape" alone, or "unknown"."""
    sequence = b""
    while select.select([terminal], [], [], _ESCAPE_WAIT_S)[0] and (byte := os.read(terminal, 1)):
        sequence += byte
        # ESC [ (or ESC O), parameters, and a letter at the end.
        if len(sequence) > 1 and 0x40 <= byte[0] <= 0x7E:
            break
        if len(sequence) == 1 and byte not in (b"[", b"O"):
            break
    if sequence[:1] in (b"[", b"O"):
        return _ARROWS.get(sequence[1:], "unknown")
    return "unknown" if sequence else "escape"
