"""A file is whole or not there."""

import os
import threading
from pathlib import Path

import pytest

from tokoban.training.atomic import atomically


def test_a_failing_writer_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")
    with pytest.raises(OSError, match="disk full"), atomically(path) as temporary:
        temporary.write_text("half of the n")
        raise OSError("disk full")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_the_file_is_replaced_only_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")
    with atomically(path) as temporary:
        temporary.write_text("new")
        assert temporary.parent == path.parent  # a rename across file systems is not atomic
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_stays_one_and_what_it_leads_to_is_replaced(tmp_path: Path) -> None:
    target, link = tmp_path / "target.txt", tmp_path / "link.txt"
    target.write_text("old")
    link.symlink_to(target)
    with atomically(link) as temporary:
        temporary.write_text("new")
    assert link.is_symlink()
    assert target.read_text() == "new"


def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()), daemon=True)
    reader.start()
    with atomically(pipe) as place:
        place.write_text("through")
    reader.join(timeout=10)
    assert read == ["through"]
    assert pipe.is_fifo()
