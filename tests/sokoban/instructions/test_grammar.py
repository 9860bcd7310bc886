"""The grammar: sentences by hand, every sentence it can make, and the word it does not know."""

import random
import re
from typing import Any

import pytest

from tokoban.sokoban.board import Square
from tokoban.sokoban.instructions import grammar
from tokoban.sokoban.instructions.grammar import parse, sentence
from tokoban.sokoban.instructions.meaning import (
    CONDITIONAL,
    DEMANDS,
    QUESTIONS,
    At,
    Box,
    Clause,
    Kind,
    Meaning,
    Place,
)
from tokoban.sokoban.instructions.phrases import (
    Name,
    fillers,
    languages,
    synonyms,
    words_in,
)

OPTIONS = {"box": [*Box], "other": [*Box], "place": [*Place], "other_place": [*Place]}
BOX_AT, GOAL_AT = At("box", Square(11, 2)), At("goal", Square(2, 3))
LEFT_TO_UPPER_LAST = Clause(Kind.BRING_LAST, Box.LEFT, Place.UPPER_GOAL)


def drawn(chance: random.Random, kind: Kind) -> Clause:
    return Clause(kind, **{name: chance.choice(OPTIONS[name]) for name in grammar.fields(kind)})


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("Push the left box to the upper goal last.", [LEFT_TO_UPPER_LAST]),
        ("Schiebe zuletzt die linke Kiste auf das obere Ziel!", [LEFT_TO_UPPER_LAST]),
        (
            "do not touch the nearest box until the left box is on the upper goal,"
            " and end in a corner",
            [
                Clause(Kind.LEAVE_UNTIL, Box.NEAREST, None, Box.LEFT, Place.UPPER_GOAL),
                Clause(Kind.PLAYER_ENDS, place=Place.CORNER),
            ],
        ),
        (
            "Meide die rechte Hälfte und schiebe die Eckkiste später als die nächste Kiste",
            [
                Clause(Kind.AVOID, place=Place.RIGHT_HALF),
                Clause(Kind.AFTER, Box.IN_CORNER, other=Box.NEAREST),
            ],
        ),
        (
            "„Meide — die »linke« Hälfte … (und schiebe die na\u0308chste Kiste ,nie)“",
            [Clause(Kind.AVOID, place=Place.LEFT_HALF), Clause(Kind.LEAVE, Box.NEAREST)],
        ),
        (
            "Beruehr die naechste Kiste nicht",
            [Clause(Kind.LEAVE, Box.NEAREST)],
        ),
        ("Is the northern box deadlocked?", [Clause(Kind.IS_DEADLOCKED, Box.UPPER)]),
        (
            "Please don\u2019t touch the top box, but the lower box has to be in a corner.",
            [Clause(Kind.LEAVE, Box.UPPER), Clause(Kind.BRING, Box.LOWER, Place.CORNER)],
        ),
        (
            "Zuerst die linke Kiste, dann die rechte Kiste",
            [Clause(Kind.AFTER, Box.RIGHT, other=Box.LEFT)],
        ),
        (
            "Put the left box in a corner, then the right box on the goal in row 3, column 4.",
            [
                Clause(Kind.ARRIVE_BEFORE, Box.LEFT, Place.CORNER, Box.RIGHT, GOAL_AT),
                Clause(Kind.BRING, Box.LEFT, Place.CORNER),
                Clause(Kind.BRING, Box.RIGHT, GOAL_AT),
            ],
        ),
        (
            "Can it be solved if I push the left box last, and end in a corner?",
            [
                Clause(Kind.IS_SOLVABLE),
                Clause(Kind.LAST, Box.LEFT),
                Clause(Kind.PLAYER_ENDS, place=Place.CORNER),
            ],
        ),
        (
            "Wie viele Schübe brauche ich, ohne die linke Kiste zu bewegen?",
            [Clause(Kind.PUSHES_LEFT), Clause(Kind.LEAVE, Box.LEFT)],
        ),
        ("Löse zuerst die linke Kiste", [Clause(Kind.BRING_FIRST, Box.LEFT, Place.GOAL)]),
        (
            "Schieb erst die linke Kiste in eine Ecke"
            " und schieb dann die Kiste in Reihe 12, Spalte 3",
            [
                Clause(Kind.BRING_BEFORE, Box.LEFT, Place.CORNER, BOX_AT),
                Clause(Kind.BRING, Box.LEFT, Place.CORNER),
                Clause(Kind.PUSHED, BOX_AT),
            ],
        ),
    ],
)  # fmt: skip
def test_a_sentence_has_its_meaning(text: str, meaning: list[Clause]) -> None:
    assert parse(text).meaning == tuple(meaning)
    assert parse(text).is_question == (meaning[0].kind in QUESTIONS)


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("kind", Kind)
def test_every_sentence_has_one_meaning_the_one_it_was_made_of(kind: Kind, language: str) -> None:
    chance = random.Random(kind.name)
    for i in range(24):
        meaning: Meaning = (drawn(chance, kind),)
        if kind in (*DEMANDS, *CONDITIONAL) and i % 4 == 0:
            meaning += (drawn(chance, chance.choice(DEMANDS)),)
        text = sentence(meaning, language, draw=chance, is_held_out=i % 2 == 0, is_taught=i % 3 > 0)
        assert grammar.readings(text) == [grammar.Sentence(meaning, language)]


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("kind", Kind)
def test_what_is_named_by_row_and_column_is_read_as_it_is_written(
    kind: Kind, language: str
) -> None:
    at = {"box": BOX_AT, "other": At("box", Square(0, 98)), "place": GOAL_AT}
    for square in (At("square", Square(98, 0)), GOAL_AT):
        names = at | {"place": square, "other_place": square}
        meaning = (Clause(kind, **{name: names[name] for name in grammar.fields(kind)}),)
        text = sentence(meaning, language)
        assert grammar.readings(text) == [grammar.Sentence(meaning, language)]


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize(
    ("pairs", "sides"), [("left_right", {"LEFT", "RIGHT"}), ("up_down", {"UPPER", "LOWER"})]
)
def test_with_words_of_sides_exchanged_an_instruction_means_the_other_side(
    pairs: str, sides: set[str], language: str
) -> None:
    exchanged, chance = getattr(languages()[language], pairs), random.Random(pairs)

    def other(name: Any) -> Any:
        if (side := name.name.partition("_")[0]) not in sides:
            return name
        [opposite] = sides - {side}
        return type(name)[name.name.replace(side, opposite)]

    for kind in DEMANDS * 12:
        clause = drawn(chance, kind)
        text = sentence((clause,), language, draw=chance, is_taught=chance.random() < 0.5)
        image = " ".join(exchanged.get(word, word) for word in text.split())
        means = Clause(kind, **{x: other(getattr(clause, x)) for x in grammar.fields(kind)})
        assert grammar.readings(image) == [grammar.Sentence((means,), language)]


