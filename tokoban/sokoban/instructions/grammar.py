"""Sentences to meanings and back, by the phrases of each language.

Capitals, punctuation and words such as "please" mean nothing, but where a text is not understood,
a comma or a stop may join clauses as "and" does. A sentence is matched word by word against all
phrases that may follow; the first word that fits none of them is the one that was not understood.
"""

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import Any, TypeVar
from unicodedata import normalize

from tokoban.sokoban.board import Square
from tokoban.sokoban.formats import quoted
from tokoban.sokoban.formats.faults import Fault
from tokoban.sokoban.instructions.meaning import (
    DEMANDS,
    QUESTIONS,
    ROLES,
    At,
    Box,
    Clause,
    Kind,
    Meaning,
    Noun,
    Place,
)
from tokoban.sokoban.instructions.phrases import (
    ClauseForm,
    Form,
    Name,
    Phrase,
    expansions,
    fillers,
    languages,
    names_of_box,
    negations,
    synonyms,
)

MAX_CLAUSES = 3
T = TypeVar("T")
_FORMS = ("it", "to", "at", "through")  # of a place
_MOST_WORDS = 100
_NUMBER = "#"  # of a row or a column, in phrases
_MOST_EXPECTED = 6  # words named in an error message
# "Don't push the left box and the right box first": what is meant is that neither is pushed.
_FORBIDDING = {
    *(Kind.LEAVE, Kind.LEAVE_UNTIL, Kind.KEEP_FREE, Kind.KEEP_FREE_UNTIL),
    *(Kind.STAY_OUT, Kind.STAY_OUT_UNTIL, Kind.AVOID),
}


@dataclass(frozen=True)
class Sentence:
    """A sentence that was understood."""

    meaning: Meaning
    language: str

    @property
    def is_question(self) -> bool:
        """Whether it asks and demands nothing."""
        return self.meaning[0].kind in QUESTIONS

    def __str__(self) -> str:
        """The meaning in the usual phrases, as people write them."""
        return languages()[self.language].with_capitals(sentence(self.meaning, self.language))


def parse(text: str, *, expects_question: bool = False) -> Sentence:
    """The sentence; ``ValueError`` that names the word where it was not understood.

    With ``expects_question`` the message names words that begin questions first.
    """
    readers = [_Reader(text, language, expects_question) for language in languages()]
    joined = [_Reader(_joined(text, language), language) for language in languages()]
    for reader in (*readers, *joined):
        for sentence in reader.sentences():
            return sentence
    raise ValueError(max(readers, key=_Reader.progress).complaint())


def _joined(text: str, language: str) -> str:
    """With a conjunction for each comma, semicolon and stop between words that has none."""
    conjunctions = languages()[language].conjunctions
    there = "|".join(conjunctions)
    return re.sub(rf"[,;.]\s+(?=\w)(?!({there})\b)", f" {conjunctions[0]} ", text, flags=re.I)


def instruction(text: str) -> Sentence:
    """An instruction, understood; ``ValueError`` as ``parse``, and for a question."""
    sentence = parse(text)
    if sentence.is_question:
        where = "as `tokoban ask` and the page answer"
        raise ValueError(f"the sentence is a question, {where}; expected an instruction")
    return sentence


def question(text: str) -> Sentence:
    """A question, understood; ``ValueError`` as ``parse``, and for an instruction."""
    sentence = parse(text, expects_question=True)
    if not sentence.is_question:
        where = "as `tokoban solve` and the page obey"
        raise ValueError(f"the sentence is an instruction, {where}; expected a question")
    return sentence


def is_generated(text: str) -> bool:
    """Whether the text consists of phrases that the benchmark and training generate."""
    readers = [_Reader(text, language, knows_parse_only=False) for language in languages()]
    return any(True for reader in readers for _ in reader.sentences())


def readings(text: str) -> list[Sentence]:
    """All that a sentence can mean, which should be one thing."""
    readers = [_Reader(text, language) for language in languages()]
    return [*dict.fromkeys(sentence for reader in readers for sentence in reader.sentences())]


