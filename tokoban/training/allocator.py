"""Keeps freed memory in the process for the next step; glibc would return it to the system."""

import ctypes
import platform

# From malloc.h: how much free memory is kept, and from which size on a block is mapped alone.
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
_LARGEST = 2**31 - 1


def keep_freed_memory() -> bool:
    """Has this process keep what it frees, until it ends; whether its C library can do that.

    On the CPU every large tensor is otherwise mapped, zeroed page by page, and unmapped: of a
    translator's step, logits above all, that was half the time.
    """
    if platform.libc_ver()[0] != "glibc":
        return False
    mallopt = ctypes.CDLL(None).mallopt
    return all(mallopt(option, _LARGEST) for option in (_TRIM_THRESHOLD, _MMAP_THRESHOLD))
