"""What is compiled is never older than a file that it may be compiled from."""

import ast
import importlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numba
import numpy as np
import pytest
from numba.core import caching
from numba.core.compiler_lock import global_compiler_lock

from tokoban import compiling
from tokoban.sokoban.board import Direction
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.search.answer import Progress
from tokoban.sokoban.search.limits import Limits
from tokoban.sokoban.search.outcome import Outcome
from tokoban.sokoban.search.pauses import Budget, Found, Search
from tokoban.sokoban.search.run import find_answer

Import = Callable[[str], Any]


@pytest.fixture
def import_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Import]:
    """Imports a module of the package ``folder``, which lies there, as a new process would."""
    monkeypatch.syspath_prepend(tmp_path)
    # Bytecode is older than its source only by whole seconds.
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.setattr(compiling, "_entries", [])

    def forget() -> None:
        for name in [name for name in sys.modules if name.partition(".")[0] == "folder"]:
            del sys.modules[name]
        compiling._digest.cache_clear()
        compiling._imported_names.cache_clear()

    def import_module(name: str) -> Any:
        forget()
        importlib.invalidate_caches()
        return importlib.import_module(name)

    yield import_module
    forget()


def test_where_no_folder_can_be_written_the_search_is_compiled_without_a_cache(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(caching.CacheImpl, "_locator_classes", [])
    monkeypatch.setattr(compiling, "_is_cached", True)  # restored for the tests that follow
    assert compiling.entry(lambda number: number + 1)(1) == 2


def test_a_change_of_an_imported_file_is_compiled_anew(tmp_path: Path, import_anew: Import) -> None:
    folder = tmp_path / "folder" / "deep"
    folder.mkdir(parents=True)
    number = tmp_path / "folder" / "number.py"
    number.write_text("NUMBER = 2\n")
    (folder / "inside.py").write_text(
        "from tokoban.compiling import inner\nfrom folder import number\n\n"
        "@inner\ndef ask():\n    return number.NUMBER\n"
    )
    (folder / "answer.py").write_text(
        "from tokoban.compiling import entry\nfrom folder.deep import inside\n\n"
        "@entry\ndef ask():\n    return inside.ask()\n"
    )
    (folder / "unrelated.py").write_text("")

    def ask() -> tuple[int, int]:
        """How often compiled code was loaded, and the answer."""
        function = import_anew("folder.deep.answer").ask
        answer = function()
        return sum(function.stats.cache_hits.values()), answer

    assert ask() == (0, 2)
    (folder / "unrelated.py").write_text("1\n")
    assert ask() == (1, 2)
    number.write_text("NUMBER = 3\n")
    assert ask() == (0, 3)


def test_the_pattern_finds_every_import_that_the_parser_finds(
    import_anew: Import, monkeypatch: pytest.MonkeyPatch
) -> None:
    for file in Path(compiling.__file__).parents[1].rglob("*.py"):
        parsed: set[str] = set()
        for node in ast.parse(file.read_bytes()).body:
            if isinstance(node, ast.Import):
                parsed.update(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module:
                parsed.add(node.module)
                parsed.update(f"{node.module}.{alias.name}" for alias in node.names)
        monkeypatch.setitem(sys.modules, "folder", SimpleNamespace(__file__=str(file)))
        compiling._imported_names.cache_clear()
        assert parsed <= compiling._imported_names("folder"), file


def test_compiled_code_is_loaded_without_what_compiles(tmp_path: Path) -> None:
    (tmp_path / "kept.py").write_text(
        "import sys\nimport numpy as np\nfrom tokoban.compiling import entry\n\n"
        "@entry\ndef double(row):\n    row *= 2\n\n"
        "@entry(makes_arrays=True)\ndef count(size):\n    return np.arange(size)\n\n"
        "row = np.arange(3)\ndouble(row)\n"
        "print(row, count(2), 'numba.np.arraymath' in sys.modules)\n"
    )
    run = partial(subprocess.run, [sys.executable, "kept.py"], cwd=tmp_path, capture_output=True)
    environment = os.environ | {"PYTHONPATH": str(Path(compiling.__file__).parents[2])}
    first, second = (run(env=environment, check=True, text=True).stdout for _ in range(2))
    assert (first, second) == ("[0 2 4] [0 1] True\n", "[0 2 4] [0 1] False\n")


def test_code_compiled_for_a_type_of_a_module_that_is_gone_is_compiled_anew(
    tmp_path: Path, import_anew: Import
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "first.py").write_text(
        "from tokoban.compiling import entry\n\n@entry\ndef first(pair):\n    return pair[0]\n"
    )
    for module in ("old", "new"):
        caller = folder / f"{module}.py"
        caller.write_text(
            "from typing import NamedTuple\nfrom folder.first import first\n\n"
            "class Pair(NamedTuple):\n    one: int\n    two: int\n\n"
            "assert first(Pair(3, 5)) == 3\n"
        )
        import_anew(f"folder.{module}")
        caller.unlink()


def test_an_inner_function_is_compiled_once_for_integers_of_any_size() -> None:
    below: Any = compiling.inner(lambda number, limit: number < limit)
    ask = compiling.entry(lambda row: (below(row[0], 3), below(row[0], len(row)), below(5, row[0])))
    assert ask(np.array([3, 5], np.int16)) == (False, False, False)
    assert ask(np.array([2, 3, 5], np.int32)) == (True, True, False)
    assert len(below.signatures) == 1


def test_what_two_inner_functions_share_is_in_their_caller_once() -> None:
    double: Any = compiling.inner(lambda number: 2 * number)
    first: Any = compiling.inner(lambda number: double(number) + 3)
    second: Any = compiling.inner(lambda number: double(first(number)) + 5)
    ask: Any = compiling.entry(lambda number: first(number) * second(number))
    assert ask(7) == 17 * 39
    (library,) = (one.library for one in ask.overloads.values())
    linked = [id(one) for one in library._linking_libraries]
    for inner in (double, first, second):
        (part,) = (one.library for one in inner.overloads.values())
        assert linked.count(id(part)) == 1


def test_the_first_compilation_is_reported_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(compiling.NOTICE, "was_given", False)
    monkeypatch.setattr(compiling, "_is_cached", True)
    ask = numba.njit(lambda number: number + 1)
    assert (ask(1), caplog.messages) == (2, [compiling.KEPT])
    assert (ask(2), ask(2.5)) == (3, 3.5)
    assert len(caplog.messages) == 1


def test_a_thread_that_is_to_stop_begins_no_other_compilation() -> None:
    stop = threading.Event()
    ask = numba.njit(lambda number: number + 1)
    with compiling.until(stop):
        assert ask(1) == 2
        stop.set()
        assert ask(2) == 3  # needs none
        with compiling.until(threading.Event()):
            assert ask(1j) == 1 + 1j
        with pytest.raises(KeyboardInterrupt):
            ask(2.5)
    assert ask(2.5) == 3.5


def test_the_clock_stands_still_while_its_thread_compiles() -> None:
    started_s, clock_s = time.perf_counter(), compiling.clock()
    with global_compiler_lock:  # held by whatever numba compiles or loads
        time.sleep(0.02)
    time.sleep(0.01)
    counted_s = compiling.clock() - clock_s
    assert 0.01 <= counted_s <= time.perf_counter() - started_s - 0.02


def test_a_time_limit_does_not_count_compilation(monkeypatch: pytest.MonkeyPatch) -> None:
    # The search takes no time at all, its compilation more than the limit.
    compiled_s = 0.3
    ask = numba.njit(lambda number: number + 1)

    def search(_: Budget) -> Search:
        with global_compiler_lock:
            ask(1)
            time.sleep(compiled_s)
        yield from ()
        return Found(Outcome.SOLVED, Progress(), (Direction.RIGHT,))

    answer = find_answer(parse_board("@$."), search, Limits(time_limit_s=0.2))
    assert answer.solution is not None
    assert answer.elapsed_s < 0.2
