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

def of_ten():
    # An aligned block does not fit into a hole of just its size: the first few are new.
    for _ in range(20):
        num_page_faults()
    return sum(num_page_faults() for _ in range(10))

before = of_ten()
assert keep_freed_memory()
print(json.dumps([before, of_ten()]))
"""


@pytest.mark.slow
@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the C library is another")
def test_memory_once_used_is_used_again() -> None:
    """A large tensor made again and again costs its pages once."""
    counted = subprocess.run(
        [sys.executable, "-c", COUNT], cwd=REPOSITORY, capture_output=True, text=True, check=True
    )
    before, kept = json.loads(counted.stdout)
    assert kept < 1000 < before  # of ten times 20,000 pages