def words_of(text: str) -> list[str]:
    """The words, without capitals, and without punctuation before and after them.

    German words may be written with "ae", "oe" and "ue", and a box may be called a crate.
    """
    plain = re.sub("[\u2019\u02bc\u00b4`]", "'", normalize("NFC", text).casefold())
    words = re.sub(r"\B[^\w\s]+|[^\w\s]+\B", " ", plain).split()
    return [_usual_words().get(word, word) for word in words]


@cache
def _usual_words() -> dict[str, str]:
    """The words of phrases, by their spelling without umlauts and by their synonyms."""
    plain = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})
    words = set().union(*map(_understood_words, languages()))
    return {word.translate(plain): word for word in words} | synonyms()


@cache
def _understood_words(language: str) -> set[str]:
    return languages()[language].understood_words()


class _Reader:
    """Matches words with phrases, and remembers how far that went and what was expected there."""

    def __init__(
        self,
        text: str,
        language: str,
        expects_question: bool = False,
        knows_parse_only: bool = True,
    ) -> None:
        self._language, self._expects_question = language, expects_question
        self._knows_parse_only = knows_parse_only
        said = {n: word for n, word in enumerate(words_of(text), 1) if word not in fillers()}
        self._words, self._numbers = [*said.values()], [*said]
        if not 0 < len(said) <= _MOST_WORDS:
            many = f"a sentence of {len(said)} words; expected 1 to {_MOST_WORDS}"
            sentence = many if said else "the sentence is empty"
            raise ValueError(Fault(sentence, "words", count=len(said), most=_MOST_WORDS))
        self._names: dict[tuple[int, str], tuple[str, list[tuple[Enum | At, int]]]] = {}
        self._furthest = 0
        self._expected: dict[str, None] = {}  # in the order of the phrases, usual ones first
        self._fourth = -1  # where a clause too many is joined

    def sentences(self) -> Iterator[Sentence]:
        """All readings."""
        for meaning in self._meanings(0, (), 1):
            yield Sentence(meaning, self._language)

    def _meanings(self, start: int, before: Meaning, num_said: int) -> Iterator[Meaning]:
        """All readings of the words from ``start`` to the end, given the clauses before them.

        The first phrase from there on is the ``num_said``-th of the sentence.
        """
        yield from self._clause_and_rest(start, before, num_said)
        if negations().intersection(self._words[start:]):
            return
        prefixes = languages()[self._language].prefixes
        for first in {end for prefix in prefixes for end in self._ends(start, prefix)}:
            yield from self._clause_and_rest(first, before, num_said, has_prefix=True)

    def _clause_and_rest(
        self, start: int, before: Meaning, num_said: int, *, has_prefix: bool = False
    ) -> Iterator[Meaning]:
        """As ``_meanings``, for words that begin with a clause and no prefix."""
        conjunctions = languages()[self._language].conjunctions
        conjunction: Name = (tuple((word,) for word in conjunctions),)
        is_forbidding = bool(before) and before[-1].kind in _FORBIDDING
        for pattern, form, is_parse_only in _patterns(self._language, self._expects_question):
            if is_parse_only and not self._knows_parse_only:
                continue
            is_question = form[0].kind in QUESTIONS
            if is_question and (before or has_prefix):
                continue
            if is_forbidding and is_parse_only and pattern[0] == "{box}":
                continue
            for end, names in self._matches(start, pattern, {}):
                found = _clauses(form, names)
                if end == len(self._words):
                    yield found
                elif is_question or num_said == MAX_CLAUSES:
                    self._fits(end, "")
                    if not is_question and self._words[end] in conjunctions:
                        self._fourth = end
                else:
                    for start_of_next in self._ends(end, conjunction):
                        for rest in self._meanings(start_of_next, (*before, *found), num_said + 1):
                            yield (*found, *rest)

    def _matches(
        self, start: int, pattern: Phrase, names: dict[str, Any]
    ) -> Iterator[tuple[int, dict[str, Any]]]:
        """Where the pattern may end, and the names in it."""
        if not pattern:
            yield start, names
            return
        head, rest = pattern[0], pattern[1:]
        if not isinstance(head, str):
            for end in self._ends(start, (head,)):
                yield from self._matches(end, rest, names)
            return
        field, found = self._names_at(start, head)
        for name, end in found:
            yield from self._matches(end, rest, names | {field: name})

    def _names_at(self, start: int, slot: str) -> tuple[str, list[tuple[Enum | At, int]]]:
        """The field that a slot fills, and the names that are here, each with its end."""
        key = start, slot
        if key not in self._names:
            field, table = _parsed_slot(slot, self._language)
            self._names[key] = (
                field,
                [
                    (name if isinstance(name, Enum) else self._at(name, start, end), end)
                    for name, phrases in table
                    for phrase in phrases
                    for end in self._ends(start, phrase)
                ],
            )
        return self._names[key]

    def _at(self, noun: Noun, start: int, end: int) -> At:
        row, column = (int(word) for word in self._words[start:end] if _is_number(word))
        return At(noun, Square(row - 1, column - 1))

    def _ends(self, start: int, name: Name) -> Iterator[int]:
        """Where a phrase without slots may end."""
        if not name:
            yield start
            return
        for words in name[0]:
            end = start
            while end - start < len(words) and self._fits(end, words[end - start]):
                end += 1
            if end - start == len(words):
                yield from self._ends(end, name[1:])

    def _fits(self, place: int, expected: str) -> bool:
        """Whether this word is at this place; the end is expected where it is empty."""
        word = self._words[place] if place < len(self._words) else None
        if word is not None and (word == expected or (expected == _NUMBER and _is_number(word))):
            return True
        if place > self._furthest:
            self._furthest, self._expected = place, {}
        if place == self._furthest and expected:
            self._expected[expected] = None
        return False

    def progress(self) -> tuple[int, int]:
        """How many words were understood, and how many are known at all."""
        known = _understood_words(self._language)
        return self._furthest, sum(word in known for word in self._words)

    def complaint(self) -> Fault:
        """The sentence about the word where no phrase went on."""
        expected = ["1-99" if word == _NUMBER else word for word in self._expected]
        more = " or others" if len(expected) > _MOST_EXPECTED else ""
        some = ", ".join(expected[:_MOST_EXPECTED])
        if self._furthest == len(self._words):
            word = quoted(self._words[-1])
            ends = f'the sentence ends after "{word}"; expected one more word: {some}{more}'
            return Fault(ends, "cut-off", word=word, expected=some)
        place, word = self._numbers[self._furthest], quoted(self._words[self._furthest])
        if self._furthest == self._fourth:
            most = f'word {place}, "{word}", joins a further clause; expected at most {MAX_CLAUSES}'
            return Fault(most, "late-word", place=place, word=word)
        is_known = word in _understood_words(self._language)
        fault = "does not fit here" if is_known else "is not understood"
        text = f'word {place}, "{word}", {fault}; expected {some + more or "the end"}'
        if not expected:
            return Fault(text, "late-word", place=place, word=word)
        if is_known:
            return Fault(text, "misplaced-word", place=place, word=word, expected=some)
        return Fault(text, "unknown-word", place=place, word=word, expected=some)


