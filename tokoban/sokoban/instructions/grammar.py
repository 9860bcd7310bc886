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
    CONDITIONAL,
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
    negations,
    synonyms,
)

MAX_CLAUSES = 3
T = TypeVar("T")
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


def readings(text: str, *, knows_parse_only: bool = True) -> list[Sentence]:
    """All that a sentence can mean, which should be one thing.

    Unless ``knows_parse_only``, in phrases that the benchmark and training generate.
    """
    readers = [_Reader(text, name, knows_parse_only=knows_parse_only) for name in languages()]
    return [*dict.fromkeys(sentence for reader in readers for sentence in reader.sentences())]


def words_of(text: str) -> list[str]:
    """The words, without capitals, and without punctuation before and after them.

    German words may be written with "ae", "oe" and "ue", and a box may be called a crate.
    """
    plain = re.sub("[\u2019\u02bc\u00b4`]", "'", normalize("NFC", text).casefold())
    words = re.sub(r"\B[^\w\s]+|[^\w\s]+\B", " ", plain).split()
    return " ".join(_usual_words().get(word, word) for word in words).split()


@cache
def _usual_words() -> dict[str, str]:
    """The words of phrases, by their spelling without umlauts and by their synonyms."""
    plain = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})
    words = set().union(*(phrases.understood_words for phrases in languages().values()))
    return {word.translate(plain): word for word in words} | synonyms()


class _Reader:
    """Matches words with phrases, and remembers how far that went and what was expected there."""

    def __init__(
        self,
        text: str,
        language: str,
        expects_question: bool = False,
        knows_parse_only: bool = True,
    ) -> None:
        self._language, self._phrases = language, languages()[language]
        self._patterns = sorted(
            (x for x in self._phrases.patterns if knows_parse_only or not x.is_parse_only),
            key=lambda x: expects_question and x.form[0].kind not in QUESTIONS,
        )
        said = {n: word for n, word in enumerate(words_of(text), 1) if word not in fillers()}
        self._words, self._numbers = [*said.values()], [*said]
        if not 0 < len(said) <= _MOST_WORDS:
            many = f"a sentence of {len(said)} words; expected 1 to {_MOST_WORDS}"
            sentence = many if said else "the sentence is empty"
            raise ValueError(Fault(sentence, "words", count=len(said), most=_MOST_WORDS))
        self._names: dict[tuple[int, str], list[tuple[Enum | At, int]]] = {}
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
        prefixes = self._phrases.prefixes
        for first in {end for prefix in prefixes for end in self._ends(start, prefix)}:
            yield from self._clause_and_rest(first, before, num_said, has_prefix=True)

    def _clause_and_rest(
        self, start: int, before: Meaning, num_said: int, *, has_prefix: bool = False
    ) -> Iterator[Meaning]:
        """As ``_meanings``, for words that begin with a clause and no prefix."""
        conjunctions = self._phrases.conjunctions
        conjunction: Name = (tuple((word,) for word in conjunctions),)
        is_forbidding = bool(before) and before[-1].kind in _FORBIDDING
        for pattern, form, is_parse_only in self._patterns:
            is_question = form[0].kind in QUESTIONS
            if is_question and (before or has_prefix):
                continue
            if is_forbidding and is_parse_only and pattern[0] == "{box}":
                continue
            for end, names in self._matches(start, pattern, {}):
                found = _clauses(form, names)
                if end == len(self._words):
                    yield found
                elif form[0].kind in CONDITIONAL:
                    self._fits(end, "")
                    for first in self._ends(end, self._phrases.conditions):
                        for rest in self._clause_and_rest(first, found, 1):
                            yield (*found, *rest)
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
        for name, end in self._names_at(start, head):
            field = self._phrases.slots[head].field
            yield from self._matches(end, rest, names | {field: name})

    def _names_at(self, start: int, slot: str) -> list[tuple[Enum | At, int]]:
        """The names that are here, each with its end."""
        if (start, slot) not in self._names:
            self._names[start, slot] = [
                (meant if isinstance(meant, Enum) else self._at(meant, start, end), end)
                for meant, ways in self._phrases.slots[slot].names
                for way in ways
                for end in self._ends(start, way)
            ]
        return self._names[start, slot]

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
        known = self._phrases.understood_words
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
        is_known = word in self._phrases.understood_words
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
        if words and clause is meaning[1] and meaning[0].kind in QUESTIONS:
            words[-1] += ":"
        elif words:
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
        if isinstance(part, str):
            meant = getattr(clause, languages()[language].slots[part].field)
            name = chosen(_names(meant, part, language, is_taught))
        else:
            name = (part,)
        for choice in name:
            words += chosen(choice)
    return words


def _names(
    meant: Box | Place | At, slot: str, language: str, is_taught: bool = True
) -> Sequence[Name]:
    """The names of a box or a place that are generated in a slot."""
    phrases = languages()[language]
    key = meant.noun if isinstance(meant, At) else meant
    names = next(names for one, names in phrases.slots[slot].names if one == key)
    if isinstance(meant, Box) and not is_taught:
        return phrases.untaught.get(meant, names)
    if not isinstance(meant, At):
        return names
    numbers = iter(meant.numbers)
    return [tuple(((str(next(numbers)),),) if said == ((_NUMBER,),) else said for said in names[0])]


def _is_number(word: str) -> bool:
    return re.fullmatch("[1-9][0-9]?", word) is not None


def usual_name(meant: Box | Place | At, language: str) -> str:
    """The usual name of a box or a place."""
    is_box = isinstance(meant, Box) or (isinstance(meant, At) and meant.noun == "box")
    return next(expansions(_names(meant, "{box}" if is_box else "{it}", language)[0]))


@cache
def _ways(kind: Kind, language: str) -> Sequence[Phrase]:
    phrases, form = languages()[language], (ClauseForm(kind),)
    parse_only = [each.phrase for each in phrases.patterns if each.form == form]
    return phrases.sentences.get(kind, parse_only)


def fields(kind: Kind) -> list[str]:
    """The names that clauses of a kind have, in their order."""
    slots = languages()["en"].slots
    found = [slots[part].field for part in _ways(kind, "en")[0] if isinstance(part, str)]
    return sorted(found, key=ROLES.index)


def _clauses(form: Form, names: Mapping[str, Any]) -> Meaning:
    """The clauses of a phrase, with those of its names that each needs; a place is a goal."""
    names = {"place": Place.GOAL, **names}
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
