"""Examples with exact answers, drawn while the network trains.

Of each level: instructions at positions of plays that go wrong now and then, questions, and plain
solving, which is a prompt without words. Axes as in ``prompts``; A words of an answer.
"""

import random
from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

import torch
from jaxtyping import Bool, Int64
from torch import Tensor

from tokoban.sokoban.board import Board, Direction, Square
from tokoban.sokoban.instructions import benchmark
from tokoban.sokoban.instructions.machine import REJECTED
from tokoban.sokoban.instructions.meaning import Kind
from tokoban.sokoban.instructions.play import Play
from tokoban.sokoban.instructions.truth import FAR, Truth, pushed, truth_of
from tokoban.systems.instructions.config import InstructionsConfig
from tokoban.systems.instructions.prompts import EncodedPlay, Encoder, Prompt, padded, prompt_of
from tokoban.systems.instructions.words import END, IMPOSSIBLE, PADDING, Words
from tokoban.training.ahead import made_ahead
from tokoban.training.streams import Purpose, derived_seed

_BATCHES_A_DRAWING = 16
_PLAYS = 2  # of a sentence that can be obeyed
_ASKED_POSITIONS, _OTHER_POSITIONS = 6, 1  # of a play, at most
_IMPOSSIBLE_POSITIONS = 2
_QUESTIONED = 1  # boards of a level with questions, besides its start
_MOST_PUSHES = 40  # of a play
_ERRORS = 0.2  # pushes that are any legal ones

# The order in which kinds of sentences are learned, the easiest first (Bengio et al. 2009,
# doi:10.1145/1553374.1553380): with all of them at once it learns to read none.
LESSONS = (
    Kind.FIRST, Kind.LEAVE, Kind.LAST, Kind.BEFORE, Kind.AFTER, Kind.BRING, Kind.BRING_FIRST,
    Kind.BRING_LAST, Kind.BRING_BEFORE, Kind.ARRIVE_BEFORE, Kind.LEAVE_UNTIL, Kind.KEEP_FREE,
    Kind.KEEP_FREE_UNTIL, Kind.AVOID, Kind.STAY_OUT, Kind.STAY_OUT_UNTIL, Kind.PLAYER_ENDS,
)  # fmt: skip

Pushes = list[tuple[Square, Direction]]


class Example(NamedTuple):
    """A prompt and its answer."""

    play: EncodedPlay
    words: list[int]
    answer: list[int]  # words, then END; empty where a push is the answer
    best: list[tuple[int, int]]  # these pushes, by token and direction


class Batch(NamedTuple):
    """Prompts with their answers."""

    prompt: Prompt
    answers: Int64[Tensor, "B A"]
    is_best: Bool[Tensor, "B T 4"]

    def to(self, device: torch.device) -> "Batch":
        """The batch on a device."""
        return Batch(self.prompt.to(device), self.answers.to(device), self.is_best.to(device))


def batches(
    boards: Sequence[Board],
    words: Words,
    config: InstructionsConfig,
    *,
    start_step: int,
    place: int,
) -> Iterator[Batch]:
    """Batch n depends on the seed, the place of the process and n alone."""
    first, skipped = divmod(start_step, _BATCHES_A_DRAWING)
    draw = partial(_drawing, boards, words, config, place)
    for drawn in made_ahead(draw, first, workers=config.workers):
        yield from drawn[skipped:]
        skipped = 0


def _drawing(
    boards: Sequence[Board], words: Words, config: InstructionsConfig, place: int, number: int
) -> list[Batch]:
    """Batches of examples that were drawn together, so that little of each is padded."""
    seed = derived_seed(config.data_seed, Purpose.EXAMPLES, number, place)
    chance, size = random.Random(seed), config.batch_examples
    lesson = number // config.drawings_a_lesson if config.drawings_a_lesson else len(LESSONS)
    kinds = _kinds_of(lesson)
    asks = config.has_questions and lesson >= len(LESSONS)
    examples: list[Example] = []
    while len(examples) < _BATCHES_A_DRAWING * size:
        board = chance.choice(boards)
        examples += examples_of(board, chance, words, kinds=kinds, asks=asks)
    examples = chance.sample(examples, _BATCHES_A_DRAWING * size)
    examples.sort(key=lambda example: len(example.play.history))
    firsts = chance.sample(range(0, len(examples), size), _BATCHES_A_DRAWING)
    return [batch_of(examples[first : first + size]) for first in firsts]


