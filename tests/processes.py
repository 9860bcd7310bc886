"""What other processes do, as Linux tells it."""

import os
import time
from collections.abc import Callable
from pathlib import Path


def wait_until(is_true: Callable[[], bool], timeout_s: float) -> bool:
    end_s = time.monotonic() + timeout_s
    while time.monotonic() < end_s:
        if is_true():
            return True
        time.sleep(0.02)
    return False


def cpu_s(pid: int) -> float:
    """The processor time that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
