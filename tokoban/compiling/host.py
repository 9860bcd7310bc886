"""What this machine's processor can do."""

from functools import cache

from llvmlite import binding


@cache
def has_instructions(name: str) -> bool:
    """Whether the CPU has a feature by LLVM's name for it, such as ``avx512f``."""
    return bool(binding.get_host_cpu_features().get(name, False))
