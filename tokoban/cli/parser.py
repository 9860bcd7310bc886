"""How the arguments of every command are read: numbers by their range, errors in one line."""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

_LARGEST = 2**63 - 1  # what every array and every compiled loop can hold
_LONGEST_WORD = 40  # characters of a message: a word may have megabytes


@dataclass(frozen=True)
class Number:
    """The type of an option that takes a number; another word or number is refused."""

    kind: type[int] | type[float]
    expected: str
    is_right: Callable[[Any], bool] = lambda value: True

    def __call__(self, word: str) -> int | float:
        try:
            value = self.kind(word)
        except ValueError:
            pass
        else:
            if self.is_right(value):
                return value
        shown = word if len(word) <= _LONGEST_WORD else f"{word[:_LONGEST_WORD]}..."
        raise argparse.ArgumentTypeError(f"expected {self.expected}, got {shown!r}")


def whole(least: int = -_LARGEST, most: int = _LARGEST) -> Number:
    """Whole numbers of a range; they have at most 64 bits."""
    expected = "a whole number"
    if most < _LARGEST:
        expected += f" from {least:,} to {most:,}"
    elif least > -_LARGEST:
        expected += f" from {least:,}"
    return Number(int, expected, lambda value: least <= value <= most)


class Parser(argparse.ArgumentParser):
    """A parser that knows no abbreviations; wrong arguments are a ``ValueError``."""

    def __init__(self, **options: object) -> None:
        super().__init__(allow_abbrev=False, **options)  # type: ignore[arg-type]
        self.register("type", int, whole())

    def error(self, message: str) -> NoReturn:
        """Raises ``ValueError``, as for all that a user can get wrong."""
        raise ValueError(f"{message} (`{self.prog} --help` lists all arguments)")


def given_options(words: Sequence[str]) -> frozenset[str]:
    """The options among the words of a command line, ``--top-k`` say.

    Exact, since there are no abbreviations and no value may begin as an option does.
    """
    before = words[: words.index("--")] if "--" in words else words
    return frozenset(word.partition("=")[0] for word in before if word.startswith("--"))
