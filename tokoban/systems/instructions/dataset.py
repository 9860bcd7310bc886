"""Examples with exact answers, drawn while the network trains.

Of each level: instructions at positions of plays that go wrong now and then, questions, and plain
solving, which is a prompt without words. Besides the answer an example has what a reader finds on
the way to it: what the names mean on the board, and what becomes of each legal push. Axes as in
``prompts``; A words of an answer.
"""

import random
from collections.abc import Container, Sequence
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Bool, Int8, Int64, UInt8
from torch import Tensor

from tokoban.sokoban.board import Board, Direction, Square
from tokoban.sokoban.instructions import benchmark
from tokoban.sokoban.instructions.grammar import Sentence
from tokoban.sokoban.instructions.machine import REJECTED
from tokoban.sokoban.instructions.meaning import ROLES, Kind, Meaning
from tokoban.sokoban.instructions.naming import find_box, find_place
from tokoban.sokoban.instructions.phrases import languages
from tokoban.sokoban.instructions.play import Play
from tokoban.sokoban.instructions.truth import FAR, Truth, pushed, truth_of
from tokoban.systems.instructions.config import InstructionsConfig
from tokoban.systems.instructions.prompts import (
    BEST,
    LONGER,
    LOST,
    MARKED_CLAUSES,
    EncodedPlay,
    Encoder,
    Prompt,
    padded,
    prompt_of,
)
from tokoban.systems.instructions.words import END, PADDING, Words
from tokoban.training.ahead import BATCHES_A_DRAWING
from tokoban.training.streams import Purpose, derived_seed

_PLAYS = 3  # of a sentence that can be obeyed
_PLAIN_PLAYS = 2  # without a sentence
# At most so many positions of a play in which the sentence matters, and in which it does not; if it
# never matters, as many of the second kind as otherwise of the first.
_ASKED_POSITIONS, _OTHER_POSITIONS = 6, 3
_IMPOSSIBLE_POSITIONS = 2
_MOST_PUSHES = 40  # of a play
_ERRORS = 0.2  # pushes that are any legal ones

NO_PUSH = -1  # in place of what becomes of it: not legal, or of a question

Outlook = dict[tuple[Square, Direction], int]  # by legal push


class Example(NamedTuple):
    """A prompt and its answer."""

    play: EncodedPlay
    words: list[int]
    answer: list[int]  # words, then END; empty where a push is the answer
    outlook: list[tuple[int, int, int]]  # of pushes, by token and direction
    marks: UInt8[np.ndarray, "F"]


class Batch(NamedTuple):
    """Prompts with their answers."""

    prompt: Prompt
    answers: Int64[Tensor, "B A"]
    outlook: Int8[Tensor, "B T 4"]
    marks: UInt8[Tensor, "B T"]

    @property
    def is_best(self) -> Bool[Tensor, "B T 4"]:
        """The pushes that are right answers."""
        return self.outlook == BEST


def drawing(
    held_out: Container[str], words: Words, config: InstructionsConfig, place: int, number: int
) -> list[Batch]:
    """Batches of examples that were drawn together, so that little of each is padded.

    Their levels are new; none has one of the canonical forms ``held_out``.
    """
    seed = derived_seed(config.data_seed, Purpose.EXAMPLES, number, place)
    chance, size = random.Random(seed), config.batch_examples
    boards = benchmark.other_boards(held_out, seed=seed)
    examples: list[Example] = []
    while len(examples) < BATCHES_A_DRAWING * size:
        board = next(boards)
        examples += examples_of(
            board, chance, words, readings=config.readings, asks=config.has_questions
        )
    examples = chance.sample(examples, BATCHES_A_DRAWING * size)
    # Sentences differ more in length than floors do.
    examples.sort(key=lambda example: (len(example.words), len(example.play.history)))
    firsts = chance.sample(range(0, len(examples), size), BATCHES_A_DRAWING)
    return [batch_of(examples[first : first + size]) for first in firsts]


