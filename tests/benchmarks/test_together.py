"""Many parts in one call: each has its time, and none takes another one down."""

import sys
import time
from importlib import import_module
from pathlib import Path

import pytest

from benchmarks import together
from benchmarks.together import Part, run_all
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


@pytest.mark.skipif(sys.platform == "win32", reason="groups of processes are POSIX's")
@pytest.mark.slow
def test_a_quick_run_of_a_part_for_real(tmp_path: Path) -> None:
    arguments = ["--device", "cpu", "--quick", "--out", str(tmp_path), "--parts", "rollouts"]
    assert together.main(arguments) == 0
    assert (tmp_path / "rollouts.json").exists()