def sentence(
    meaning: Meaning,
    language: str = "en",
    *,
    draw: random.Random | None = None,
    is_held_out: bool = False,
    is_taught: bool = True,
) -> str:
    """The meaning in words, by the first phrases or by those that ``draw`` chooses.

    ``is_held_out`` takes the instructions that are held out of training, else they are not drawn;
    unless ``is_taught``, boxes have the names that only questions use, where there are such.
    """
    conjunctions = languages()[language].conjunctions
    words: list[str] = []
    for clause in meaning:
        if words:
            words.append(conjunctions[0] if draw is None else draw.choice(conjunctions))
        words += _clause(clause, language, draw, is_held_out, is_taught)
    return " ".join(words)


def _clause(
    clause: Clause, language: str, draw: random.Random | None, is_held_out: bool, is_taught: bool
) -> list[str]:
    def chosen(options: Sequence[T]) -> T:
        return options[0] if draw is None else draw.choice(options)

    ways = _ways(clause.kind, language)
    if clause.kind in DEMANDS:
        ways = ways[-1:] if is_held_out else ways[:-1]
    words: list[str] = []
    for part in chosen(ways):
        name: Name
        if isinstance(part, str):
            field, slot = _slot(part, language)
            meant = getattr(clause, field)
            if isinstance(meant, At):
                name = _with_numbers(_located(part, language)[meant.noun][0], meant)
            else:
                options = [names for one, names in slot if one == meant]
                name = chosen(options[0 if is_taught else -1])
        else:
            name = (part,)
        for choice in name:
            words += chosen(choice)
    return words


