"""What this machine's processor can do."""

from functools import cache

from llvmlite import binding
from numba.core import config


@cache
def has_instructions(name: str) -> bool:
    """Whether the CPU has a feature by LLVM's name for it, such as ``avx512f``.

    Where ``NUMBA_CPU_FEATURES`` is set, numba goes by it, and so does this.
    """
    chosen: str | None = getattr(config, "CPU_FEATURES", None)  # set where numba is imported
    if chosen is not None:
        return f"+{name}" in chosen.split(",")
    return bool(binding.get_host_cpu_features().get(name, False))
