"""The tests for a GPU: found quickly, also where packages are missing, and failed by no warning."""

import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

REPOSITORY = Path(__file__).resolve().parents[1]
# Packages that need not be there: Gymnasium's, those of the papers' scores, of checked shapes …
MISSING = ("gymnasium", "farama_notifications", "sacremoses", "beartype", "starlette")
HIDING = f"""
from importlib.machinery import PathFinder

find = PathFinder.find_spec

def find_spec(cls, name, path=None, target=None):
    return None if name.partition(".")[0] in {MISSING} else find(name, path, target)

PathFinder.find_spec = classmethod(find_spec)
"""


@pytest.fixture
def conftest(request: pytest.FixtureRequest) -> ModuleType:
    plugin = request.config.pluginmanager.get_plugin(str(REPOSITORY / "tests" / "conftest.py"))
    assert isinstance(plugin, ModuleType)
    return plugin


@pytest.mark.slow
def test_where_packages_are_missing_the_tests_for_a_gpu_are_found_all_the_same(
    tmp_path: Path,
) -> None:
    (tmp_path / "sitecustomize.py").write_text(HIDING)
    environment = os.environ | {"PYTHONPATH": f"{tmp_path}{os.pathsep}{REPOSITORY}"}
    command = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "--collect-only", "-m"]
    for marks in ("gpu", "gpu and not slow"):
        done = subprocess.run(
            [sys.executable, *command, marks],
            cwd=REPOSITORY,
            env=environment,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        files = {line.partition("::")[0] for line in done.stdout.splitlines() if "::" in line}
        # All but the one whose own subject is Gymnasium's.
        expected = {
            path.relative_to(REPOSITORY).as_posix()
            for path in (REPOSITORY / "tests").rglob("test_*.py")
            if "@pytest.mark.gpu" in path.read_text(encoding="utf-8")
            or "marks=pytest.mark.gpu" in path.read_text(encoding="utf-8")
        } - {"tests/sokoban/simulation/test_vector_environment.py", "tests/test_gpu_tests.py"}
        assert files == expected


@pytest.mark.parametrize(
    ("marks", "source", "is_read"),
    [
        ("gpu", "@pytest.mark.gpu\ndef test(): ...", True),
        ("gpu and not slow", "@pytest.mark.gpu\ndef test(): ...", True),
        ("gpu", "def test(): ...", False),
        ("gpu and not slow", "def test(): ...", False),
        ("not slow and not gpu", "def test(): ...", True),
        ("slow and not gpu", "def test(): ...", True),
        ("", "def test(): ...", True),
    ],
)
def test_only_files_with_a_test_for_a_gpu_are_read_where_only_those_are_requested(
    conftest: ModuleType, marks: str, source: str, is_read: bool, tmp_path: Path
) -> None:
    file = tmp_path / "test_it.py"
    file.write_text(source)
    config = SimpleNamespace(option=SimpleNamespace(markexpr=marks))
    assert conftest.pytest_ignore_collect(file, config) is (None if is_read else True)
    assert conftest.pytest_ignore_collect(tmp_path, config) is None
