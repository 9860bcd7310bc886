"""JSON of every command: whole files or none, and lines that an interrupted run keeps."""

import argparse
import errno
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tokoban.cli.report import SCHEMA_VERSION, entries, write_object


def destinations(folder: Path) -> argparse.Namespace:
    return argparse.Namespace(json=str(folder / "all.json"), jsonl=str(folder / "all.jsonl"))


def test_list_and_lines_hold_the_same_objects_with_their_version(tmp_path: Path) -> None:
    chosen = destinations(tmp_path)
    with entries(chosen) as found:
        found.add({"index": 1, "title": "Ö"})
        found.add({"index": 3, "title": "\udcff"})
    versioned = [
        {"schema_version": SCHEMA_VERSION, "index": 1, "title": "Ö"},
        {"schema_version": SCHEMA_VERSION, "index": 3, "title": "\udcff"},
    ]
    assert json.loads(Path(chosen.json).read_text()) == versioned
    assert [json.loads(line) for line in Path(chosen.jsonl).read_text().splitlines()] == versioned


def test_each_line_is_whole_as_soon_as_its_item_is_finished(tmp_path: Path) -> None:
    chosen = destinations(tmp_path)
    with entries(chosen) as found:
        for number in (1, 2):
            found.add({"index": number})
            read = Path(chosen.jsonl).read_text().splitlines(keepends=True)
            assert [json.loads(line)["index"] for line in read] == [*range(1, number + 1)]
            assert read[-1].endswith("\n")
        assert not Path(chosen.json).exists()


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_an_interrupted_run_keeps_what_was_finished(
    error: type[BaseException], tmp_path: Path
) -> None:
    chosen = destinations(tmp_path)
    with pytest.raises(error), entries(chosen) as found:
        found.add({"index": 1})
        raise error
    assert len(json.loads(Path(chosen.json).read_text())) == 1
    assert len(Path(chosen.jsonl).read_text().splitlines()) == 1


def test_files_of_an_earlier_run_stay_where_nothing_was_finished(tmp_path: Path) -> None:
    chosen = destinations(tmp_path)
    for place in vars(chosen).values():
        Path(place).write_text("old")
    with pytest.raises(KeyboardInterrupt), entries(chosen):
        raise KeyboardInterrupt
    assert {Path(place).read_text() for place in vars(chosen).values()} == {"old"}


def test_what_could_not_be_measured_is_null(capsys: pytest.CaptureFixture[str]) -> None:
    write_object("-", {"share": float("nan"), "most": [float("inf"), 1.5]})
    assert json.loads(capsys.readouterr().out) == {
        "schema_version": SCHEMA_VERSION,
        "share": None,
        "most": [None, 1.5],
    }


def test_lines_for_standard_output_are_printed_at_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    chosen = argparse.Namespace(json=None, jsonl="-")

    def numbers() -> Iterator[int]:
        for number in (1, 2):
            yield number
            assert json.loads(capsys.readouterr().out)["index"] == number

    with entries(chosen) as found:
        for number in numbers():
            found.add({"index": number})


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_is_named() -> None:
    chosen = argparse.Namespace(json=None, jsonl="/dev/full")
    with pytest.raises(OSError) as refused, entries(chosen) as found:
        found.add({"index": 1})
    assert (refused.value.errno, refused.value.filename) == (errno.ENOSPC, "/dev/full")
