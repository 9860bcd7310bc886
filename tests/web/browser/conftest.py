"""The page in a real browser: one server, one Chromium and, where a test allows it, one tab.

A test fails if the page reports an error, such as an exception or a breach of its policy.
"""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from benchmarks.served import Server

HERE = Path(__file__).parent

# Small enough to be played by hand: see test_playing.py for the moves.
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


@pytest.fixture(scope="session")
def levels_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The levels of these tests; their collection is the one after the shipped levels."""
    path = tmp_path_factory.mktemp("levels") / "tests.sok"
    path.write_text(LEVELS, encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def server(chromium: Any, levels_file: Path) -> Iterator[Server]:
    """The one server of the session."""
    with closing(Server(levels_file)) as started:
        yield started


class Tabs:
    """Opens pages, and collects their errors.

    Loading the page is most of what a test costs. It takes half the time in a tab that has loaded
    it before and has not left its server since, so that its process lives on. So all tests share
    one tab, in which each finds an empty profile. Only a test that gives options of a profile, or
    asks for a second tab, gets others.
    """

    def __init__(self, chromium: Any, server: Server) -> None:
        self._chromium, self._server = chromium, server
        permissions = ["clipboard-read", "clipboard-write"]
        self._context = chromium.new_context(locale="en-GB", permissions=permissions)
        self._shared = self._context.new_page()
        self._tab = self._context.new_cdp_session(self._shared)
        self.errors: list[str] = []
        self._watch(self._shared)
        self._is_used = False
        self._opened: list[Any] = []

    def open(
        self, hash: str = "", *, context: Any = None, reduced_motion: str = "", **options: Any
    ) -> Any:
        """Opens an address in an empty profile, or in a new tab of a page's ``context``.

        Without options of the profile, what was opened so before is closed.
        """
        if context is None and not options:
            if self._is_used:
                self.clear()
            self._is_used = True
            page = self._shared
        else:
            context = context or self._chromium.new_context(**{"locale": "en-GB", **options})
            page = context.new_page()
            self._opened.append(page if context is self._context else context)
            self._watch(page)
        # A job may go to a worker that has to import torch first, on a busy machine for minutes.
        page.set_default_timeout(300_000)
        if reduced_motion:
            page.emulate_media(reduced_motion=reduced_motion)
        page.goto(self._server.url + hash)
        page.wait_for_selector("main > *")
        return page

    def clear(self) -> None:
        """Leaves the page, which ends its jobs, and forgets what it kept."""
        for page in self._context.pages:
            # What a page writes when it is left may come after the clearing.
            page.evaluate("Storage.prototype.setItem = () => {}")
        for opened in self._opened:
            opened.close()
        self._opened.clear()
        self._shared.goto(f"{self._server.url}static/icon.svg")
        self._shared.unroute_all()
        self._shared.emulate_media(reduced_motion="no-preference", color_scheme="light")
        origin = {"origin": self._server.url, "storageTypes": "local_storage"}
        self._tab.send("Storage.clearDataForOrigin", origin)
        self._is_used = False

    def _watch(self, page: Any) -> None:
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", self._report)

    def _report(self, said: Any) -> None:
        # That a server is gone is no error of the page; a missing file has another text. Beside a
        # picture alone, as ``clear`` shows one, the browser asks for an icon.
        is_of_page = "net::ERR" not in said.text and "favicon.ico" not in said.location["url"]
        if said.type == "error" and is_of_page:
            self.errors.append(said.text)


@pytest.fixture(scope="session")
def _tabs(chromium: Any, server: Server) -> Tabs:
    return Tabs(chromium, server)


@pytest.fixture
def open_page(_tabs: Tabs) -> Iterator[Open]:
    """``open_page("#/levels", **options of the profile)`` gives a page: see ``Tabs.open``."""
    yield _tabs.open
    errors, _tabs.errors[:] = _tabs.errors[:], []
    _tabs.clear()
    assert not errors, errors


@pytest.fixture(scope="session")
def modules_page(chromium: Any, server: Server) -> Iterator[Any]:
    """A page for tests of single modules, which leave nothing behind."""
    context = chromium.new_context()
    page = context.new_page()
    page.goto(server.url)
    yield page
    context.close()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # What needs a browser comes first: of two processes that share the tests, the one that takes
    # the first eighth then has it all, and the other starts neither a browser nor a server.
    # Among them tests of jobs come late, since those workers take seconds to get ready, and last
    # the test that kills the server.
    waiting = (HERE / "test_analysing.py", HERE / "test_labs.py")
    places = {}
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker("browser")
        needs = "chromium" in getattr(item, "fixturenames", ())
        kills = item.name.endswith("server_dies_in_mid_game")
        places[item] = (not needs, kills, item.path in waiting)
    items.sort(key=places.__getitem__)
