"""Many parts in one call: each has its time, and none takes another one down."""

import sys
import time
from pathlib import Path

import pytest

from benchmarks import together
from benchmarks.together import Part, run_all


def python(name: str, code: str, *, limit_s: float = 60.0, needs: tuple[str, ...] = ()) -> Part:
    return Part(name, limit_s, ("-c", code), needs)


def test_a_part_that_fails_does_not_stop_the_others(tmp_path: Path) -> None:
    became = run_all(
        [python("bad", "import sys; sys.exit(3)"), python("good", "print('well')")], tmp_path
    )
    assert became == {"bad": "failed with 3", "good": "done"}
    assert (tmp_path / "good.log").read_text() == "well\n"


def test_a_part_that_takes_too_long_is_ended_with_all_that_it_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(together, "GRACE_S", 0.5)
    mark = tmp_path / "mark"
    child = f"import time; time.sleep(3); open({str(mark)!r}, 'w')"
    code = (
        "import subprocess, sys, time, signal; print('begun', flush=True);"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN);"
        f"subprocess.run([sys.executable, '-c', {child!r}]); time.sleep(60)"
    )
    became = run_all([python("long", code, limit_s=2.0), python("next", "print(1)")], tmp_path)
    assert became["long"].startswith("cut short after")
    assert became["next"] == "done"
    assert (tmp_path / "long.log").read_text() == "begun\n"
    time.sleep(1.5)
    assert not mark.exists()


def test_time_that_a_part_leaves_goes_to_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(together, "GRACE_S", 0.5)
    became = run_all(
        [
            python("quick", "", limit_s=10.0),
            python("slow", "import time; time.sleep(1)", limit_s=0.6),
        ],
        tmp_path,
    )
    assert became == {"quick": "done", "slow": "done"}


def test_a_part_without_its_package_is_left_out(tmp_path: Path) -> None:
    became = run_all([python("odd", "1 / 0", needs=("no_such_package",))], tmp_path)
    assert became == {"odd": "left out: no no_such_package"}


def test_out_is_the_folder_that_was_asked_for(tmp_path: Path) -> None:
    part = Part("echo", 60.0, ("-c", "import sys; print(sys.argv[1])", "OUT/rows.json"))
    assert run_all([part], tmp_path) == {"echo": "done"}
    assert (tmp_path / "echo.log").read_text() == f"{tmp_path / 'rows.json'}\n"


def test_all_parts_for_a_gpu_end_within_nine_minutes() -> None:
    parts = together.parts(device="cuda", is_quick=False)
    assert sum(part.limit_s for part in parts) <= 530
    assert [part.name for part in parts][-1] == "train"


@pytest.mark.parametrize("code", [0, 1])
def test_the_exit_code_says_whether_all_went_well(
    code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    part = python("only", f"import sys; print('last words'); sys.exit({code})")
    monkeypatch.setattr(together, "parts", lambda **_: [part])
    out = tmp_path / "new" / "folder"
    assert together.main(["--device", "cpu", "--out", str(out)]) == code
    assert "last words" in capsys.readouterr().out


def test_an_unknown_part_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        together.main(["--device", "cpu", "--out", str(tmp_path), "--parts", "beam", "bean"])
    assert "no part bean; expected some of agreement, simulator" in capsys.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="groups of processes are POSIX's")
@pytest.mark.slow
def test_a_quick_run_of_a_part_for_real(tmp_path: Path) -> None:
    arguments = ["--device", "cpu", "--quick", "--out", str(tmp_path), "--parts", "rollouts"]
    assert together.main(arguments) == 0
    assert (tmp_path / "rollouts.json").exists()
