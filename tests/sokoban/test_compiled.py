"""What is compiled is never older than a file that it may be compiled from."""

import logging
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import pytest
from numba.core import caching

from tokoban import compiling
from tokoban.sokoban import compiled

LOADED = "from folder.answer import ask; ask(); print(*ask.stats.cache_hits.values() or [0], ask())"


def test_where_no_folder_can_be_written_the_search_is_compiled_without_a_cache(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(caching.CacheImpl, "_locator_classes", [])
    assert compiled.entry(lambda number: number + 1)(1) == 2


@pytest.mark.parametrize("place", ["inside", "solving.inside"])
def test_a_change_of_what_is_called_is_compiled_anew(place: str, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    inside = folder.joinpath(*place.split(".")).with_suffix(".py")
    inside.parent.mkdir(parents=True)
    shutil.copy(compiled.__file__, folder / "compiled.py")
    inside.write_text("from folder.compiled import inner\n\n@inner\ndef number():\n    return 2\n")
    (folder / "answer.py").write_text(
        f"from folder.compiled import entry\nfrom folder.{place} import number\n\n"
        "@entry\ndef ask():\n    return number()\n"
    )

    def ask() -> str:
        run = [sys.executable, "-c", LOADED]
        return subprocess.run(
            run, cwd=tmp_path, check=True, capture_output=True, text=True
        ).stdout.strip()

    assert ask() == "0 2"
    assert ask() == "1 2"
    inside.write_text("from folder.compiled import inner\n\n@inner\ndef number():\n    return 3\n")
    assert ask() == "0 3"


def test_what_is_compiled_is_told_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "tokoban")
    monkeypatch.setattr(compiling.NOTICE, "was_given", False)
    ask = numba.njit(lambda number: number + 1)
    assert (ask(1), caplog.messages) == (2, ["compiling for this machine, once"])
    assert (ask(2), ask(2.5)) == (3, 3.5)
    assert len(caplog.messages) == 1
