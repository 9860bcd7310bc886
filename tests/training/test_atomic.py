"""A file is whole or not there."""

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
