"""The examples of the README and of the documentation run, so that the pages cannot drift.

The commands of a page run one after another in one folder, as its reader would enter them.
"""

import io
import multiprocessing
import os
import re
import shlex
import subprocess
import sys
import warnings
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from tokoban.cli import main

REPOSITORY = Path(__file__).resolve().parents[1]
PAGES = [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").rglob("*.md"))]


def blocks(page: Path, language: str, first: str = "# run by the tests\n") -> list[str]:
    """The blocks of code that begin with the comment that tests run them."""
    pattern = rf"^```{language}\n{first}(.*?)^```$"
    return re.findall(pattern, page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


COMMANDS = {page: "".join(found) for page in PAGES if (found := blocks(page, "sh"))}
PROGRAMS = [block for page in PAGES for block in blocks(page, "python")]
# Trains, takes minutes, serves, waits for keys, or reads what only the reader has.
BY_HAND = re.compile(r"\b(train|evaluate|label|web|play|torchrun|collections)\b|runs/|test\.de\b")


def test_there_are_examples_to_run() -> None:
    assert COMMANDS and PROGRAMS


def name_of(page: Path) -> str:
    return page.relative_to(REPOSITORY).as_posix()


def test_every_quick_command_is_run() -> None:
    for page in PAGES:
        if page.name in ("results.md", "lab-notebook.md"):  # of their dates
            continue
        others = "".join(blocks(page, "sh", "(?!# run by the tests)")).replace("\\\n", "")
        lines = [line for line in others.splitlines() if "tokoban" in line]
        assert [line for line in lines if not BY_HAND.search(line)] == [], page


def test_every_block_is_closed() -> None:
    """Else prose would be run as commands, or commands shown as prose."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        fences = re.findall(r"^ *```(\w*)$", text, flags=re.MULTILINE)
        assert len(fences) % 2 == 0 and not any(fences[1::2]), page


@pytest.fixture(scope="module")
def apart() -> Iterator[ProcessPoolExecutor]:
    """A process for all examples: to start Python and import torch takes longer than most run."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as process:
        yield process


@contextmanager
def captured_in(folder: Path) -> Iterator[io.StringIO]:
    """Works in ``folder``, and gives what is printed."""
    printed = io.StringIO()
    with chdir(folder), redirect_stdout(printed), redirect_stderr(printed):
        yield printed


def failure_of_commands(block: str, folder: Path) -> str | None:
    """What the commands print if one fails; those with pipes are the shell's."""
    # `tokoban` is this repository's, installed or not.
    command = folder / "bin" / "tokoban"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m tokoban "$@"\n')
    command.chmod(0o755)
    path = {"PATH": f"{command.parent}{os.pathsep}{os.environ['PATH']}"}
    environment = os.environ | path | {"PYTHONPATH": str(REPOSITORY)}
    with captured_in(folder) as printed:
        for line in block.replace("\\\n", "").splitlines():
            if re.match(r"tokoban [^|<>$;&`]*$", line):
                status = main(shlex.split(line, comments=True)[1:])
            else:
                ran = subprocess.run(
                    ["sh", "-c", line], env=environment, capture_output=True, text=True, check=False
                )
                status = ran.returncode
                print(ran.stdout, ran.stderr)
            if status != 0:
                return f"{line}\n{printed.getvalue()}"
    return None


def run_program(block: str, folder: Path) -> None:
    with captured_in(folder), warnings.catch_warnings():
        warnings.simplefilter("error")
        exec(block, {"__name__": "__main__"})


@pytest.mark.parametrize("page", COMMANDS, ids=name_of)
def test_the_commands_run(apart: ProcessPoolExecutor, page: Path, tmp_path: Path) -> None:
    failure = apart.submit(failure_of_commands, COMMANDS[page], tmp_path).result()
    assert failure is None, failure


@pytest.mark.parametrize("block", PROGRAMS)
def test_the_programs_run(apart: ProcessPoolExecutor, block: str, tmp_path: Path) -> None:
    apart.submit(run_program, block, tmp_path).result()