def test_phrases_held_out_and_untaught_names_are_no_others() -> None:
    chance, clause = random.Random(5), (Clause(Kind.BRING, Box.LEFT, Place.UPPER_GOAL),)
    made = {
        (held_out, taught): {
            sentence(clause, draw=chance, is_held_out=held_out, is_taught=taught) for _ in range(99)
        }
        for held_out in (False, True)
        for taught in (False, True)
    }
    assert "the western box must end on the upper goal" in made[True, False]
    assert all(re.match("the western box .* (end|finish) ", text) for text in made[True, False])
    assert len(set.union(*made.values())) == sum(map(len, made.values()))


@pytest.mark.parametrize("language", languages())
def test_training_has_every_word_of_a_sentence_that_is_held_out(language: str) -> None:
    """Nobody can obey a word that he has never met."""
    phrases = languages()[language]
    ways = phrases.sentences
    held_out = words_in(ways[kind][-1:] for kind in DEMANDS)
    met = words_in(ways[kind] if kind in QUESTIONS else ways[kind][:-1] for kind in ways)
    assert held_out <= met


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("push the blue box", 'word 3, "blue", is not understood; expected left, leftmost, box'),
        ("", "^the sentence is empty$"),
        ("push the left box", 'the sentence ends after "box"; expected one more word: to, onto, '),
        ("push the left box first again", 'word 6, "again", is not understood; expected and, but'),
        ("end " * 101, "a sentence of 101 words; expected 1 to 100"),
        ("please push the blue box", 'word 4, "blue", is not understood; expected left'),
        ("please", "^the sentence is empty$"),
        ("how many boxes stand on goals and end in a corner", 'word 7, "and",.* expected the end$'),
        ("schiebe die linke Kiste auf das obere Tor", 'word 8, "tor", .*; expected ziel$'),
        ("bring both boxes to goals", 'word 2, "both", .*; expected the, left, leftmost, right, '),
        ("bring beide Kisten auf Ziele", 'word 2, "beide", .*; expected die, linke, rechte, '),
        (
            "avoid the corners until the left box is on a goal",
            'word 4, "until", does not fit here; expected and, but$',
        ),
        ("push die linke Kiste", 'word 2, "die", is not understood; expected the, left, '),
        ("end in a corner and " * 3 + "end in a corner", 'word 15, "and", joins a further clause'),
        ("how many boxes stand on goals now", 'word 7, "now",.* expected the end$'),
        (
            "do not walk through the corners and " * 4 + "end",
            'word 21, "and", joins a further clause',
        ),
    ],
)
def test_the_word_that_was_not_understood_is_named(text: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        parse(text)


def test_words_that_say_nothing_and_synonyms_are_in_no_phrase() -> None:
    understood = set().union(*(each.understood_words for each in languages().values()))
    assert not understood & {*fillers(), *synonyms()}
    assert understood.issuperset(" ".join(synonyms().values()).split())
    said, meant = "Push the left crate to the upper target", "push the left box to the upper goal"
    assert parse(said) == parse(meant)


@pytest.mark.parametrize("text", ["Don't always push the left box", "Wo ist die linke Kiste dann?"])
def test_words_that_say_something_are_not_skipped(text: str) -> None:
    with pytest.raises(ValueError, match=r"is not understood|does not fit"):
        parse(text)


@pytest.mark.parametrize("language", languages())
def test_each_way_to_say_something_is_one_of_its_kind_alone(language: str) -> None:
    """With names that are generated, and with those that are only parsed."""
    chance = random.Random(1)
    phrases = languages()[language]
    meant = {Box.LEFT, Place.CORNER, Place.LOWER_GOAL, "box", "goal", "square"}
    names = {
        slot: [_numbered(name) for one, ways in of_slot.names if one in meant for name in ways]
        for slot, of_slot in phrases.slots.items()
    }
    for way, made, _ in phrases.patterns:
        parts = [
            choice
            for part in way
            for choice in (chance.choice(names[part]) if isinstance(part, str) else (part,))
        ]
        text = " ".join(word for choice in parts for word in chance.choice(choice))
        found = [sentence.meaning for sentence in grammar.readings(text)]
        read = [tuple(clause.kind for clause in meaning) for meaning in found]
        assert read == [tuple(clause.kind for clause in made)], text


def _numbered(name: Name) -> Name:
    return tuple(tuple(words if words != ("#",) else ("12",) for words in some) for some in name)


@pytest.mark.parametrize(
    ("text", "usual"),
    [
        ("push the left box first, then push the right one", "push the right box after the left"),
        (
            "Push the left box last, and end in the corner; do not touch the upper box.",
            "push the left box last and end in a corner and do not push the upper box",
        ),
        (
            "Schieb die linke Kiste zuerst. Fass die obere Kiste nicht an",
            "push the left box first and do not push the upper box",
        ),
        ("Could you do the left box last?", "push the left box last"),
        ("the left box may only be pushed after the right box", "push the right box before"),
        (
            "Die linke Kiste soll erst geschoben werden, wenn die rechte geschoben ist",
            "push the left box after",
        ),
        ("Schieb die linke Kiste nicht vor der rechten", "push the right box before the left"),
        (
            "Don't touch the left box until you have pushed the right one",
            "push the right box before",
        ),
        ("Du musst die linke Kiste ins obere Ziel schieben", "push the left box to the upper goal"),
        ("leave the left box and the right box alone", "do not push the left box and do not"),
        ("Top box onto the left goal please", "push the upper box to the left goal"),
        ("end in the corner", "end in a corner"),
        ("dont touch the left box", "do not push the left box"),
        ("Do not walk through the goals", "do not walk over the goals"),
        ("Never go through the top goal", "do not walk over the upper goal"),
        ("Geh nicht durch das linke Ziel", "do not walk over the left goal"),
        ("push the left box onto the goal on the right", "push the left box to the right goal"),
        ("Schieb die linke Kiste vor der rechten.", "push the left box before the right box"),
        ("Finger weg von der Eckkiste!", "do not push the box in the corner"),
        ("Solve it so that the top box is pushed last.", "push the upper box last"),
        ("Solve the level and end in the lower half", "end in the lower half"),
        ("Löse das Level und beginne mit der linken Kiste", "push the left box first"),
        ("move left box to right goal", "push the left box to the right goal"),
        ("Is the left box already on a goal?", "is the left box on a goal"),
        ("Can the top box be pushed to a corner?", "can the upper box reach the corners"),
        ("Kann die linke Kiste noch ins rechte Ziel?", "can the left box reach the right goal"),
        ("Can the left box still reach its goal?", "can the left box reach the goals"),
        ("How many pushes remain?", "how many pushes are left"),
        ("Have I lost?", "is it lost"),
        ("Ist das Spiel vorbei?", "is it lost"),
        ("Geht es ohne die linke Kiste?", "is it solvable: do not push the left box"),
        ("Solve the puzzle without entering the corners", "do not walk through the corners"),
        ("Wie viele Schübe braucht die kürzeste Lösung?", "how many pushes are left"),
        ("Wie viele Kisten sind schon auf einem Ziel?", "how many boxes stand on goals"),
    ],
)
def test_what_people_write_is_understood(text: str, usual: str) -> None:
    assert sentence(parse(text).meaning).startswith(usual)


@pytest.mark.parametrize(
    "text",
    [
        "don't push the left box and the right box first",
        "never touch the left box and the right box last",
        "don't push the left box and the right box to the right goal",
        "Bringe keine Kiste aufs linke Ziel und die rechte aufs rechte Ziel",
        "nothing goes to the left goal but the left box last",
        "Höre damit auf, die linke Kiste auf das linke Ziel zu schieben",
        "don't push just the left box",
        "push the left box just after the right box",
        "don't push box in a corner",
        "stay away from the corners with your boxes",
        "Die linke Kiste darf nach der rechten geschoben werden",
        "keep a goal free",
        "erst die linke Kiste, dann die nächste",
        "die linke Kiste ist am Ende",
        "don't push the left box first",
        "Solve it and don't push the left box first",
        "Du musst die linke Kiste nicht schieben",
        "Du musst keine Kiste in die Ecken schieben",
        "Könntest du nicht in die linke Hälfte gehen?",
        "Keep row 3 and column 4 free",
        "Which box can I push first?",
        "can you push the left box first",
        "is it not solvable",
        "can it be solved and how many pushes are left",
        "is the left box on a goal and end in a corner",
    ],
)
def test_what_would_be_read_as_something_else_is_refused(text: str) -> None:
    """Most of all, no negation is read as its opposite."""
    with pytest.raises(ValueError, match=r"is not understood|does not fit|one more word"):
        parse(text)
