"""``tokoban prepare``: afterwards no command compiles anything, and nothing is missed."""

import os
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from tokoban import cli, compiling
from tokoban.sokoban.search.searches.beam import pull_beam

# Runs a command and prints, last, how many functions were compiled.
COUNT = """
import sys
from numba.core import event
from tokoban import cli

class Count(event.Listener):
    names = []
    def on_start(self, event):
        self.names.append(event.data["dispatcher"].py_func.__qualname__)
    def on_end(self, event):
        pass

count = Count()
event.register("numba:compile", count)
status = cli.main(sys.argv[1:])
print("compiled:", *count.names, file=sys.stderr)
sys.exit(status)
"""
# The entries that are left, once every module that has some is loaded.
UNUSED = """
import importlib, pathlib, re, sys
import tokoban
from tokoban import cli, compiling

assert cli.main(["prepare"]) == 0
package = pathlib.Path(tokoban.__file__).parent
for file in package.rglob("*.py"):
    if re.search("^from tokoban.* import .*entry", file.read_text(), re.M):
        importlib.import_module(".".join(file.relative_to(package.parent).with_suffix("").parts))
unused = [
    entry.py_func.__qualname__
    for entry in compiling._entries
    if not entry._cache._cache_file._load_index()
]
print("unused:", *unused, file=sys.stderr)
"""
COMMANDS = [
    "demo",
    "solve levels.sok",
    "solve levels.sok --by search --minimise pushes --threads 2",
    "solve levels.sok --by search --minimise any",
    "solve levels.sok --by policy",
    "rate levels.sok --json -",
    "explain levels.sok",
    "optimise solved.sok",
    "generate --levels 1 --seed 3 --solutions --output -",
    "generate --levels 1 --seed 3 --difficulty easy --boxes 2 --output -",
    "label levels.sok --output labels",
    "translate Hallo",
    "translate --beam 1 Hallo",
    "generate-text --max-tokens 4 Hallo",
    "evaluate sokoban --weights sokoban-8x8 --generated 8 --seed 1",
    "train push --preset tiny --steps 3 --labels labels --large-share 0.5 --output pushes",
    "evaluate push --weights sokoban-push --levels levels.sok --states 4 --most-evaluated 30 "
    "--refute 3",
    "label levels.sok --played-by sokoban-push --output played",
]
LEVELS = """One

######
#@$ .#
######

Four

########
#. .   #
# $$   #
#   @  #
# $$   #
#. .   #
########

Wide

############
#@         #
#  $   $   #
#.        .#
############

Lost

########
#@$.$ .#
########
"""


def run(code: str, *words: str, folder: Path, cache: Path) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {
        "NUMBA_CACHE_DIR": str(cache),
        "PYTHONPATH": str(Path(cli.__file__).parents[2]),
    }
    return subprocess.run(
        [sys.executable, "-c", code, *words],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
def test_after_it_no_command_compiles_anything(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    prepared = run(UNUSED, folder=tmp_path, cache=cache)
    assert prepared.returncode == 0, prepared.stderr
    assert prepared.stderr.splitlines()[-1] == "unused:"
    assert f"Compiled code lies in {cache}" in prepared.stdout
    (tmp_path / "levels.sok").write_text(LEVELS)
    (tmp_path / "solved.sok").write_text(f"{LEVELS.split('Four')[0]}Solution\n\nRR\n")
    for command in ["prepare", *COMMANDS]:
        ran = run(COUNT, *command.split(), folder=tmp_path, cache=cache)
        assert ran.returncode in (0, 1), (command, ran.stderr)
        assert ran.stderr.splitlines()[-1] == "compiled:", command
    again = run(COUNT, "prepare", folder=tmp_path, cache=cache)
    assert "Everything had been compiled before." in again.stdout
    shutil.rmtree(cache)
    words = ["solve", "levels.sok", "--level", "1", "--by", "search"]
    ran = run(COUNT, *words, folder=tmp_path, cache=cache)
    assert ran.stderr.splitlines()[0] == f"tokoban: {compiling.KEPT}"
    assert ran.stderr.splitlines()[-1] != "compiled:"


def test_it_reports_each_command_and_where_the_code_lies(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from tokoban.cli import prepare

    monkeypatch.setattr(prepare, "_searches", lambda: {"beam of pulls": pull_beam.prepare})
    monkeypatch.setattr(prepare, "_RUNS", {"solve": ("solve {file} --by search --level 1",)})
    assert cli.main(["prepare"]) == 0
    told = capsys.readouterr()
    *lines, last = told.out.splitlines()
    reported = [line.split(":")[0] for line in lines if line.endswith(" s")]
    assert sorted(reported) == ["beam of pulls", "solve"]
    assert told.err == ""
    assert last.startswith("Compiled code lies in /")


def test_a_command_that_cannot_run_is_reported_and_the_others_are_compiled(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from tokoban.cli import prepare

    runs = {"solve": ("solve none.xsb",), "rate": ("rate {file} --level 1",)}
    monkeypatch.setattr(prepare, "_searches", dict)
    monkeypatch.setattr(prepare, "_RUNS", runs)
    assert cli.main(["prepare"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert sorted(line.split(":")[0] for line in lines[:2]) == ["rate", "solve"]
    assert lines[2] == "solve: not compiled: none.xsb: No such file or directory"


def test_a_process_that_ends_early_is_a_sentence(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from tokoban.cli import prepare

    monkeypatch.setattr(prepare, "_searches", lambda: {"A*": partial(os._exit, 1)})
    monkeypatch.setattr(prepare, "_RUNS", {})
    assert cli.main(["prepare"]) == 1
    assert capsys.readouterr().out.splitlines()[0] == (
        "A*: not compiled: its process ended; was memory short?"
    )


def test_where_no_folder_can_be_written_it_says_so(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiling, "_is_cached", False)
    assert cli.main(["prepare"]) == 2
    assert capsys.readouterr() == ("", f"tokoban: {compiling.NOT_KEPT}\n")
