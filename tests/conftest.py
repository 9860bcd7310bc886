"""What every test may lean on: checked shapes, one thread, and the shared data where it is."""

import importlib.util
import os
import shutil
import signal
import sys
from collections.abc import Generator, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests import shapes

REPOSITORY = Path(__file__).resolve().parents[1]

# The hook must come before the first import of tokoban. It checks the modules that annotate arrays,
# whose shapes mypy does not know; in the others, where mypy sees all there is, the checks of small
# functions such as ``Square.neighbour`` took most of the time of many tests. Where beartype is
# missing the tests run all the same, with shapes as mere documentation. A function compiled by
# numba is annotated with typing.no_type_check, or numba would be handed the checking wrapper in its
# place. Without assertions beartype checks nothing; and what the hook imports then, beartype itself
# among it, would be kept without them, in the files that later runs with assertions read.
if importlib.util.find_spec("beartype") and not sys.flags.optimize:
    with_arrays = [
        ".".join(path.relative_to(REPOSITORY).with_suffix("").parts)
        for path in (REPOSITORY / "tokoban").rglob("*.py")
        if "from jaxtyping import" in path.read_text(encoding="utf-8")
    ]
    shapes.install(with_arrays)

# The same examples each time, whatever time they take.
if importlib.util.find_spec("hypothesis"):
    import hypothesis

    hypothesis.settings.load_profile("ci")

import torch  # noqa: E402

from tokoban import compiling, pretrained  # noqa: E402
from tokoban.training import run_directory  # noqa: E402

pretrained_load = pretrained.load

torch.set_num_threads(1)

# What is compiled during a test depends on what ran before; standard error must not.
compiling.NOTICE.was_given = True

# A shell's background job is started deaf to Ctrl-C, and so would all be that the tests start.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def _short_runs() -> Iterator[None]:
    """Leaves out what takes most of the time of a short run: to wait for the disk, and for git."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(os, "fsync", lambda descriptor: None)
        patched.setattr(run_directory, "current_commit", cache(run_directory.current_commit))
        yield


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of other people's levels and texts, or a skip: none of it is in the repository."""
    folder = Path(os.environ.get("TOKOBAN_DATA", REPOSITORY / "../shared/data"))
    if not folder.is_dir():
        pytest.skip("no shared data: TOKOBAN_DATA names no folder, and ../shared/data is absent")
    return folder.resolve()


@cache
def _shipped(name: str, system: str) -> tuple[Any, Any]:
    return pretrained_load(name, system=system)


@pytest.fixture
def shipped_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shipped weights are read once for all tests that ask for this, and then never changed.

    To read them takes a command of two sentences most of its time.
    """

    def load(name_or_path: str, *, system: str) -> tuple[Any, Any]:
        if name_or_path in pretrained.names():
            return _shipped(name_or_path, system)
        return pretrained_load(name_or_path, system=system)

    monkeypatch.setattr(pretrained, "load", load)


@pytest.fixture
def small_drawings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Trainings draw three batches at a time, since usual drawings take seconds."""
    drawing = ("instructions", "sokoban_policy", "subgoals")
    for module in ("training.ahead", *(f"systems.{name}.dataset" for name in drawing)):
        monkeypatch.setattr(f"tokoban.{module}.BATCHES_A_DRAWING", 3)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """The browser, or a skip that says what is missing; a process can have Playwright but once."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = shutil.which("chromium") or shutil.which("google-chrome")
    if path is None:
        pytest.skip("no Chromium is installed")
    with playwright.sync_playwright() as started:
        flags = ["--no-sandbox", "--disable-background-networking"]
        browser = started.chromium.launch(executable_path=path, args=flags)
        yield browser
        browser.close()


def pytest_runtest_setup() -> None:
    shapes.Test.number += 1


# What torch warns of on a GPU whatever the code does, in the first test that comes to it.
_WARNINGS_OF_A_GPU = (
    "ignore:Synchronization debug mode is a prototype feature",
    "ignore:TensorFloat32 tensor cores for float32 matrix multiplication available",
)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Of ``-m gpu``, all files without such a test: to import them takes longer than the tests."""
    if collection_path.suffix != ".py" or config.option.markexpr.split()[:1] != ["gpu"]:
        return None
    return "mark.gpu" not in collection_path.read_text(encoding="utf-8") or None


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Reads the folders from the end in the second of two processes.

    In a new clone each file has to be compiled with its asserts rewritten, which takes 8 s for all
    of them. So each process compiles one half, and finds the other half compiled.
    """
    report = yield
    if os.environ.get("PYTEST_XDIST_WORKER") == "gw1" and isinstance(collector, pytest.Directory):
        report.result.reverse()
    return report


@pytest.hookimpl(tryfirst=True)  # what else sorts them begins with the usual order
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: item.path.parts)
    for item in items:
        if item.get_closest_marker("gpu"):
            for warning in _WARNINGS_OF_A_GPU:
                item.add_marker(pytest.mark.filterwarnings(warning))
            if not torch.cuda.is_available():
                item.add_marker(pytest.mark.skip(reason="no CUDA device"))
