"""What other processes do, as Linux tells it, and how long to wait for what comes soon."""

import os
import time
from collections.abc import Callable
from pathlib import Path

# Far below what is endless in a test, and enough for a process to start on a busy machine.
SOON_S = 100.0


def wait_until(is_true: Callable[[], bool]) -> bool:
    """Whether it is true within ``SOON_S``."""
    end_s = time.monotonic() + SOON_S
    while time.monotonic() < end_s:
        if is_true():
            return True
        time.sleep(0.02)
    return False


def cpu_s(pid: int) -> float:
    """The processor time that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def is_alive(pid: int) -> bool:
    """Whether a process works, instead of being gone or ended and not yet waited for."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
