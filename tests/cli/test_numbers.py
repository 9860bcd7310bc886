"""Every number of every command: one sentence and status 2, or what was asked for."""

import argparse
import contextlib
import io
import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.parsers import command_parsers
from tokoban import cli
from tokoban.cli import main
from tokoban.cli.field_options import add_field_arguments
from tokoban.cli.parser import Number
from tokoban.systems import SYSTEMS, load
from tokoban.training.run_config import RunConfig

# What no option of whole numbers, and none of any numbers, can mean.
NO_INT = ["", "²", "0.5", "nan", "inf", "1e400", str(2**63), "-1" + "0" * 30, "9" * 5000]
NO_FLOAT = ["", "²", "1.2.3"]
ODD = ["0", "-1", "\uff11", "2", "0.5", str(2**31), str(2**62), str(2**63 - 1), "nan"]
ODD += ["inf", "-inf", "1e400", "1e40", "1e-320", "9" * 400, "9" * 400 + "GB"]
MAY_BE_ZERO = {"--seed", "--steps", "--window", "--port"}
MAY_BE_ZERO |= {"--length-penalty", "--temperature"}
# Compared with the levels, or with the board that they ask for.
CHECKED_LATER = {"--level", "--boxes", "--min-pushes", "--max-pushes"}
CHECKED_LATER |= {"--solvable-share", "--min-branching", "--min-losing-share"}

LEVEL = "; a\n######\n#@   #\n#  $ #\n#.   #\n######\n\nSolution\nrrDrdLL\n"
# Words that make each command do little; {} stands for a new name.
BASE = {
    "solve": ["l.sok", "--by", "search"],
    "ask": ["l.sok", "how many pushes are left"],
    "optimise": ["l.sok"],
    "explain": ["l.sok"],
    "rate": ["l.sok"],
    "convert": ["l.sok", "-", "--format=xsb"],
    "generate": [
        *["--levels=1", "--seed=3", "--rows=6", "--columns=6", "--boxes=1"],
        *["--style=tiles", "--max-pushes=9", "--output=-"],
    ],
    "instructions": ["--levels=2", "--output", "{}"],
    "label": ["l.sok", "--output", "{}", "--threads=1", "--states=5"],
    "translate": ["Ein Hund."],
    "generate-text": ["The", "--max-tokens=4"],
    "life": ["--steps=1"],
    "classify": ["p.png"],
    "attention": ["--mask=local"],
    "play": ["l.sok"],
    "web": ["missing.sok", "--no-open"],
}


def options_of(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """The options of a command that take a value which is no choice and no file's name."""
    for action in parser._actions:
        if action.option_strings and action.nargs != 0 and not action.choices:
            yield action


def numbers(parser: argparse.ArgumentParser, kind: type) -> list[str]:
    return [
        action.option_strings[0]
        for action in options_of(parser)
        if action.type is kind or (isinstance(action.type, Number) and action.type.kind is kind)
    ]


def said(words: list[str]) -> tuple[object, str, str]:
    """The status of a command, and what it wrote."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status: object = main(words)
        except SystemExit as exit:
            status = exit.code
    return status, out.getvalue(), err.getvalue()


def check_refused(words: list[str], option: str) -> None:
    status, out, err = said(words)
    assert (status, out) == (2, ""), words
    *_, last = err.splitlines()
    assert "Traceback" not in err
    assert f"argument {option}: expected " in last, err
    if words[-1].endswith(f"={2**63}"):
        assert re.search(r"from [-0-9,]+ to [0-9,]+, got", last), err
    assert len(last) < 5200  # the value that was given, and a sentence


@pytest.mark.parametrize("command", cli.COMMANDS)
def test_no_option_takes_what_is_no_number_or_negative_and_few_take_zero(command: str) -> None:
    parser = command_parsers()[command]
    assert command in BASE or not (numbers(parser, int) + numbers(parser, float))
    for kind, values in ((int, NO_INT), (float, NO_FLOAT)):
        for option in numbers(parser, kind):
            others = [] if option in CHECKED_LATER else ["-1", "nan"]
            others += ["0"] * (option not in CHECKED_LATER | MAY_BE_ZERO)
            for value in (*values, *others):
                check_refused([command, f"{option}={value}"], option)


@pytest.mark.parametrize("system", SYSTEMS)
def test_what_is_no_number_is_refused_by_every_field_and_by_every_measurement(system: str) -> None:
    spec = load(system)
    fields = argparse.ArgumentParser()
    add_field_arguments(fields, spec.config_type)
    add_field_arguments(fields, RunConfig)
    evaluate = argparse.ArgumentParser()
    add_field_arguments(evaluate, spec.evaluation_type)
    for parser in (fields, evaluate):
        for action in options_of(parser):
            if "int" in str(action.metavar) or "float" in str(action.metavar):
                with pytest.raises(
                    (argparse.ArgumentTypeError, ValueError),
                    match=" from -.* to " if "int" in str(action.metavar) else None,
                ):
                    action.type(str(2**63) if "int" in str(action.metavar) else "inf")  # type: ignore
                with pytest.raises((argparse.ArgumentTypeError, ValueError)):
                    action.type("nan")  # type: ignore[misc, operator]


class TooLongError(BaseException):
    """A command went on for longer than it may."""


def end(*_: object) -> None:
    raise TooLongError


@pytest.mark.slow
@pytest.mark.parametrize("command", BASE)
def test_odd_numbers_end_soon_and_with_a_word(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from PIL import Image

    monkeypatch.chdir(tmp_path)
    Path("l.sok").write_text(LEVEL)
    Image.new("L", (20, 20)).save("p.png")
    parser = command_parsers()[command]
    base = BASE[command]
    odd = numbers(parser, int) + numbers(parser, float)
    status, _, err = said([command, *(word.format("first") for word in base)])  # compiles
    # The first wants a terminal, the second a file that is there.
    assert status == (2 if command in ("play", "web") else 0), err
    before = signal.signal(signal.SIGALRM, end)
    try:
        for action in options_of(parser):
            option = action.option_strings[0]
            if option not in odd and option != "--memory-limit":
                continue
            for value in ODD:
                name = f"{option.strip('-')}{ODD.index(value)}"
                words = [command, *(word.format(name) for word in base), f"{option}={value}"]
                signal.alarm(30)
                status, out, err = said(words)
                signal.alarm(0)
                assert "Traceback" not in err
                if status == 2:
                    assert err.splitlines(), words
                else:
                    # What could be had of no level is said on standard error alone.
                    found_none = command in ("generate", "ask") and status == 1
                    word = out.strip() or (found_none and err.strip())
                    assert status in (0, 1) and word, (words, err)
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