def _with_numbers(name: Name, meant: At) -> Name:
    numbers = iter(meant.numbers)
    return tuple(((str(next(numbers)),),) if choice == ((_NUMBER,),) else choice for choice in name)


def _is_number(word: str) -> bool:
    return re.fullmatch("[1-9][0-9]?", word) is not None


def usual_name(meant: Box | Place | At, language: str) -> str:
    """The usual name of a box or a place."""
    phrases = languages()[language]
    if isinstance(meant, Box):
        return names_of_box(meant, phrases)[0]
    if isinstance(meant, Place):
        return next(expansions(phrases.places[meant][0]))
    return next(expansions(_with_numbers(phrases.located[meant.noun][0], meant)))


def _ways(kind: Kind, language: str) -> Sequence[Phrase]:
    phrases = languages()[language]
    return phrases.sentences.get(kind) or phrases.parse_only[(ClauseForm(kind),)]


def fields(kind: Kind) -> list[str]:
    """The names that clauses of a kind have, in their order."""
    pattern = _ways(kind, "en")[0]
    found = (_slot(element, "en")[0] for element in pattern if isinstance(element, str))
    return sorted(found, key=ROLES.index)


@cache
def _patterns(language: str, expects_question: bool) -> tuple[tuple[Phrase, Form, bool], ...]:
    """Every sentence as words and slots, and whether it is only parsed; the usual ones first."""
    phrases = languages()[language]
    said = (((ClauseForm(kind),), ways) for kind, ways in phrases.sentences.items())
    patterns = (
        (way, form, bool(is_parse_only))
        for is_parse_only, table in enumerate((said, phrases.parse_only.items()))
        for form, ways in table
        for way in ways
    )
    return tuple(
        sorted(patterns, key=lambda each: expects_question and each[1][0].kind not in QUESTIONS)
    )


def _clauses(form: Form, names: Mapping[str, Any]) -> Meaning:
    """The clauses of a phrase, with those of its names that each needs."""
    exchanged = {
        "box": names.get("other"),
        "other": names.get("box"),
        "place": names.get("other_place"),
    }
    return tuple(
        Clause(
            kind, **{field: (exchanged if is_of_other else names)[field] for field in fields(kind)}
        )
        for kind, is_of_other in form
    )


@cache
def _slot(slot: str, language: str) -> tuple[str, tuple[tuple[Enum, Sequence[Name]], ...]]:
    """The field that a slot such as ``{to}`` fills, and the phrases of every name in it.

    A box that has taught and untaught names comes twice.
    """
    all_of, field = languages()[language], slot.strip("{}")
    if field in ("box", "other"):
        return field, (*all_of.boxes.items(), *all_of.untaught.items())
    form = _form(slot)
    places = tuple((place, (forms[form],)) for place, forms in all_of.places.items())
    return "other_place" if field.startswith("other_") else "place", places


@cache
def _parsed_slot(
    slot: str, language: str
) -> tuple[str, tuple[tuple[Enum | Noun, Sequence[Name]], ...]]:
    """``_slot`` with what is only parsed, last what is named by its row and column."""
    all_of, field = languages()[language], slot.strip("{}")
    located = tuple(_located(slot, language).items())
    if field.endswith("_dative"):
        return field.removesuffix("_dative"), (*all_of.dative_boxes.items(), *located)
    field, said = _slot(slot, language)
    if field in ("box", "other"):
        return field, (*said, *all_of.parse_only_boxes.items(), *located)
    form = _form(slot)
    places = all_of.parse_only_places.items()
    return field, (*said, *((place, (forms[form],)) for place, forms in places), *located)


def _located(slot: str, language: str) -> dict[Noun, Sequence[Name]]:
    """For a slot, the phrases that name a box, a goal or a square by its row and column."""
    located, field = languages()[language].located, slot.strip("{}")
    if field in ("box", "other"):
        return {"box": located["box"]}
    if field.endswith("_dative"):
        return {"box": located["box_dative"]}
    return {"goal": (located["goal"][_form(slot)],), "square": (located["square"][_form(slot)],)}


def _form(slot: str) -> int:
    return _FORMS.index(slot.strip("{}").removeprefix("other_"))
