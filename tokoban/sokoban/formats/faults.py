"""What is wrong with a level or its file, in words and as a code."""

from typing import Self


class Fault(str):
    """A sentence in English, with a code and values by which a program says it in another language.

    >>> fault = Fault("2 boxes but 1 goal", "unequal", boxes=2, goals=1)
    >>> print(fault, fault.code, fault.values)
    2 boxes but 1 goal unequal {'boxes': 2, 'goals': 1}
    """

    code: str
    values: dict[str, int | float | str]

    def __new__(cls, sentence: str, code: str, **values: int | float | str) -> Self:
        """``code`` names the kind of fault; ``values`` are what the sentence says of this one."""
        made = super().__new__(cls, sentence)
        made.code, made.values = code, values
        return made

    def __getnewargs_ex__(self) -> tuple[tuple[str, str], dict[str, int | float | str]]:
        """What ``pickle`` makes the copy from."""
        return (str(self), self.code), self.values


NO_BOARD = Fault("no board found (expected rows of # @ + $ * . and floor)", "no-board")


def other_game(name: str) -> Fault:
    """That a puzzle is none of Sokoban, but of the game ``name``."""
    return Fault(f"puzzle type {name!r} is not supported (only Sokoban)", "other-game", name=name)