def examples_of(
    board: Board,
    chance: random.Random,
    words: Words,
    *,
    readings: int,
    asks: bool = True,
) -> list[Example]:
    """Examples of one level, with questions if it ``asks``."""
    encoder, split = Encoder(board), benchmark.SPLITS["train"]
    found: list[tuple[Play, str, Meaning, Outlook, str]] = []

    def add(num_plays: int, truth: Truth, text: str, said: Sentence) -> None:
        impossible = languages()[said.language].answers["impossible"]
        for play, outlook in (each for _ in range(num_plays) for each in positions(truth, chance)):
            answer = "" if BEST in outlook.values() else impossible
            found.append((play, text, said.meaning, outlook, answer))

    solving = truth_of(board, ())
    add(_PLAIN_PLAYS, solving, "", Sentence((), "en"))
    plain = [(play.board, _best(outlook)) for play, _, _, outlook, _ in found]
    first = [pushed(solving.graph, push) for push in solving.best_pushes(0, solving.machine.start)]
    for text, said, truth in benchmark.instructions(chance, board, split, is_balanced=False):
        add(_PLAYS if truth.fewest_pushes is not None else 1, truth, text, said)
    plays = [play for play, *_ in found]
    for start, best in ((board, first), chance.choice(plain)) if asks else ():
        for text, said, answer in benchmark.questions(chance, start):
            # The answer to "how many pushes are left" is a push that begins a shortest solution.
            is_shown = said.meaning[0].kind is Kind.PUSHES_LEFT
            shown = dict.fromkeys(best, BEST) if is_shown else {}
            found.append((Play.of(start), text, said.meaning, shown, "" if shown else answer))
    for text, meaning in benchmark.readings(chance, board, split, readings):
        found.append((chance.choice(plays), text, meaning, {}, ""))
    number = encoder.squares.number
    encoded = encoder.encode([play for play, *_ in found])
    return [
        Example(
            own,
            words.encode(text),
            [*words.encode(answer), END] if answer else [],
            [(number[box], int(way), label) for (box, way), label in outlook.items()],
            marks_of(encoder, play, meaning),
        )
        for own, (play, text, meaning, outlook, answer) in zip(encoded, found, strict=True)
    ]


def _best(outlook: Outlook) -> list[tuple[Square, Direction]]:
    return [push for push, label in outlook.items() if label == BEST]


def marks_of(encoder: Encoder, play: Play, meaning: Meaning) -> UInt8[np.ndarray, "F"]:
    """By square, bit 4 i + j: name j of clause i means it. Boxes are where they are now."""
    marks = np.zeros(len(encoder.squares.squares), np.uint8)
    now = {origin: square for square, origin in play.origins}
    for number, clause in enumerate(meaning[:MARKED_CLAUSES]):
        for bit, role in enumerate(ROLES, number * len(ROLES)):
            if (name := getattr(clause, role)) is None:
                continue
            is_box = role in ("box", "other")
            squares = [now[find_box(play.start, name)]] if is_box else find_place(play.start, name)
            marks[[encoder.squares.number[square] for square in squares]] |= 1 << bit
    return marks


def positions(truth: Truth, chance: random.Random) -> list[tuple[Play, Outlook]]:
    """Positions of a play, and what becomes of each push.

    In most of them the sentence rules out at least half of the pushes that are best without it:
    elsewhere hardly anybody needs to read.
    """
    graph, free = truth.graph, truth.plain.machine.start
    asked: list[tuple[Play, Outlook]] = []
    others: list[tuple[Play, Outlook]] = []
    play, position, state = Play.of(graph.cells.board), 0, truth.machine.start
    num_impossible = 0
    while len(asked) + len(others) < _MOST_PUSHES and num_impossible < _IMPOSSIBLE_POSITIONS:
        is_known = REJECTED not in (position, state)
        left = int(truth.pushes_left[position, state]) if is_known else FAR
        legal = play.pushes()
        if left == 0 or not legal:
            break
        outlook = dict.fromkeys(legal, LOST)
        after = {}
        for push in graph.pushes_from(position) if is_known else ():
            target, then = int(graph.pushes.target[push]), truth.after(push, state)
            chosen = pushed(graph, push)
            after[chosen] = target, then
            if then != REJECTED and (later := int(truth.pushes_left[target, then])) != FAR:
                outlook[chosen] = BEST if later == left - 1 else LONGER
        best = _best(outlook)
        num_impossible += not best
        plain = truth.plain.best_pushes(position, free) if best else ()
        usual = {pushed(graph, push) for push in plain}
        is_asked = usual and 2 * len(usual - {*best}) >= len(usual)
        (asked if is_asked else others).append((play, outlook))
        is_error = not best or chance.random() < _ERRORS
        chosen = chance.choice(legal if is_error else best)
        # What is not in the graph is deadlocked.
        position, state = after.get(chosen, (REJECTED, REJECTED))
        play = play.push(*chosen)
    if not asked and not others:  # solved, or no push is legal
        return [(play, {})] if not play.board.is_solved else []
    groups = (asked, _ASKED_POSITIONS), (others, _OTHER_POSITIONS if asked else _ASKED_POSITIONS)
    return [
        found for group, most in groups for found in chance.sample(group, min(most, len(group)))
    ]


def batch_of(examples: Sequence[Example]) -> Batch:
    """Examples, padded."""
    prompt = prompt_of([each.play for each in examples], [each.words for each in examples])
    outlook = torch.full_like(prompt.is_legal, NO_PUSH, dtype=torch.int8)
    for row, example in enumerate(examples):
        for token, direction, label in example.outlook:
            outlook[row, token, direction] = label
    marks = padded([each.marks for each in examples])
    # A push is an answer too, though of no word.
    answers = padded([np.array(each.answer or [PADDING]) for each in examples])
    return Batch(prompt, answers, outlook, marks)
