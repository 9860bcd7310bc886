"""The words of the grammar, read from ``phrases.toml``, which says what is where."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache
from pathlib import Path
from typing import TypeVar

from tokoban.sokoban.instructions.meaning import Box, Kind, Place

E = TypeVar("E", bound=Enum)


@dataclass(frozen=True)
class Phrases:
    """The phrases of one language."""

    boxes: Mapping[Box, list[str]]
    untaught: Mapping[Box, list[str]]  # further names of boxes
    places: Mapping[Place, list[str]]  # by form
    sentences: Mapping[Kind, list[str]]
    joint: str
    answers: Mapping[str, str]


@cache
def languages() -> Mapping[str, Phrases]:
    """The phrases by the code of the language."""
    text = Path(__file__).with_name("phrases.toml").read_text(encoding="utf-8")
    return {
        name: Phrases(
            boxes=_named(Box, tables["boxes"]),
            untaught=_named(Box, tables["untaught"]),
            places=_named(Place, tables["places"]),
            sentences=_named(Kind, tables["sentences"]),
            joint=tables["joint"],
            answers=tables["answers"],
        )
        for name, tables in tomllib.loads(text).items()
    }


def _named(kind: type[E], table: Mapping[str, list[str]]) -> dict[E, list[str]]:
    return {kind[name]: phrases for name, phrases in table.items()}
