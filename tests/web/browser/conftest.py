"""The page in a real browser: one server and one Chromium for all tests, a fresh profile for each.

A test fails if the page reports an error, such as an exception or a breach of its policy.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
FLAGS = ["--no-sandbox", "--disable-background-networking"]

# Small enough to be played by hand: see test_play.py for the moves.
LEVELS = """\
Corridor

#####
#@$.#
#####

Room

########
#@     #
#  $   #
#    . #
#  $ . #
########

Two goals

#######
#.@ $.#
# $   #
#######
"""

Open = Callable[..., Any]


class Server:
    """``tokoban web`` in a process of its own."""

    def __init__(self, *files: Path, port: int = 0) -> None:
        command = [sys.executable, "-m", "tokoban", "web", *map(str, files)]
        self._process = subprocess.Popen(
            [*command, "--port", str(port), "--no-open"],
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(HERE.parents[2])},
        )
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        address = re.search(r"http://[\d.]+:(\d+)/", line)
        assert address, f"the server said {line!r}"
        self.url, self.port = address[0], int(address[1])

    def stop(self) -> None:
        self._process.kill()
        self._process.communicate()


@pytest.fixture(scope="session")
def levels_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The levels of these tests; their collection is the one after the shipped levels."""
    path = tmp_path_factory.mktemp("levels") / "tests.sok"
    path.write_text(LEVELS, encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def server(chromium: Any, levels_file: Path) -> Iterator[Server]:
    """The one server of the session."""
    started = Server(levels_file)
    yield started
    started.stop()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """The browser, or a skip that says what is missing."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = shutil.which("chromium") or shutil.which("google-chrome")
    if path is None:
        pytest.skip("no Chromium is installed")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def open_page(chromium: Any, server: Server) -> Iterator[Open]:
    """``open_page("#/levels", base=…, **options of the context)`` gives a page in a new profile.

    ``context=`` opens one more tab of a profile instead.
    """
    contexts: list[Any] = []
    errors: list[str] = []

    def report(said: Any) -> None:
        # That a server is gone is no error of the page; a missing file has another text.
        if said.type == "error" and "net::ERR" not in said.text:
            errors.append(said.text)

    def open_page(hash: str = "", *, context: Any = None, base: str = "", **options: Any) -> Any:
        if context is None:
            context = chromium.new_context(**{"locale": "en-GB", **options})
            contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", report)
        page.set_default_timeout(10_000)
        page.goto((base or server.url) + hash)
        page.wait_for_selector("main > *")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not errors, errors


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker("browser")
