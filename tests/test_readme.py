"""The examples of the README and of the documentation run, so that the pages cannot drift."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[1]
PAGES = [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").rglob("*.md"))]


def blocks(language: str) -> list[str]:
    """The blocks of code that begin with the comment that tests run them."""
    pattern = rf"^```{language}\n# run by the tests\n(.*?)^```$"
    texts = [page.read_text(encoding="utf-8") for page in PAGES]
    return [b for text in texts for b in re.findall(pattern, text, re.MULTILINE | re.DOTALL)]


COMMANDS, PROGRAMS = blocks("sh"), blocks("python")


def test_there_are_examples_to_run() -> None:
    assert COMMANDS and PROGRAMS


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_every_block_is_closed(page: Path) -> None:
    """Else prose would be run as commands, or commands shown as prose."""
    fences = re.findall(r"^ *```(\w*)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert len(fences) % 2 == 0 and not any(fences[1::2])


@pytest.mark.parametrize("block", COMMANDS)
def test_the_commands_run(block: str, tmp_path: Path) -> None:
    # `tokoban` is this repository's, installed or not.
    command = tmp_path / "bin" / "tokoban"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m tokoban "$@"\n')
    command.chmod(0o755)
    environment = os.environ | {
        "PATH": f"{command.parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(REPOSITORY),
    }
    ran = subprocess.run(
        ["sh", "-e", "-c", block],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.mark.parametrize("block", PROGRAMS)
def test_the_programs_run(block: str, tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", block],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
