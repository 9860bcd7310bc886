import json
import platform
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]

# A process of its own: what others have freed lies in pieces, and it would keep all that it frees.
COUNT = """
import json, resource, torch
from tokoban.training.allocator import keep_freed_memory

def num_page_faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    torch.ones(20_000_000).sum()
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

def of_three():
    num_page_faults()
    return sum(num_page_faults() for _ in range(3))

before = of_three()
assert keep_freed_memory()
print(json.dumps([before, of_three()]))
"""


# The kernel has its say in it too: on a machine short of time it has been seen to fail.
@pytest.mark.slow
@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the C library is another")
def test_memory_once_used_is_used_again() -> None:
    """A large tensor made again and again costs its pages once."""
    counted = subprocess.run(
        [sys.executable, "-c", COUNT], cwd=REPOSITORY, capture_output=True, text=True, check=True
    )
    before, kept = json.loads(counted.stdout)
    assert kept < 1000 < before  # of 20,000 pages each
