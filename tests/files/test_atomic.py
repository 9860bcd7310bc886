"""A file is whole or not there."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import torch

from tests.processes import SOON_S
from tokoban.files.atomic import atomically
from tokoban.training.checkpoint import save_weights


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
    loop = tmp_path / "loop"
    loop.symlink_to(loop)  # stands for no file, and is replaced
    with atomically(loop) as temporary:
        temporary.write_text("new")
    assert (loop.read_text(), loop.is_symlink()) == ("new", False)


def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()), daemon=True)
    reader.start()
    with atomically(pipe) as place:
        place.write_text("through")
    reader.join(SOON_S)
    assert read == ["through"]
    assert pipe.is_fifo()


def test_a_file_that_is_replaced_keeps_its_permissions(tmp_path: Path) -> None:
    weights, text = tmp_path / "a.safetensors", tmp_path / "a.txt"
    for path in (weights, text):
        path.write_text("old")
        path.chmod(0o640)
    save_weights(weights, {"x": torch.zeros(3)}, {})
    with atomically(text) as temporary:
        temporary.write_text("new")
    assert [path.stat().st_mode & 0o777 for path in (weights, text)] == [0o640, 0o640]


def test_a_new_file_has_the_permissions_that_the_user_asks_for(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        save_weights(tmp_path / "a.safetensors", {"x": torch.zeros(3)}, {})
    finally:
        os.umask(before)
    assert (tmp_path / "a.safetensors").stat().st_mode & 0o777 == 0o640


def test_writers_of_one_file_at_a_time_have_a_temporary_file_each(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    with atomically(path) as first, atomically(path) as second:
        assert first != second
        first.write_text("first")
        second.write_text("second")
    assert path.read_text() == "first"  # whoever ends last
    assert list(tmp_path.iterdir()) == [path]


def test_what_a_killed_process_left_is_removed_and_what_a_living_one_writes_is_not(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a.txt"
    killed = (
        "import os, signal, sys; from pathlib import Path;"
        "from tokoban.files.atomic import atomically\n"
        "with atomically(Path(sys.argv[1])): os.kill(os.getpid(), signal.SIGKILL)"
    )
    subprocess.run([sys.executable, "-c", killed, str(path)], check=False)
    (leftover,) = tmp_path.iterdir()
    other = tmp_path / f"{leftover.name}.txt"  # somebody's own
    other.write_text("kept")
    with atomically(path) as first:
        assert not leftover.exists()
        with atomically(path) as second:
            assert first.exists() and second.exists()
            second.write_text("second")
        first.write_text("first")
    assert sorted(tmp_path.iterdir()) == sorted([path, other])


def test_an_error_names_the_file_and_not_the_temporary_one(tmp_path: Path) -> None:
    path = tmp_path / "none" / "a.txt"
    with pytest.raises(FileNotFoundError) as caught, atomically(path):
        pass
    assert caught.value.filename == str(path)
    assert str(caught.value) == f"[Errno 2] No such file or directory: {str(path)!r}"
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(NotADirectoryError) as refused, atomically(tmp_path / "file" / "a.txt"):
        pass
    assert refused.value.filename == str(tmp_path / "file" / "a.txt")


def test_a_name_as_long_as_the_file_system_allows_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / f"{'😀' * 60}.sok"  # 244 bytes of 255
    with atomically(path) as temporary:
        temporary.write_text("new")
    assert path.read_text() == "new" and list(tmp_path.iterdir()) == [path]