def _kinds_of(lesson: int) -> Sequence[Kind]:
    """The new kind as often as all before it together; all alike after the last lesson."""
    if lesson >= len(LESSONS):
        return LESSONS
    return [*LESSONS[:lesson], *[LESSONS[lesson]] * max(1, lesson)]


def examples_of(
    board: Board,
    chance: random.Random,
    words: Words,
    *,
    kinds: Sequence[Kind] = LESSONS,
    asks: bool = True,
) -> list[Example]:
    """Examples of one level, with questions if it ``asks``."""
    encoder = Encoder(board)
    plain = positions(truth_of(board, ()), chance)
    drawn = [(play, "", "en", best) for play, best in plain]
    split = benchmark.SPLITS["train"]
    sentences = benchmark.instructions(chance, board, split, kinds=kinds, is_balanced=False)
    for language, text, truth in sentences:
        for _ in range(_PLAYS if truth.fewest_pushes is not None else 1):
            drawn += [(play, text, language, best) for play, best in positions(truth, chance)]
    prompts, answers = [], []
    for play, text, language, best in drawn:
        prompts.append((play, text))
        answers.append((best, "" if best else IMPOSSIBLE[language]))
    later = [chance.choice(plain)[0].board for _ in range(_QUESTIONED)]
    for start in (board, *later) if asks else ():
        for item in benchmark.questions(chance, start):
            prompts.append((Play.of(start), item["text"]))
            answers.append(([], item["answer"]))
    plays = encoder.encode([play for play, _ in prompts])
    return [
        Example(
            play,
            words.encode(text),
            [*words.encode(answer), END] if answer else [],
            [*map(encoder.action, best)],
        )
        for play, (_, text), (best, answer) in zip(plays, prompts, answers, strict=True)
    ]


def positions(truth: Truth, chance: random.Random) -> list[tuple[Play, Pushes]]:
    """Positions of a play and the best pushes, none where all is lost.

    Most are such that half of the best pushes of the level itself or more are not among them:
    elsewhere hardly anybody needs to read.
    """
    graph, free = truth.graph, truth.plain.machine.start
    asked: list[tuple[Play, Pushes]] = []
    others: list[tuple[Play, Pushes]] = []
    play, position, state = Play.of(graph.cells.board), 0, truth.machine.start
    num_impossible = 0
    while len(asked) + len(others) < _MOST_PUSHES and num_impossible < _IMPOSSIBLE_POSITIONS:
        is_known = REJECTED not in (position, state)
        left = truth.pushes_left[position, state] if is_known else FAR
        legal = play.pushes()
        if left == 0 or not legal:
            break
        best = truth.best_pushes(position, state) if left != FAR else []
        num_impossible += not best
        usual = truth.plain.best_pushes(position, free) if best else []
        pushes = [pushed(graph, push) for push in best]
        is_asked = usual and 2 * len({*usual} - {*best}) >= len(usual)
        (asked if is_asked else others).append((play, pushes))
        is_error = not best or chance.random() < _ERRORS
        chosen = chance.choice(legal if is_error else pushes)
        of_graph = graph.pushes_from(position) if is_known else ()
        known = [push for push in of_graph if pushed(graph, push) == chosen]
        state = truth.after(known[0], state) if known else REJECTED  # not in the graph: deadlocked
        position = int(graph.pushes.target[known[0]]) if known else REJECTED
        play = play.push(*chosen)
    if not asked and not others:  # solved, or no push is legal
        return [(play, [])] if not play.board.is_solved else []
    groups = (asked, _ASKED_POSITIONS), (others, _OTHER_POSITIONS)
    return [
        found for group, most in groups for found in chance.sample(group, min(most, len(group)))
    ]


def batch_of(examples: Sequence[Example]) -> Batch:
    """Examples, padded."""
    prompt = prompt_of([each.play for each in examples], [each.words for each in examples])
    is_best = torch.zeros_like(prompt.is_legal)
    for row, example in enumerate(examples):
        for token, direction in example.best:
            is_best[row, token, direction] = True
    # A push is an answer too, though of no word.
    return Batch(prompt, padded([each.answer or [PADDING] for each in examples]), is_best)
