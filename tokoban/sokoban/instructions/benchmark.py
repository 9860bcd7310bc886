"""A benchmark of instructions and questions with exact truth; the same seed gives the same items.

What is held out of training, each in a split of its own: levels (none is another one turned or
mirrored), combinations of names (after Lake and Baroni, "Generalization without systematicity",
arXiv:1711.00350), paraphrases, names that training uses in questions only, and third clauses.
"""

import random
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from tokoban.sokoban.board import Board
from tokoban.sokoban.canonical import canonical_form
from tokoban.sokoban.formats import format_board, lurd
from tokoban.sokoban.instructions.grammar import Sentence, fields, sentence
from tokoban.sokoban.instructions.meaning import (
    DEMANDS,
    DRAWN_QUESTIONS,
    Box,
    Clause,
    Kind,
    Meaning,
    Place,
)
from tokoban.sokoban.instructions.naming import meanings, named_boxes
from tokoban.sokoban.instructions.phrases import languages
from tokoban.sokoban.instructions.questions import answer
from tokoban.sokoban.instructions.truth import Level, Truth, pushed
from tokoban.sokoban.puzzles.generate import generate_puzzles
from tokoban.sokoban.puzzles.puzzle import Recipe
from tokoban.sokoban.sizes import MAX_LEVELS

Options = Mapping[str, list[Any]]  # names by the field of a clause

_NUM_BOXES = (2, 3)
TRAIN_SHARE = 4  # levels for training for each of the others
_EACH = 2  # sentences of a level and a split that can be obeyed, and that cannot
_MOST_DRAWS = 500
_QUESTIONS_EACH = 4
_COMBINATIONS = 5  # one of so many is held out


@dataclass(frozen=True)
class Split:
    """How the sentences of a split are drawn."""

    num_clauses: tuple[int, ...] = (1, 1, 2)
    is_combination_new: bool = False
    is_paraphrase_new: bool = False
    are_names_new: bool = False
    is_training: bool = False


SPLITS: Mapping[str, Split] = {
    "train": Split(is_training=True),
    "levels": Split(),
    "combinations": Split(is_combination_new=True),
    "paraphrases": Split(is_paraphrase_new=True),
    "names": Split(are_names_new=True),
    "clauses": Split(num_clauses=(3,)),
}


def boards(num_levels: int, *, seed: int) -> dict[bool, list[Board]]:
    """The levels for training (True), and ``num_levels`` for all other splits."""
    found: dict[bool, list[Board]] = {True: [], False: []}
    for boxes, count in _shares(num_levels, _NUM_BOXES):
        for number, board in enumerate(_generated(boxes, (TRAIN_SHARE + 1) * count, seed)):
            found[number >= count].append(board)
    return found


def held_out(num_levels: int, *, seed: int, num_boxes: Sequence[int] = _NUM_BOXES) -> list[Board]:
    """Those of ``boards`` that are not for training."""
    return [
        board
        for boxes, count in _shares(num_levels, num_boxes)
        for board in _generated(boxes, count, seed)
    ]


