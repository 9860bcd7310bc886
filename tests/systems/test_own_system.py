"""A system outside the package is trained, resumed and evaluated as the registered ones are."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch

import tokoban
from tokoban import cli, pretrained
from tokoban.systems import load_named_by_user
from tokoban.training.run_config import RunConfig

REPOSITORY = Path(__file__).resolve().parents[2]
FILE = REPOSITORY / "docs" / "examples" / "reverse.py"


def _train(output: Path, *words: str) -> dict[str, float]:
    command = ["train", str(FILE), "--device", "cpu", "--schedule", "constant"]
    assert cli.main([*command, "--output", str(output), *words]) == 0
    return json.loads((output / "result.json").read_text())


def _blocks(page: str) -> list[str]:
    text = (REPOSITORY / "docs" / page).read_text()
    return re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)


def test_the_pages_show_the_example() -> None:
    blocks = _blocks("gpt-lesson.md")
    assert "\n\n".join(blocks) == FILE.read_text()
    assert _blocks("adding-a-system.md") == blocks[-1:]


def test_it_is_trained_resumed_and_evaluated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _train(tmp_path / "run", "--steps", "100")["loss"] < 0.3
    assert (tmp_path / "run/plots/curves.png").read_bytes().startswith(b"\x89PNG")
    resumed = _train(tmp_path / "run", "--resume", "--steps", "103")
    assert resumed["loss"] == _train(tmp_path / "straight", "--steps", "103")["loss"] != 0
    capsys.readouterr()
    words = ["--weights", str(tmp_path / "run"), "--device", "cpu", "--json", "-"]
    assert cli.main(["evaluate", f"{FILE}:SPEC", *words]) == 0
    assert json.loads(capsys.readouterr().out)["loss"] == resumed["loss"]


def test_it_is_trained_from_python(tmp_path: Path) -> None:
    spec = load_named_by_user(str(FILE))
    run = RunConfig(steps=3, device="cpu")
    spec.fit(spec.config_type(), run, tmp_path / "run")
    trained = pretrained.load_trained(str(tmp_path / "run"), spec)
    spec.fit(spec.config_type(), run, tmp_path / "again")
    again = pretrained.load_trained(str(tmp_path / "again"), spec)
    assert torch.equal(trained.model.head.weight, again.model.head.weight)
    with pytest.raises(ValueError, match="this system has no attention to show"):
        spec.attention(trained.model)


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("nothing.py", "nothing.py: no such file"),
        ("folder.py", "folder.py: not a file"),
        ("own.py:OTHER", "own.py: OTHER is not a SystemSpec"),
        ("own.py:MISSING", "own.py: MISSING is not a SystemSpec"),
        ("own.py:A:B", "unknown system 'own.py:A:B'; expected one of sokoban"),
        ("own.pyc", "ppo, trajectory, or FILE.py[:NAME]"),
        ("open.py", "open.py, line 2: '(' was never closed"),
        ("zero.py", "zero.py, line 2: ZeroDivisionError: division by zero"),
        ("null.py", "null.py: source code string cannot contain null bytes"),
        ("alone.py", "this needs the package nowhere_to_be_found, which is missing"),
    ],
)
def test_what_is_no_system_is_one_line(
    name: str,
    complaint: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("own.py").write_text("SPEC = OTHER = 3\n")
    Path("open.py").write_text("one = 1\ntwo = (\n")
    Path("zero.py").write_text("import math\nmath.sqrt(1 / 0)\n")
    Path("null.py").write_text("a\0b")
    Path("alone.py").write_text("import nowhere_to_be_found\n")
    Path("folder.py").mkdir()
    assert cli.main(["train", name]) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith("tokoban: ") and complaint in line


OWN_CONFIG = """
from __future__ import annotations

from dataclasses import dataclass, replace

from beside import SPEC


@dataclass(frozen=True, kw_only=True)
class Config:
    FIELD: int = 5  # of the inputs


SPEC = replace(SPEC, config_type=Config)
"""


@pytest.mark.parametrize("field", ["steps", "output"])
def test_a_field_named_like_an_option_is_refused(
    field: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of a file that is called as a package is, and imports from the file beside it."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "beside.py").write_text(FILE.read_text())
    file = tmp_path / "torch.py"
    file.write_text(OWN_CONFIG.replace("FIELD", field))
    assert cli.main(["train", str(file), "--output", str(tmp_path / "run")]) == 2
    assert f"has an option --{field} already" in capsys.readouterr().err


def test_weights_never_name_a_file_to_run(tmp_path: Path) -> None:
    """Weights of a system outside the package load only for a user who names its file."""
    _train(tmp_path, "--steps", "1")
    with pytest.raises(ValueError, match="weights of the system 'reverse'; expected 'life'"):
        pretrained.load(str(tmp_path), system="life")
    for name in ("reverse", str(FILE)):
        with pytest.raises(ValueError, match=r"unknown system .*, trajectory$"):
            pretrained.load(str(tmp_path), system=name)
    with pytest.raises(ValueError, match=r"weights.safetensors: unknown system 'reverse'.*ry$"):
        tokoban.load(str(tmp_path))


def test_a_system_without_gymnasium_is_one_line() -> None:
    program = "import sys; sys.modules['gymnasium'] = None; from tokoban.cli import main\n"
    program += "print(*(main(['train', system]) for system in ('ppo', 'trajectory')))"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        text=True,
    )
    told = "tokoban: this needs the package gymnasium, which is missing: pip install "
    assert done.stderr == f"{told}'tokoban[networks]'\n" * 2
    assert done.stdout == "2 2\n"


@pytest.mark.slow
def test_two_processes_train_it(tmp_path: Path) -> None:
    launch = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2", "-m", "tokoban"]
    words = ["train", str(FILE), "--device", "cpu", "--steps", "200", "--output", str(tmp_path)]
    done = subprocess.run(
        [sys.executable, *launch, *words],
        env=os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "result.json").read_text())["loss"] < 0.3
    record = json.loads((tmp_path / "config.json").read_text())
    assert (record["system"], record["num_processes"]) == ("reverse", 2)
