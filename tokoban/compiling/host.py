"""What this machine's processor can do."""

from functools import cache

from llvmlite import binding
from numba.core import config


@cache
def has_instructions(name: str) -> bool:
    """Whether the CPU has a feature by LLVM's name for it, such as ``avx512f``.

    Where ``NUMBA_CPU_FEATURES`` is set, numba goes by it, and so does this.
    """
    if config.CPU_FEATURES is not None:
        return f"+{name}" in config.CPU_FEATURES.split(",")
    return bool(binding.get_host_cpu_features().get(name, False))
