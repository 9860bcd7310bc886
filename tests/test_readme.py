"""The examples of the README and of the documentation run, so that the pages cannot drift.

The commands of a page run one after another in one folder, as its reader would enter them.
"""

import io
import re
import shlex
import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from unittest.mock import patch

import pytest

from tokoban.cli import main

pytestmark = pytest.mark.usefixtures("shipped_once")

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


@contextmanager
def captured_in(folder: Path) -> Iterator[io.StringIO]:
    """Works in ``folder``, and gives what is printed."""
    printed = io.StringIO()
    with chdir(folder), redirect_stdout(printed), redirect_stderr(printed):
        yield printed


def printed_by_shell(line: str) -> bytes:
    return subprocess.run(["sh", "-c", line], capture_output=True, check=True).stdout


def failure_of_commands(block: str, folder: Path) -> str | None:
    """What the commands print if one fails.

    Those of tokoban run in this process: to start Python and import torch takes longer than most
    of them. What stands before a pipe is the shell's, and becomes their standard input.
    """
    with captured_in(folder) as printed:
        for line in block.replace("\\\n", "").splitlines():
            before, _, command = line.rpartition(" | ")
            if not re.match(r"tokoban [^|<>$;&`]*$", command):
                printed_by_shell(line)
                continue
            given = io.TextIOWrapper(io.BytesIO(printed_by_shell(before)), encoding="utf-8")
            with patch.object(sys, "stdin", given):
                status = main(shlex.split(command, comments=True)[1:])
            if status != 0:
                return f"{line}\n{printed.getvalue()}"
    return None


def run_program(block: str, folder: Path) -> None:
    with captured_in(folder), warnings.catch_warnings():
        warnings.simplefilter("error")
        exec(block, {"__name__": "__main__"})


@pytest.mark.parametrize("page", COMMANDS, ids=name_of)
def test_the_commands_run(page: Path, tmp_path: Path) -> None:
    failure = failure_of_commands(COMMANDS[page], tmp_path)
    assert failure is None, failure


@pytest.mark.parametrize("block", PROGRAMS)
def test_the_programs_run(block: str, tmp_path: Path) -> None:
    run_program(block, tmp_path)
