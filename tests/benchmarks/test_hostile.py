"""The hostile files are what they claim to be, and none of a few does any harm."""

import json
import os
from pathlib import Path

import pytest

from benchmarks import hostile
from benchmarks.hostile_folders import KINDS, Case, write_case

# In the process of the test, so no runs, which are trained first, and nothing that is compiled.
FEW = [("weights", number) for number in (1, 4, 5, 6, 8)]
FEW += [("pictures", number) for number in range(13)] + [("labels", 2), ("labels", 5)]


@pytest.mark.parametrize(("kind", "number"), FEW)
def test_a_hostile_file_is_answered_in_a_sentence(
    kind: str, number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    place = tmp_path / "case"
    place.mkdir()
    case = write_case(kind, number, place, seed=1)
    monkeypatch.chdir(place)
    with hostile.traps(tmp_path):
        before = set(tmp_path.iterdir())
        assert hostile.run_command(case.words) in (0, 1, 2)
        assert set(tmp_path.iterdir()) == before
    assert "Traceback" not in capsys.readouterr().err


def test_cases_follow_from_seed_kind_and_number(tmp_path: Path) -> None:
    for kind in ("weights", "levels", "pictures", "texts", "labels"):
        contents = []
        for name in "ab":
            place = tmp_path / kind / name
            place.mkdir(parents=True)
            case = write_case(kind, 3, place, seed=7)
            files = {path.name: path.read_bytes() for path in place.rglob("*") if path.is_file()}
            contents.append((case, files.keys(), case.words))
        assert contents[0] == contents[1]
    assert sum(hostile.COUNTS.values()) >= 500 and hostile.COUNTS.keys() == KINDS.keys()


@pytest.mark.parametrize(
    ("code", "fault"),
    [
        ("raise TypeError('no sentence')", "traceback"),
        ("import os; os.system('gs')", "code run"),
        ("open('../outside', 'w').close()", "written outside"),
        ("bytearray(2 * 10**9)", "memory"),
        ("status = 2", "silent"),
    ],
)
def test_each_fault_is_found(
    code: str, fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "case" / "inner"
    place.mkdir(parents=True)

    def run(_: object) -> int:
        left: dict[str, int] = {}
        exec(code, left)
        return left.get("status", 0)

    monkeypatch.setattr(hostile, "run_command", run)
    monkeypatch.setenv("PATH", os.environ["PATH"])
    with hostile.traps(tmp_path):
        found = hostile.examine(Case(["none"]), place)
    outside = (place.parent / "outside").exists()
    was_run = (tmp_path / "canary").exists()
    told = hostile.faults(found, was_run=was_run, is_outside=outside)
    assert fault in told, json.dumps(found)
