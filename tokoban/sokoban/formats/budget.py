"""Limits on the work for one file, so that a few bytes cannot ask for hours or gigabytes."""

import math

from tokoban.sokoban.formats.faults import Fault

# Boards and moves of a file together; a microsecond and 100 bytes of memory each, at most.
MAX_UNITS = 4_000_000
OF_A_BOARD = 64  # units besides one for each square, as much as a small board costs
OF_A_GAME = 64  # besides one for each move
OF_A_PROBLEM = 64


def cost_of_author(author: str) -> int:
    """The units for an author whom a level takes from its file: most authors cost nothing."""
    return len(author) // 32


class TooMuchError(Exception):
    """The file asks for more than is given to one file."""

    def __init__(self) -> None:
        self.fault = Fault(
            f"the boards and moves so far have more than {MAX_UNITS:,} squares and moves; "
            "the rest is not read: split the file",
            "too-much",
            most=MAX_UNITS,
        )
        super().__init__(self.fault)


class Budget:
    """The remaining budget of one file; mutable."""

    def __init__(self, *, is_limited: bool = True) -> None:
        self._left = MAX_UNITS if is_limited else math.inf

    def spend(self, units: int) -> None:
        """Takes what a part of the file costs, before it is read; raises ``TooMuchError``."""
        self._left -= units
        if self._left < 0:
            raise TooMuchError
