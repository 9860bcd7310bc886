"""Single keys from a terminal, by name, and a terminal that is always given back as it was."""

import os
import select
import signal
import socket
import sys
import termios
import tty
from collections.abc import Iterator
from contextlib import suppress
from types import FrameType

# What ``Keyboard.events`` yields besides keys.
WOKEN, RESIZED, STOPPED, CONTINUED = "woken", "resized", "stopped", "continued"

_ARROWS = {b"A": "up", b"B": "down", b"C": "right", b"D": "left"}
_NAMES = {b"\x7f": "backspace", b"\x08": "backspace", b"\r": "enter", b"\n": "enter"}
# The rest of an arrow key's bytes follows at once, but over a slow line not in the same read.
_ESCAPE_WAIT_S = 0.1
_ENDING_SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
# By the byte that the wake-up socket gets for each: 0 or the number of a signal.
_EVENTS: dict[int, str] = {
    0: WOKEN,
    signal.SIGWINCH: RESIZED,
    signal.SIGTSTP: STOPPED,
    signal.SIGCONT: CONTINUED,
}


class Keyboard:
    """Keys arrive one by one and unseen while it is entered, and between them what else happens.

    However that ends, the terminal is then as it was; Ctrl-C interrupts, and the signals that end
    a program leave through every ``finally``.
    """

    def __init__(self, terminal: int) -> None:
        self._terminal = terminal
        # Not a pipe, whose number may be that of another file when a late thread writes to it.
        self._woken, self._waker = socket.socketpair()
        self._waker.setblocking(False)
        self._handlers: dict[int, object] = {}

    def __enter__(self) -> "Keyboard":
        self._usual = termios.tcgetattr(self._terminal)
        # Python writes the numbers of signals there, whichever thread they are delivered to.
        self._usual_wakeup = signal.set_wakeup_fd(self._waker.fileno(), warn_on_full_buffer=False)
        for ending in _ENDING_SIGNALS:
            self._handlers[ending] = signal.signal(ending, _leave)
        for number in filter(None, _EVENTS):
            self._handlers[number] = signal.signal(number, _go_on)
        try:
            self.take()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *exception: object) -> None:
        try:
            self.give_back()
        finally:
            for number, handler in self._handlers.items():
                signal.signal(number, handler)  # type: ignore[arg-type]
            signal.set_wakeup_fd(self._usual_wakeup)
            self.close()

    def close(self) -> None:
        """Closes the sockets of ``wake``."""
        self._woken.close()
        self._waker.close()

    def take(self) -> None:
        """Makes keys arrive one by one and unseen."""
        tty.setcbreak(self._terminal)

    def give_back(self) -> None:
        """Makes the terminal as it was, if it still is; what was typed and not read is lost."""
        with suppress(termios.error):
            termios.tcsetattr(self._terminal, termios.TCSAFLUSH, self._usual)

    def stop(self) -> None:
        """Stops this process as Ctrl-Z usually does, until the shell continues it.

        The terminal has to be given back before, and taken again after it.
        """
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        signal.raise_signal(signal.SIGTSTP)
        signal.signal(signal.SIGTSTP, _go_on)

    def wake(self) -> None:
        """Makes ``events`` yield; for any thread."""
        try:
            self._waker.send(b"\0")
        except OSError:  # full, so that ``events`` will yield anyway, or closed
            return

    def events(self) -> Iterator[str]:
        """Each key as it is pressed: "up", "backspace", "q", …; and the events of this module.

        Ends when the terminal is gone.
        """
        while True:
            woken = self._woken.fileno()
            if woken in select.select([self._terminal, woken], [], [])[0]:
                happened = self._woken.recv(4096)
                yield from dict.fromkeys(_EVENTS[byte] for byte in happened if byte in _EVENTS)
            elif byte := _read(self._terminal):
                yield self._key(byte)
            else:
                return

    def _key(self, byte: bytes) -> str:
        if byte == b"\x1b":
            return _read_escape(self._terminal)
        return _NAMES.get(byte, byte.decode("ascii", "replace").lower())


def _leave(number: int, frame: FrameType | None) -> None:
    """Ends the program as the signal would, but through every ``finally``."""
    sys.exit(128 + number)


def _go_on(number: int, frame: FrameType | None) -> None:
    """Does nothing: the signal is an event."""


def _read(terminal: int) -> bytes:
    """The next byte; none at the end of the input and from a terminal that was closed."""
    try:
        return os.read(terminal, 1)
    except OSError:
        return b""


def _read_escape(terminal: int) -> str:
    """The key whose bytes begin with ESC: an arrow, "escape" alone, or "unknown"."""
    sequence = b""
    while select.select([terminal], [], [], _ESCAPE_WAIT_S)[0] and (byte := _read(terminal)):
        sequence += byte
        # ESC [ (or ESC O), parameters, and a letter at the end.
        if len(sequence) > 1 and 0x40 <= byte[0] <= 0x7E:
            break
        if len(sequence) == 1 and byte not in (b"[", b"O"):
            break
    if sequence[:1] in (b"[", b"O"):
        return _ARROWS.get(sequence[1:], "unknown")
    return "unknown" if sequence else "escape"
