"""The phrases of the grammar, read from ``phrases.toml``, which says how they are written."""

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from tokoban.sokoban.instructions.meaning import Box, Kind, Noun, Place

Words = tuple[str, ...]
Choice = tuple[Words, ...]  # of which one is said
Name = tuple[Choice, ...]
Phrase = tuple[str | Choice, ...]  # with slots such as ``{box}``
_FORMS = ("it", "to", "at", "through")  # of a place


class ClauseForm(NamedTuple):
    """A clause of a phrase, without the boxes and places that it names."""

    kind: Kind
    is_of_other: bool = False  # the phrase's other box is the box of this clause


Form = tuple[ClauseForm, ...]  # of a phrase


class Pattern(NamedTuple):
    """A way to say a sentence."""

    phrase: Phrase
    form: Form
    is_parse_only: bool  # understood, but never generated


class Slot(NamedTuple):
    """What may stand for a slot such as ``{to}``."""

    field: str  # of the clause
    # By what is meant, the usual ones first and last a noun, which has its row and its column.
    names: Sequence[tuple[Box | Place | Noun, Sequence[Name]]]


@dataclass(frozen=True)
class Phrases:
    """The phrases of one language."""

    boxes: Mapping[Box, Sequence[Name]]
    untaught: Mapping[Box, Sequence[Name]]  # further names of boxes
    places: Mapping[Place, Sequence[Name]]  # by form
    sentences: Mapping[Kind, Sequence[Phrase]]
    patterns: Sequence[Pattern]  # the usual ones first
    slots: Mapping[str, Slot]  # with names that are only understood
    conjunctions: Sequence[str]  # between clauses
    prefixes: Sequence[Name]  # before an instruction, such as "can you"
    conditions: Name  # between "can it be solved" and an instruction
    nouns: frozenset[str]  # words that people write with a capital
    answers: Mapping[str, str]
    left_right: Mapping[str, str]  # words that change places in a mirror
    up_down: Mapping[str, str]

    def with_capitals(self, text: str) -> str:
        """The text with capitals for nouns, as people write them."""
        return " ".join(word.title() if word in self.nouns else word for word in text.split())

    @cached_property
    def understood_words(self) -> set[str]:
        """All words that are understood."""
        said = [pattern.phrase for pattern in self.patterns]
        names = [ways for slot in self.slots.values() for _, ways in slot.names]
        return self.words() | words_in([said, *names, self.prefixes, [self.conditions]])

    def words(self) -> set[str]:
        """All words that are generated."""
        tables = self.boxes, self.untaught, self.places, self.sentences
        found = {*self.conjunctions, *" ".join(self.answers.values()).split()}
        return found.union(*(words_in(table.values()) for table in tables))


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
    """Words that no phrase has, each with the words in whose place it is understood."""
    return dict(pair.split(maxsplit=1) for pair in _tables()["synonyms"])


@cache
def _tables() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("phrases.toml").read_text(encoding="utf-8"))


def _language(tables: Mapping[str, Any]) -> Phrases:
    choices = tables["choices"]

    def ways(texts: Iterable[str]) -> tuple[Any, ...]:
        """Phrases, or names, which have no slots."""
        return tuple(
            tuple(part if part[0] == "{" else _choice(part, choices) for part in text.split())
            for text in texts
        )

    def form_of(names: str) -> Form:
        return tuple(
            ClauseForm(Kind[name.removeprefix("other.")], name.startswith("other."))
            for name in names.split("+")
        )

    def names(kind: type[Box | Place], table: str) -> dict[Any, Sequence[Name]]:
        members = kind.__members__
        return {members.get(name, name): ways(x) for name, x in tables.get(table, {}).items()}

    boxes, untaught, places = names(Box, "boxes"), names(Box, "untaught"), names(Place, "places")
    all_boxes = [*boxes.items(), *untaught.items(), *names(Box, "parse_only_boxes").items()]
    in_dative = [*names(Box, "dative_boxes").items()]
    all_places = [*places.items(), *names(Place, "parse_only_places").items()]
    slots: dict[str, Slot] = {}
    for field in ("box", "other"):
        slots["{" + field + "}"] = Slot(field, all_boxes)
        slots["{" + field + "_dative}"] = Slot(field, in_dative)
    for number, form in enumerate(_FORMS):
        of_form = [(meant, [forms[number]]) for meant, forms in all_places]
        slots["{" + form + "}"] = Slot("place", of_form)
        slots["{other_" + form + "}"] = Slot("other_place", of_form)
    return Phrases(
        boxes=boxes,
        untaught=untaught,
        places=places,
        sentences={Kind[name]: ways(texts) for name, texts in tables["sentences"].items()},
        patterns=[
            Pattern(way, form_of(names), table == "parse_only")
            for table in ("sentences", "parse_only")
            for names, texts in tables[table].items()
            for way in ways(texts)
        ],
        slots=slots,
        conjunctions=tables["conjunctions"],
        prefixes=ways(tables["prefixes"]),
        conditions=ways([tables["conditions"]])[0],
        nouns=frozenset(tables["nouns"]),
        answers=tables["answers"],
        left_right=_exchanges(tables["left_right"]),
        up_down=_exchanges(tables["up_down"]),
    )


def _exchanges(pairs: Iterable[str]) -> dict[str, str]:
    both = [pair.split() for pair in pairs]
    return {word: other for pair in both for word, other in (pair, reversed(pair))}


def _choice(part: str, choices: Mapping[str, str]) -> Choice:
    """The alternatives of ``a|has_to|<must>``; a final ``?`` adds the empty one in front."""
    none: Choice = ((),) if part.endswith("?") else ()
    options = part.removesuffix("?").split("|")
    texts = [choices[x[1:-1]].split("|") if x.startswith("<") else [x] for x in options]
    return none + tuple(tuple(text.split("_")) for some in texts for text in some)
