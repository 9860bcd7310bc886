"""The phrases of the grammar, read from ``phrases.toml``, which says how they are written."""

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, TypeVar

from tokoban.sokoban.instructions.meaning import Box, Kind, Place

E = TypeVar("E", bound=Enum)

Words = tuple[str, ...]
Element = str | tuple[Words, ...]  # a slot such as ``{box}``, or words of which one choice is said
Phrase = tuple[Element, ...]
_READ_ONLY = "~"


@dataclass(frozen=True)
class Phrases:
    """The phrases of one language."""

    boxes: Mapping[Box, Sequence[Phrase]]
    untaught: Mapping[Box, Sequence[Phrase]]  # further names of boxes
    places: Mapping[Place, Sequence[Phrase]]  # by form
    sentences: Mapping[Kind, Sequence[Phrase]]
    read_only: Mapping[Kind, Sequence[Phrase]]  # sentences that are read and never written
    joints: Sequence[str]  # between clauses, the usual one first
    fillers: frozenset[str]  # words that say nothing
    nouns: frozenset[str]  # words that people write with a capital
    answers: Mapping[str, str]

    def written(self, text: str) -> str:
        """A text of these words, as people write it; its first letter stays as it is."""
        return " ".join(word.title() if word in self.nouns else word for word in text.split())

    def words(self) -> set[str]:
        """All words of sentences and answers."""
        found = {*self.joints, *" ".join(self.answers.values()).split()}
        found |= words_in(self.boxes.values()) | words_in(self.untaught.values())
        return found | words_in(self.places.values()) | words_in(self.sentences.values())


def words_in(phrases: Iterable[Iterable[Phrase]]) -> set[str]:
    """The words of phrases, apart from those that fill their slots."""
    return {
        word
        for some in phrases
        for phrase in some
        for element in phrase
        if not isinstance(element, str)
        for words in element
        for word in words
    }


def ways_to_say(phrase: Phrase) -> Iterator[str]:
    """All that a phrase without slots can be, the usual way first."""
    for chosen in product(*(element for element in phrase if not isinstance(element, str))):
        yield " ".join(word for words in chosen for word in words)


def names_of_box(box: Box, phrases: Phrases) -> list[str]:
    """The names of a box in a language, the usual one first."""
    names = (*phrases.boxes.get(box, ()), *phrases.untaught.get(box, ()))
    return [text for name in names for text in ways_to_say(name)]


@cache
def languages() -> Mapping[str, Phrases]:
    """The phrases by the code of the language."""
    text = Path(__file__).with_name("phrases.toml").read_text(encoding="utf-8")
    return {name: _language(tables) for name, tables in tomllib.loads(text).items()}


def _language(tables: Mapping[str, Any]) -> Phrases:
    choices = tables["choices"]

    def named(kind: type[E], table: Mapping[str, list[str]]) -> dict[E, Sequence[Phrase]]:
        return {
            kind[name]: tuple(_phrase(text, choices) for text in texts)
            for name, texts in table.items()
        }

    def sentences(is_read_only: bool) -> dict[str, list[str]]:
        return {
            name: [
                text.removeprefix(_READ_ONLY)
                for text in texts
                if text.startswith(_READ_ONLY) == is_read_only
            ]
            for name, texts in tables["sentences"].items()
        }

    return Phrases(
        boxes=named(Box, tables["boxes"]),
        untaught=named(Box, tables["untaught"]),
        places=named(Place, tables["places"]),
        sentences=named(Kind, sentences(is_read_only=False)),
        read_only=named(Kind, sentences(is_read_only=True)),
        joints=tables["joint"].split("|"),
        fillers=frozenset(tables["fillers"]),
        nouns=frozenset(tables["nouns"]),
        answers=tables["answers"],
    )


def _phrase(text: str, choices: Mapping[str, str]) -> Phrase:
    return tuple(part if part.startswith("{") else _element(part, choices) for part in text.split())


def _element(part: str, choices: Mapping[str, str]) -> Element:
    """The words of ``a|has_to|<must>``; none of them first where the part ends in ``?``."""
    none: tuple[Words, ...] = ((),) if part.endswith("?") else ()
    options = part.removesuffix("?").split("|")
    texts = [choices[x[1:-1]].split("|") if x.startswith("<") else [x] for x in options]
    return none + tuple(tuple(text.split("_")) for some in texts for text in some)