def some_of(levels: Sequence[Board], most: int) -> list[Board]:
    """At most so many of the levels, evenly spread."""
    count = min(most, len(levels))
    return [levels[i * len(levels) // count] for i in range(count)]


def other_boards(
    known: Container[str], *, seed: int, num_boxes: Sequence[int] = _NUM_BOXES
) -> Iterator[Board]:
    """Levels by turns of so many boxes, none of which is one of ``known`` canonical forms."""
    for some in zip(*(_generated(boxes, MAX_LEVELS, seed) for boxes in num_boxes), strict=True):
        yield from (board for board in some if canonical_form(board) not in known)


def _shares(num_levels: int, num_boxes: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Numbers of boxes and of levels."""
    for index, boxes in enumerate(num_boxes):
        yield boxes, num_levels // len(num_boxes) + (index < num_levels % len(num_boxes))


def _generated(num_boxes: int, count: int, seed: int) -> Iterator[Board]:
    recipe = Recipe(rows=8, columns=8, num_boxes=num_boxes, measures_choices=False)
    if count:
        yield from (puzzle.board for puzzle in generate_puzzles(count, recipe, seed=seed))


def items(name: str, levels: list[Board], *, seed: int) -> Iterator[dict[str, Any]]:
    """The items of a split: instructions, and in "train" and "levels" questions."""
    split = SPLITS[name]
    for number, board in enumerate(levels, 1):
        chance = random.Random(f"{seed} {name} {number}")
        found = [
            {"kind": "instruction", "language": said.language, "text": text} | _described(truth)
            for text, said, truth in instructions(chance, board, split)
        ]
        if name in ("train", "levels"):
            found += [
                {"kind": "question", "language": said.language, "text": text, "answer": right}
                for text, said, right in questions(chance, board)
            ]
        for index, item in enumerate(found, 1):
            about = {"split": name, "level": number, "index": index}
            yield about | {"board": format_board(board).split("\n")} | item


def is_combination_held_out(clause: Clause) -> bool:
    """Whether training has the names of the clause, but not together in this kind."""
    names = (clause.kind, clause.box, clause.place, clause.other)
    numbers = ([*type(name)].index(name) for name in names if isinstance(name, Enum))
    return sum(numbers) % _COMBINATIONS == 0


def instructions(
    chance: random.Random,
    board: Board,
    split: Split,
    *,
    is_balanced: bool = True,
) -> Iterator[tuple[str, Sentence, Truth]]:
    """Texts, meanings and truths: as many that can be obeyed as that cannot, if balanced.

    Some shortest solution of the level disobeys each.
    """
    level = Level(board, board.boxes)
    phrases = languages()["en"]
    names = [*phrases.untaught] if split.are_names_new else [*phrases.boxes]
    options = _options(board, names)
    found: dict[bool, dict[Meaning, Truth]] = {True: {}, False: {}}
    for _ in range(_MOST_DRAWS):
        meaning = _draw(chance, split, options)
        if meaning is None:
            continue
        try:
            named_boxes(board, meaning)
            truth = level.truth(meaning)
        except ValueError:
            continue  # one box by two names, or too many states
        of_kind = found[truth.fewest_pushes is not None]
        if meaning in of_kind or len(of_kind) == _EACH:
            continue
        # What every shortest solution obeys, a solver that reads nothing obeys too.
        if truth.fewest_pushes is None or truth.asks_something():
            of_kind[meaning] = truth
        if min(map(len, found.values())) == _EACH:
            break
    count = min(map(len, found.values())) if is_balanced else _EACH
    for of_kind in found.values():
        for meaning, truth in [*of_kind.items()][:count]:
            language = chance.choice([*languages()])
            text = sentence(
                meaning,
                language,
                draw=chance,
                is_held_out=split.is_paraphrase_new,
                is_taught=not split.are_names_new,
            )
            yield text, Sentence(meaning, language), truth


def readings(
    chance: random.Random, board: Board, split: Split, num_draws: int
) -> Iterator[tuple[str, Meaning]]:
    """Of so many draws, the sentences that mean something on the board, obeyable or not."""
    options = _options(board, [*languages()["en"].boxes])
    for _ in range(num_draws):
        meaning = _draw(chance, split, options)
        try:
            named_boxes(board, meaning or ())
        except ValueError:
            continue  # one box by two names
        if meaning is not None:
            yield sentence(meaning, chance.choice([*languages()]), draw=chance), meaning


def _described(truth: Truth) -> dict[str, Any]:
    if truth.fewest_pushes is None:
        return {"answer": "impossible", "pushes": None, "best_pushes": []}
    pushes = [pushed(truth.graph, push) for push in truth.best_pushes(0, truth.machine.start)]
    best = sorted([row + 1, column + 1, lurd.LETTERS[way].upper()] for (row, column), way in pushes)
    moves = lurd.format(truth.graph.cells.board, truth.plan())
    return {"answer": moves, "pushes": truth.fewest_pushes, "best_pushes": best}


def questions(chance: random.Random, board: Board) -> Iterator[tuple[str, Sentence, str]]:
    """Texts of questions, their meanings, and the right answers in words."""
    options = _options(board, [*Box])
    for kind in chance.sample(DRAWN_QUESTIONS, _QUESTIONS_EACH):
        clause = _clause(chance, kind, options)
        if clause is None:
            continue
        asked = Sentence((clause,), chance.choice([*languages()]))
        is_taught = chance.random() < 0.5
        text = sentence(asked.meaning, asked.language, draw=chance, is_taught=is_taught)
        yield text, asked, answer(board, asked)


def _draw(chance: random.Random, split: Split, options: Options) -> Meaning | None:
    """A meaning; None if it does not belong to the split, or the board lacks names for it."""
    kinds = chance.choices(DEMANDS, k=chance.choice(split.num_clauses))
    clauses = [_clause(chance, kind, options) for kind in kinds]
    meaning = tuple(clause for clause in clauses if clause is not None)
    has_boxes = all(clause.box or clause.other for clause in meaning)
    is_new = any(map(is_combination_held_out, meaning))
    is_fitting = has_boxes >= split.are_names_new and is_new == split.is_combination_new
    return meaning if is_fitting and len(meaning) == len(kinds) else None


def _options(board: Board, names: list[Box]) -> Options:
    """The names that mean something on the board."""
    boxes, places = [*meanings(board, names)], [*meanings(board, Place)]
    return {"box": boxes, "other": boxes, "place": places, "other_place": places}


def _clause(chance: random.Random, kind: Kind, options: Options) -> Clause | None:
    """A clause of a kind; None if the board has no names for it."""
    if not all(options[field] for field in fields(kind)):
        return None
    return Clause(kind, **{field: chance.choice(options[field]) for field in fields(kind)})
