"""Standard streams that are closed, full, or whose reader has gone."""

import contextlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tokoban import cli

REPOSITORY = Path(__file__).resolve().parents[2]
LEVEL = "######\n#@   #\n#  $ #\n#.   #\n######\n"


@pytest.mark.parametrize(
    ("words", "redirected", "status", "out", "err"),
    [
        ("check l.xsb", ">&-", 2, "", "tokoban: standard output: closed\n"),
        ("check l.xsb", "2>&- <&-", 0, "1 good level, 0 solutions, 0 problems\n", ""),
        (
            "check -",
            "<&-",
            2,
            "0 good levels, 0 solutions, 1 problem\n",
            "standard input:1: no board found (expected rows of # @ + $ * . and floor)\n",
        ),
        ("check l.xsb", ">&- 2>&- <&-", 2, "", ""),
        ("check l.xsb", ">&9", 141, "", ""),
        ("check none.xsb", ">&9 2>&1", 141, "", ""),
        ("check --help", ">&9", 141, "", ""),
    ],
)
def test_streams_that_cannot_be_used_give_no_traceback(
    words: str, redirected: str, status: int, out: str, err: str, tmp_path: Path
) -> None:
    (tmp_path / "l.xsb").write_text(LEVEL)
    # Descriptor 9 is a pipe whose reader has ended before the command begins.
    command = f'exec 9> >(exec true); wait $!; "$0" -m tokoban {words} {redirected}'
    done = subprocess.run(
        ["bash", "-c", command, sys.executable],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stdout, done.stderr) == (status, out, err)


def read_to_the_end(reader: int) -> bytes:
    """All that is left to be read: a terminal hands it over in parts, and ends by an error."""
    read = b""
    with contextlib.suppress(OSError):
        while part := os.read(reader, 1 << 16):
            read += part
    return read


TITLED = "; Łódź ü\n" + LEVEL


@pytest.mark.parametrize(
    "words", ["convert l.xsb - --format xsb", "rate l.xsb", "check l.xsb --json -"]
)
@pytest.mark.parametrize("is_terminal", [False, True])
def test_letters_that_the_output_cannot_encode_end_no_command(
    words: str, is_terminal: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Levels and JSON are UTF-8 as in files; a terminal shows ? for what it does not have."""
    (tmp_path / "l.xsb").write_text(TITLED, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    reader, writer = os.openpty() if is_terminal else os.pipe()
    with os.fdopen(reader, "rb", buffering=0), os.fdopen(writer, "w", encoding="latin-1") as out:
        monkeypatch.setattr(sys, "stdout", out)
        assert cli.main(words.split()) == 0
        out.close()
        text = read_to_the_end(reader)
    is_file = not is_terminal and "-" in words.split()
    assert ("Łódź ü".encode() if is_file else "?ód? ü".encode("latin-1")) in text


@pytest.mark.skipif(sys.platform == "win32", reason="limits of Unix")
def test_an_output_that_takes_a_part_only_is_an_error_without_a_buffer_too(tmp_path: Path) -> None:
    (tmp_path / "l.xsb").write_text((LEVEL + "\n") * 99)
    command = f'ulimit -f 1; "{sys.executable}" -m tokoban convert l.xsb - --format xsb > out'
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(REPOSITORY), "PYTHONUNBUFFERED": "1"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (tmp_path / "out").stat().st_size == 1024
    assert done.returncode == 2
    assert done.stderr.endswith("\ntokoban: standard output: File too large\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
def test_a_full_disk_behind_standard_output_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "l.xsb").write_text(LEVEL)
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "tokoban", "check", str(tmp_path / "l.xsb")],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
        )
    assert done.returncode == 2
    assert done.stderr == "tokoban: standard output: No space left on device\n"
