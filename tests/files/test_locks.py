"""Locks: who is refused, and what is left behind."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tokoban.files.locks import locked

IN_USE = "another run works here"
HOLDER = """
import sys, time
from pathlib import Path
from tokoban.files.locks import locked
with locked(Path(sys.argv[1]), in_use=""):
    print("held", flush=True)
    time.sleep(60)
"""


def test_an_exclusive_lock_refuses_every_other_holder(tmp_path: Path) -> None:
    path = tmp_path / ".lock"
    with locked(path, in_use=IN_USE):
        with pytest.raises(BlockingIOError, match=IN_USE) as refused, locked(path, in_use=IN_USE):
            pass
        assert refused.value.filename == str(tmp_path)
    with locked(path, in_use=IN_USE):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_killed_holder_releases_its_lock(tmp_path: Path) -> None:
    path = tmp_path / ".lock"
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)], stdout=subprocess.PIPE, env=os.environ
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"held\n"
    with pytest.raises(BlockingIOError), locked(path, in_use=IN_USE):
        pass
    holder.kill()
    holder.communicate()
    with locked(path, in_use=IN_USE):
        pass
    assert list(tmp_path.iterdir()) == []
