"""The README's commands run as they stand, so that the page cannot drift from the program."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[1]
BLOCKS = re.findall(
    r"^```sh\n# run by the tests\n(.*?)^```$",
    (REPOSITORY / "README.md").read_text(encoding="utf-8"),
    flags=re.MULTILINE | re.DOTALL,
)


def test_the_readme_has_commands_to_run() -> None:
    assert BLOCKS
    assert not [block for block in BLOCKS if "```" in block or "\n#" in block], "a fence left open"


@pytest.mark.parametrize("block", BLOCKS)
def test_the_readme_commands_run(block: str, tmp_path: Path) -> None:
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


def test_every_file_that_the_readme_links_to_exists() -> None:
    page = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    targets = [target for target in re.findall(r"\]\(([^)]+)\)", page) if "://" not in target]
    assert targets
    assert [target for target in targets if not (REPOSITORY / target).exists()] == []
