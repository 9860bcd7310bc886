"""Sentences and their translations from files, and the rules by which some are left out."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from tokoban.text.invisible import without_invisible
from tokoban.training.read_files import read_unpacked


class Pair(NamedTuple):
    """One sentence in both languages."""

    source: str
    target: str


@dataclass(frozen=True)
class Cleaning:
    """The number of pairs read, and the number left out by each rule, in the rules' order."""

    num_read: int
    num_dropped: Mapping[str, int] = field(default_factory=dict)

    def __str__(self) -> str:
        kept = self.num_read - sum(self.num_dropped.values())
        reasons = ", ".join(f"{number:,} {rule}" for rule, number in self.num_dropped.items())
        return f"{kept:,} of {self.num_read:,} pairs" + (
            f" (left out: {reasons})" if reasons else ""
        )


def read_lines(path: Path) -> list[str]:
    """The lines of a UTF-8 file, plain or gzip; ``ValueError`` or ``OSError`` naming the file.

    Only a line feed ends a line, with or without a carriage return. Other tools count lines so, and
    one more line break in one of two files would pair all that follows with a wrong sentence.
    """
    data = read_unpacked(path)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ValueError(f"{path}:{line}: not UTF-8") from None
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return [line.removesuffix("\r") for line in lines]


def read_pairs(source: Path, target: Path) -> list[Pair]:
    """Pairs the lines of two files; ``ValueError`` if one has more lines."""
    sources, targets = read_lines(source), read_lines(target)
    if len(sources) != len(targets):
        raise ValueError(
            f"{source} has {len(sources)} lines and {target} has {len(targets)}; "
            f"expected a translation for each"
        )
    return list(map(Pair, sources, targets))


def tidy(sentence: str) -> str:
    """The text of visible characters, single spaces between its words and none around them."""
    return " ".join(without_invisible(sentence).split())


def tidied(pairs: Iterable[Pair]) -> tuple[list[Pair], Cleaning]:
    """The pairs for evaluation: all with a sentence on both sides, repetitions included."""
    both = [Pair(tidy(pair.source), tidy(pair.target)) for pair in pairs]
    kept = [pair for pair in both if pair.source and pair.target]
    num_empty = len(both) - len(kept)
    return kept, Cleaning(len(both), {"empty": num_empty} if num_empty else {})


def clean(pairs: Iterable[Pair], *, held_out: Collection[Pair] = ()) -> tuple[list[Pair], Cleaning]:
    """The pairs that are worth learning from, tidied, in their order; and what became of the rest.

    Left out is what is empty on a side or the same on both, what was there before, and what has
    a side in common with a pair of ``held_out``, which is measured on.
    """
    sources = {tidy(pair.source) for pair in held_out}
    targets = {tidy(pair.target) for pair in held_out}
    seen: dict[Pair, None] = {}
    num_read, dropped = 0, Counter[str]()
    for pair in pairs:
        num_read += 1
        source, target = map(tidy, pair)
        tidied = Pair(source, target)
        if not (source and target):
            dropped["empty"] += 1
        elif source == target:
            dropped["identical"] += 1
        elif tidied in seen:
            dropped["duplicate"] += 1
        elif source in sources or target in targets:
            dropped["in validation"] += 1
        else:
            seen[tidied] = None
    return list(seen), Cleaning(num_read, dropped)
