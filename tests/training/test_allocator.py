import platform
import resource

import pytest
import torch

from tokoban.training.allocator import keep_freed_memory


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the C library is another")
def test_memory_once_used_is_used_again() -> None:
    """A large tensor made again and again costs its pages once."""

    def num_page_faults() -> int:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        torch.ones(20_000_000).sum()
        return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

    assert keep_freed_memory()
    num_page_faults()
    assert sum(num_page_faults() for _ in range(3)) < 1000  # of 20,000 pages each


def test_another_c_library_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "libc_ver", lambda: ("", ""))
    assert not keep_freed_memory()
