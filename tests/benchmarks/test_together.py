"""Many parts in one call: each has its time, and none takes another one down."""

import sys
import tarfile
import time
import zipfile
from importlib import import_module
from pathlib import Path

import pytest

from benchmarks import together
from benchmarks.together import Part, packing, run_all
from tokoban import cli


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


def test_out_is_the_folder_that_was_requested(tmp_path: Path) -> None:
    part = Part("echo", 60.0, ("-c", "import sys; print(sys.argv[1])", "OUT/rows.json"))
    assert run_all([part], tmp_path) == {"echo": "done"}
    assert (tmp_path / "echo.log").read_text() == f"{tmp_path / 'rows.json'}\n"


@pytest.mark.parametrize("group", together.GROUPS)
def test_each_group_for_a_gpu_ends_within_ten_minutes(group: str) -> None:
    parts = together.gpu_parts(group, device="cuda", is_quick=False)
    assert sum(part.limit_s for part in parts) <= 575
    assert len({part.name for part in parts}) == len(parts)
    quick = together.gpu_parts(group, device="cpu", is_quick=True)
    assert [part.name for part in quick] == [part.name for part in parts]


@pytest.mark.parametrize("is_quick", [False, True])
@pytest.mark.parametrize("group", together.GROUPS)
def test_every_option_of_a_group_is_known(
    group: str, is_quick: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    for part in together.gpu_parts(group, device="cpu", is_quick=is_quick, data=Path("data")):
        for command in (part.arguments, *part.beside):
            module, *options = command[1:]
            if module in ("pytest", "benchmarks.versions"):  # another's options, and none
                continue
            main = cli.main if module == "tokoban" else import_module(module).main
            with pytest.raises(SystemExit) as ended:
                main([*options, "--help"])  # read after all that is before it
            assert ended.value.code == 0, capsys.readouterr().err


def test_a_part_without_its_data_is_left_out(tmp_path: Path) -> None:
    missing = str(tmp_path / "text")
    part = Part("odd", 60.0, ("-c", "1 / 0"), files=(missing,))
    assert run_all([part], tmp_path) == {"odd": f"left out: no {missing}"}


def test_commands_beside_one_another_are_one_part(tmp_path: Path) -> None:
    # Each waits until the other has written: one after the other they would never end.
    code = (
        "import sys, time, pathlib; mine, other = map(pathlib.Path, sys.argv[1:]); mine.touch()\n"
        "while not other.exists(): time.sleep(0.01)"
    )
    one, two = (("-c", code, *files) for files in (("OUT/a", "OUT/b"), ("OUT/b", "OUT/a")))
    assert run_all([Part("both", 60.0, one, beside=(two,))], tmp_path) == {"both": "done"}
    failing = Part("both", 60.0, ("-c", ""), beside=(("-c", "import sys; sys.exit(3)"),))
    assert run_all([failing], tmp_path) == {"both": "failed with 3"}


def test_a_wheel_is_found_by_the_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", "")
    monkeypatch.setattr(sys, "path", [*sys.path])
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    with zipfile.ZipFile(wheels / "odd-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("odd_package/__init__.py", "print('found')")
    part = python("odd", "import odd_package", needs=("odd_package",))
    monkeypatch.setattr(together, "cpu_parts", lambda **_: [part])
    arguments = ["--device", "cpu", "--out", str(tmp_path / "out")]
    assert together.main([*arguments, "--wheels", str(wheels)]) == 0
    assert (tmp_path / "out" / "odd.log").read_text() == "found\n"


def test_results_are_packed_into_few_archives_that_are_not_large(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(together, "ARCHIVE_BYTES", 100)
    out, folder = tmp_path / "out", tmp_path / "packed"
    sizes = {"rows.json": 60, "run/log": 30, "run/weights": 70, "more/weights": 80, "large": 101}
    for name, size in {**sizes, "run/step-1.pt": 10}.items():
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_bytes(b"x" * size)
    together.pack(out, folder)
    found = {}
    for archive in sorted(folder.iterdir()):
        with tarfile.open(archive) as opened:
            found[archive.name] = {file.name: file.size for file in opened.getmembers()}
    left_out = found["results-0.tar.gz"].pop("left-out.txt")
    assert left_out == len("large\nrun/step-1.pt\n")
    assert found == {
        "results-0.tar.gz": {"run/log": 30, "rows.json": 60},
        "results-1.tar.gz": {"run/weights": 70},
        "results-2.tar.gz": {"more/weights": 80},
    }
    monkeypatch.setattr(together, "MAX_ARCHIVES", 2)
    together.pack(out, folder)
    with tarfile.open(folder / "results-0.tar.gz") as opened:
        lines = opened.extractfile("left-out.txt")
        assert lines is not None
        assert lines.read().decode().split() == ["run/step-1.pt", "more/weights", "large"]


def test_results_are_packed_while_parts_run(tmp_path: Path) -> None:
    out, folder = tmp_path / "out", tmp_path / "packed"
    out.mkdir()
    with packing(out, folder, every_s=0.05):
        (out / "rows.json").write_text("first")
        deadline_s = time.monotonic() + 10
        while not (folder / "results-0.tar.gz").exists():
            assert time.monotonic() < deadline_s
            time.sleep(0.01)
        (out / "rows.json").write_text("last words")
    with tarfile.open(folder / "results-0.tar.gz") as opened:
        assert opened.getmember("rows.json").size == len("last words")


@pytest.mark.parametrize("code", [0, 1])
def test_the_exit_code_says_whether_all_went_well(
    code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    part = python("only", f"import sys; print('last words'); sys.exit({code})")
    monkeypatch.setattr(together, "cpu_parts", lambda **_: [part])
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
