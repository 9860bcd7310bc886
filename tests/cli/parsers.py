"""The parser of each command."""

import argparse

from tokoban import cli


def command_parsers() -> dict[str, argparse.ArgumentParser]:
    parser = cli._build_parser(cli.COMMANDS)
    [actions] = (a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    return dict(actions.choices)
