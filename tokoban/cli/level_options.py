"""The options and the file of commands that process the levels of a file."""

import argparse
import sys
from collections.abc import Mapping
from dataclasses import dataclass

from tokoban.cli.exit_codes import ExitCode
from tokoban.cli.output import is_one_file, report_findings
from tokoban.sokoban.formats import Level, LevelFile, Problem
from tokoban.sokoban.wording import counted

FILE_HELP = "level file (XSB, SOK, RLE, SLC or Boxoban); - for standard input"


@dataclass(frozen=True)
class ChosenLevels:
    """The levels that a command was asked for, by their numbers in the file; invalid ones are left
    out."""

    file: LevelFile
    levels: dict[int, Level]
    problems: tuple[Problem, ...]  # of the file itself and of the boards that were asked for

    def check(self, number: int | None) -> None:
        """Raises ``ValueError`` if no valid level has this number; None passes."""
        invalid = self.file.invalid
        if number in invalid:
            raise ValueError(f"--level {number}: {invalid[number]}")
        if number is not None and not 1 <= number <= self.file.num_boards:
            raise ValueError(f"--level {number}: expected 1 to {self.file.num_boards}")

    def conclude(self, status: int) -> int:
        """The exit status of a command that ends with ``status``; says how much was invalid.

        Problems make it that of bad input, unless the command was interrupted.
        """
        if not self.problems:
            return status
        parts = []
        num_invalid = len({problem.level for problem in self.problems} & self.file.invalid.keys())
        if num_invalid:
            are = "are" if num_invalid > 1 else "is"
            all_boards = counted(num_invalid + len(self.levels), "level")
            parts.append(f"{num_invalid:,} of {all_boards} {are} invalid and left out")
        num_others = sum(problem.level not in self.file.invalid for problem in self.problems)
        if num_others:
            parts.append(counted(num_others, "other problem" if parts else "problem"))
        print(f"tokoban: {', '.join(parts)}", file=sys.stderr)
        return status if status == ExitCode.INTERRUPTED else ExitCode.INVALID_INPUT


def check_whole(arguments: argparse.Namespace) -> None:
    """Raises ``ValueError`` where one level would be written over the file that it comes from."""
    if arguments.level is not None and is_one_file(arguments.file, arguments.output):
        raise ValueError(f"--level would leave one level in {arguments.file}")


def check_one(levels: Mapping[int, Level]) -> None:
    """Raises ``ValueError`` where ``--attention`` would have several levels to show, or none."""
    if len(levels) != 1:
        message = f"--attention shows one level, got {len(levels)}"
        raise ValueError(f"{message}; --level chooses one")


def read(path: str, *, number: int | None = None, output: str | None = None) -> ChosenLevels:
    """All valid levels of a file, or the one of that ``number``; reports problems and warnings.

    With a ``number``, only problems of this level or of the whole file are reported. Raises
    ``ValueError`` for a number that no board has, or an invalid one, and where ``output`` is the
    same file, so that what cannot be read would be lost.
    """
    import tokoban

    file = tokoban.read_levels(path)
    chosen = ChosenLevels(file, {level.number: level for level in file.levels}, file.problems)
    warnings = file.warnings
    if number is not None and file.num_boards:
        chosen.check(number)
        problems, warnings = (
            tuple(found for found in findings if found.level in (0, number))
            for findings in (file.problems, file.warnings)
        )
        chosen = ChosenLevels(file, {number: chosen.levels[number]}, problems)
    report_findings(chosen.problems, warnings)
    if file.problems and is_one_file(path, output):
        raise ValueError(f"{output}: what could not be read would be lost")
    return chosen
