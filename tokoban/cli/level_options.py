"""What the commands that go through the levels of a file ask of their options and of the file."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from tokoban.cli.output import check_destination, tell_findings

if TYPE_CHECKING:
    from tokoban.sokoban.formats import Level, LevelFile


def check_time_limit(arguments: argparse.Namespace) -> None:
    """Raises ``ValueError`` for a ``--time-limit`` that leaves no time."""
    if not arguments.time_limit > 0:
        raise ValueError(f"--time-limit {arguments.time_limit:g}: expected more than 0 seconds")


def check_outputs(arguments: argparse.Namespace, first: str, second: str) -> None:
    """Refuses before the work two options that name one place, or one that cannot be written."""
    places = [place for place in (getattr(arguments, name) for name in (first, second)) if place]
    if len(set(places)) < len(places):
        raise ValueError(f"--{first} and --{second} are both {places[0]}; expected two places")
    for place in places:
        check_destination(place)


def check_whole(arguments: argparse.Namespace) -> None:
    """Raises ``ValueError`` where one level would be written over the file that it comes from."""
    if arguments.level is None or arguments.output in (None, "-"):
        return
    if Path(arguments.file).resolve() == Path(arguments.output).resolve():
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
