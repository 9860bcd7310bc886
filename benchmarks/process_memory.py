"""The memory of this process, from Linux."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def status_bytes(key: str) -> int:
    """A figure of this process, such as ``VmHWM``, the most memory that it held."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{key}:"):
            return 1024 * int(line.split()[1])
    raise OSError(f"/proc/self/status says nothing of {key}")


@contextmanager
def peak_growth() -> Iterator[list[int]]:
    """A list that gets the bytes that this process held at most in the block beyond its start."""
    growth: list[int] = []
    Path("/proc/self/clear_refs").write_text("5")  # forgets earlier peaks
    before = status_bytes("VmRSS")
    yield growth
    growth.append(status_bytes("VmHWM") - before)
