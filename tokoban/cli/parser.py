"""How the arguments of every command are read: numbers by their range, errors in one line."""

import argparse
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, NoReturn

LARGEST = 2**63 - 1  # what every array and every compiled loop can hold
_LIKENESS = 0.75  # from which on a word may be meant; "slove" and "solve" have 0.8
_LONGEST_WORD = 40  # characters of a message: a word may have megabytes


@dataclass(frozen=True)
class Number:
    """The type of an option that takes a number; another word or number is refused."""

    kind: type[int] | type[float]
    expected: str
    is_right: Callable[[Any], bool] = lambda value: True
    too_long: str = ""  # what is expected, said of whole numbers of many digits

    def __call__(self, word: str) -> int | float:
        try:
            value = self.kind(word)
        except ValueError:
            pass
        else:
            if self.is_right(value):
                return value
        expected = (has_many_digits(word) and self.too_long) or self.expected
        raise argparse.ArgumentTypeError(f"expected {expected}, got {quoted_word(word)}")


def quoted_word(word: str) -> str:
    """A word for a message, cut off where it is long."""
    return repr(word if len(word) <= _LONGEST_WORD else f"{word[:_LONGEST_WORD]}...")


def has_many_digits(word: str) -> bool:
    """Whether it is a whole number that may be too large for 64 bits."""
    return re.fullmatch(r"\s*[+-]?\d{19,}\s*", word) is not None


def whole(least: int = -LARGEST, most: int = LARGEST) -> Number:
    """Whole numbers of a range; they have at most 64 bits."""
    both = f"a whole number from {least:,} to {most:,}"
    expected = "a whole number"
    if most < LARGEST:
        expected = both
    elif least > -LARGEST:
        expected += f" from {least:,}"
    return Number(int, expected, lambda value: least <= value <= most, both)


class Parser(argparse.ArgumentParser):
    """A parser that knows no abbreviations; wrong arguments are a ``ValueError``."""

    def __init__(self, **options: object) -> None:
        super().__init__(allow_abbrev=False, **options)  # type: ignore[arg-type]
        self.register("type", int, whole())
        self.register("type", float, Number(float, "a number"))

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """As that of argparse, but a command refuses what it does not know, and names its help."""
        found, unknown = super().parse_known_args(args, namespace)
        if unknown:
            options = [word.partition("=")[0] for word in unknown if word.startswith("--")]
            like = _like(options[0], self._option_string_actions) if options else ""
            self.error(f"unrecognized arguments: {' '.join(unknown)}{like}")
        return found, unknown

    def error(self, message: str) -> NoReturn:
        """Raises ``ValueError``, as for all that a user can get wrong."""
        if choice := re.search(r"invalid choice: '(.*)' \(choose from (.*)\)$", message):
            message += _like(choice[1], re.findall("[^', ]+", choice[2]))
        raise ValueError(f"{message} (`{self.prog} --help` lists all arguments)")


def _like(word: str, known: Iterable[str]) -> str:
    """A question about the one of the known words that is most like it, if any is."""
    return "".join(
        f"; did you mean {one}?" for one in get_close_matches(word, [*known], 1, _LIKENESS)
    )


def given_options(words: Sequence[str]) -> frozenset[str]:
    """The options among the words of a command line, ``--top-k`` say.

    Exact, since there are no abbreviations and no value may begin as an option does.
    """
    before = words[: words.index("--")] if "--" in words else words
    return frozenset(word.partition("=")[0] for word in before if word.startswith("--"))
