"""Ctrl-C at a bad moment."""

import time
from argparse import Namespace

import pytest

from tokoban import cli
from tokoban.cli import check
from tokoban.cli.exit_codes import ExitCode


class Interrupted:
    def __del__(self) -> None:
        raise KeyboardInterrupt  # which Python reports and drops, as in the compiler's calls


def test_an_interrupt_that_python_could_not_raise_comes_again(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(arguments: Namespace) -> int:
        del arguments
        Interrupted()
        time.sleep(60)
        return 0

    monkeypatch.setattr(check, "run", run)
    assert cli.main(["check", "-"]) == ExitCode.INTERRUPTED
    assert capsys.readouterr().err == "tokoban: interrupted\n"


def test_ctrl_c_in_a_callback_without_which_the_compiler_fails_is_an_interrupt(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def compiled(_: object) -> int:
        Interrupted()
        raise RuntimeError("no compiled object yet")

    monkeypatch.setattr("tokoban.cli.ask.run", compiled)
    assert cli.main(["ask", "levels.xsb", "how many pushes are left"]) == 130
    assert capsys.readouterr().err == "tokoban: interrupted\n"
