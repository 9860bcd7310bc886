"""One spelling, one type and one help text for each option that several commands have."""

import argparse
from collections import defaultdict

import pytest

from tests.cli.parsers import command_parsers
from tokoban.cli.options import SHARED, add
from tokoban.cli.parser import Number, Parser, given_options

# Names of two options: the pictures of classify are no maps of heads, and what can be minimised and
# who answers is another choice in each command.
OWN = {"--attention", "--minimise", "--by"}
# play starts with the level and does not leave out the others; label writes a folder.
REWORDED = {("play", "--level"), ("label", "--output"), ("instructions", "--output")}


def options() -> dict[str, list[tuple[str, argparse.Action]]]:
    """By its name, each option in every command that has it."""
    found = defaultdict(list)
    for command, parser in command_parsers().items():
        for action in parser._actions:
            for name in action.option_strings:
                found[name].append((command, action))
    return found


def test_an_option_of_several_commands_is_defined_once() -> None:
    for name, uses in options().items():
        if name in ("-h", "--help") or len(uses) == 1 or name in OWN:
            continue
        assert name in SHARED, f"{name} of {[command for command, _ in uses]}"
        for command, action in uses:
            known = SHARED[name]["help"]
            assert str(action.help).startswith(known) or (command, name) in REWORDED
            assert isinstance(action.type, Number) or action.type == SHARED[name].get("type"), name


def test_every_shared_option_is_used_by_several_commands() -> None:
    assert {name for name in SHARED if name not in options()} == set()


def test_every_option_has_a_help_that_ends_without_a_full_stop() -> None:
    for name, uses in options().items():
        for command, action in uses:
            assert action.help, f"{command} {name}"
            assert not action.help.endswith("."), f"{command} {name}"


@pytest.mark.parametrize(
    ("words", "given"),
    [
        (["a", "--json", "x", "--top-k=3"], {"--json", "--top-k"}),
        (["--", "--json"], set()),
        (["-", "a--json"], set()),
    ],
)
def test_the_options_that_were_given_are_known(words: list[str], given: set[str]) -> None:
    assert given_options(words) == given


def test_defaults_are_shown_as_they_are_typed(capsys: pytest.CaptureFixture[str]) -> None:
    parser = Parser(prog="x")
    for name in ("--time-limit", "--memory-limit", "--threads", "--max-expansions"):
        add(parser, name)
    parser.print_help()
    shown = " ".join(capsys.readouterr().out.split())
    for default in ("10", "2GB", "1"):
        assert f"(default: {default})" in shown
    assert shown.count("(default") == 3
    assert vars(parser.parse_args([]))["memory_limit"] == 2 * 10**9
