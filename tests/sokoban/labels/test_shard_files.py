"""A folder of labels that is not whole says so in a sentence."""

import json
from pathlib import Path

import pytest

from tokoban.sokoban.labels.shard_files import shard_files

NAMES = ("00000.safetensors", "00001.safetensors", "large-00000.safetensors")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in NAMES:
        (tmp_path / name).write_bytes(b"12345")
    listed = [{"file": name, "bytes": 5} for name in NAMES]
    (tmp_path / "manifest.json").write_text(json.dumps({"shards": listed}))
    return tmp_path


def test_a_whole_folder_has_its_files_in_order(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert [path.name for path in shard_files(folder)] == list(NAMES)
    assert capsys.readouterr().err == ""


def test_an_unfinished_run_is_used_and_said_to_be_one(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "manifest.json").unlink()
    assert len(shard_files(folder)) == 3
    told = f"tokoban: {folder}: the labels are not finished; the files that are there are used\n"
    assert capsys.readouterr().err == told


def test_files_that_the_manifest_misses_are_an_error(folder: Path) -> None:
    (folder / NAMES[0]).unlink()
    (folder / NAMES[2]).write_bytes(b"123")
    with pytest.raises(ValueError, match="2 of 3 files of labels are missing, cut off or changed"):
        shard_files(folder)
    for name in ("00000", "00001", "large-00000"):
        (folder / f"{name}.safetensors").unlink(missing_ok=True)
    with pytest.raises(FileNotFoundError, match="no shards of `tokoban label`"):
        shard_files(folder)
    with pytest.raises(FileNotFoundError, match="no such folder"):
        shard_files(folder / "missing")


@pytest.mark.parametrize("content", ["", "[]", '{"shards": [1]}', "[" * 100_000])
def test_a_manifest_of_something_else_is_refused(folder: Path, content: str) -> None:
    (folder / "manifest.json").write_text(content)
    with pytest.raises(ValueError, match="not the manifest of a folder of labels"):
        shard_files(folder)
