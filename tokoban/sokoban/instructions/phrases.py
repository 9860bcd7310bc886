"""The phrases of the grammar, read from ``phrases.toml``, which says how they are written."""

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from tokoban.sokoban.instructions.meaning import Box, Kind, Place

E = TypeVar("E", bound=Enum)

Words = tuple[str, ...]
Choice = tuple[Words, ...]  # of which one is said
Name = tuple[Choice, ...]
Phrase = tuple[str | Choice, ...]  # with slots such as ``{box}``


class ClauseForm(NamedTuple):
    """A clause of a phrase, without the boxes and places that it names."""

    kind: Kind
    is_of_other: bool = False  # the phrase's other box is the box of this clause


Form = tuple[ClauseForm, ...]  # of a phrase


@dataclass(frozen=True)
class Phrases:
    """The phrases of one language."""

    boxes: Mapping[Box, Sequence[Name]]
    untaught: Mapping[Box, Sequence[Name]]  # further names of boxes
    places: Mapping[Place, Sequence[Name]]  # by form
    sentences: Mapping[Kind, Sequence[Phrase]]
    # Understood, but never generated.
    parse_only: Mapping[Form, Sequence[Phrase]]
    parse_only_boxes: Mapping[Box, Sequence[Name]]
    dative_boxes: Mapping[Box, Sequence[Name]]  # as after "vor" and "nach"
    parse_only_places: Mapping[Place, Sequence[Name]]
    located: Mapping[str, Sequence[Name]]  # with a row and a column; of places by form
    conjunctions: Sequence[str]  # between clauses
    prefixes: Sequence[Name]  # before an instruction, such as "can you"
    nouns: frozenset[str]  # words that people write with a capital
    answers: Mapping[str, str]
    left_right: Mapping[str, str]  # words that change places in a mirror
    up_down: Mapping[str, str]

    def with_capitals(self, text: str) -> str:
        """The text with capitals for nouns, as people write them."""
        return " ".join(word.title() if word in self.nouns else word for word in text.split())

    def understood_words(self) -> set[str]:
        """All words that are understood."""
        boxes, places = (self.parse_only_boxes, self.dative_boxes), self.parse_only_places.values()
        names = {word for table in boxes for word in words_in(table.values())}
        names |= words_in(places) | words_in(self.located.values()) | words_in([self.prefixes])
        return self.words() | words_in(self.parse_only.values()) | names

    def words(self) -> set[str]:
        """All words that are generated."""
        found = {*self.conjunctions, *" ".join(self.answers.values()).split()}
        found |= words_in(self.boxes.values()) | words_in(self.untaught.values())
        return found | words_in(self.places.values()) | words_in(self.sentences.values())


def words_in(phrases: Iterable[Iterable[Phrase]]) -> set[str]:
    """The words of phrases, apart from those that fill their slots."""
    return {
        word
        for some in phrases
        for phrase in some
        for part in phrase
        if not isinstance(part, str)
        for words in part
        for word in words
    }


def names_of_box(box: Box, phrases: Phrases) -> list[str]:
    """The names of a box in a language, the usual one first."""
    names = (*phrases.boxes.get(box, ()), *phrases.untaught.get(box, ()))
    return [text for name in names for text in expansions(name)]


def expansions(name: Name) -> Iterator[str]:
    """All texts of a name, the usual one first."""
    for chosen in product(*name):
        yield " ".join(word for words in chosen for word in words)


@cache
def languages() -> Mapping[str, Phrases]:
    """The phrases by the code of the language."""
    tables = _tables().items()
    return {name: _language(table) for name, table in tables if isinstance(table, dict)}


@cache
def fillers() -> frozenset[str]:
    """Filler words of all languages, which a reader skips."""
    return frozenset(_tables()["fillers"])


@cache
def negations() -> frozenset[str]:
    """Negations of all languages, before which no prefix is skipped."""
    return frozenset(_tables()["negations"])


@cache
def synonyms() -> dict[str, str]:
    """Words that no phrase has, each with the word in whose place it is understood."""
    return dict(pair.split() for pair in _tables()["synonyms"])


@cache
def _tables() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("phrases.toml").read_text(encoding="utf-8"))


def _language(tables: Mapping[str, Any]) -> Phrases:
    choices = tables["choices"]

    def sentences(table: Mapping[str, list[str]]) -> dict[Form, Sequence[Phrase]]:
        return {
            tuple(
                ClauseForm(Kind[name.removeprefix("other.")], name.startswith("other."))
                for name in names.split("+")
            ): tuple(_phrase(text, choices) for text in texts)
            for names, texts in table.items()
        }

    def texts_of(texts: list[str]) -> Sequence[Name]:
        return tuple(tuple(_choice(part, choices) for part in text.split()) for text in texts)

    def names(kind: type[E], table: Mapping[str, list[str]]) -> dict[E, Sequence[Name]]:
        return {kind[name]: texts_of(texts) for name, texts in table.items()}

    return Phrases(
        boxes=names(Box, tables["boxes"]),
        untaught=names(Box, tables["untaught"]),
        places=names(Place, tables["places"]),
        sentences={form.kind: ways for (form,), ways in sentences(tables["sentences"]).items()},
        parse_only=sentences(tables["parse_only"]),
        parse_only_boxes=names(Box, tables["parse_only_boxes"]),
        dative_boxes=names(Box, tables.get("dative_boxes", {})),
        parse_only_places=names(Place, tables["parse_only_places"]),
        located={name: texts_of(texts) for name, texts in tables["located"].items()},
        conjunctions=tables["conjunctions"],
        prefixes=texts_of(tables["prefixes"]),
        nouns=frozenset(tables["nouns"]),
        answers=tables["answers"],
        left_right=_exchanges(tables["left_right"]),
        up_down=_exchanges(tables["up_down"]),
    )


def _exchanges(pairs: Iterable[str]) -> dict[str, str]:
    both = [pair.split() for pair in pairs]
    return {word: other for pair in both for word, other in (pair, reversed(pair))}


def _phrase(text: str, choices: Mapping[str, str]) -> Phrase:
    return tuple(part if part.startswith("{") else _choice(part, choices) for part in text.split())


def _choice(part: str, choices: Mapping[str, str]) -> Choice:
    """The alternatives of ``a|has_to|<must>``; a final ``?`` adds the empty one in front."""
    none: Choice = ((),) if part.endswith("?") else ()
    options = part.removesuffix("?").split("|")
    texts = [choices[x[1:-1]].split("|") if x.startswith("<") else [x] for x in options]
    return none + tuple(tuple(text.split("_")) for some in texts for text in some)
