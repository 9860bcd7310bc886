"""What the commands that go through the levels of a file ask of their options and of the file."""

import argparse
from typing import TYPE_CHECKING

from tokoban.cli.output import is_one_file, tell_findings

if TYPE_CHECKING:
    from tokoban.sokoban.formats import Level, LevelFile


def check_time_limit(arguments: argparse.Namespace) -> None:
    """Raises ``ValueError`` for a ``--time-limit`` that leaves no time."""
    if not arguments.time_limit > 0:
        raise ValueError(f"--time-limit {arguments.time_limit:g}: expected more than 0 seconds")


def check_whole(arguments: argparse.Namespace) -> None:
    """Raises ``ValueError`` where one level would be written over the file that it comes from."""
    if arguments.level is not None and is_one_file(arguments.file, arguments.output):
        raise ValueError(f"--level and --output would leave one level in {arguments.file}")


def read(path: str) -> "LevelFile | None":
    """A file without problems, else None; problems and warnings are told."""
    from tokoban.sokoban.formats import read_levels

    file = read_levels(path)
    tell_findings(file)
    return None if file.problems else file


def chosen(file: "LevelFile", number: int | None) -> "dict[int, Level]":
    """The levels by their numbers, from 1: the one of ``--level``, or all."""
    levels = dict(enumerate(file.levels, 1))
    if number is None:
        return levels
    if number not in levels:
        raise ValueError(f"--level {number}: expected 1 to {len(levels)}")
    return {number: levels[number]}
