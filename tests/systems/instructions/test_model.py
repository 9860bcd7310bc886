"""What the network reads and answers: laws of padding, batches, the cache, and who sees whom."""

import random
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from tokoban import cli
from tokoban.pretrained import load
from tokoban.sokoban.board import Board
from tokoban.sokoban.instructions import benchmark
from tokoban.sokoban.instructions.play import Play
from tokoban.sokoban.render import render_rgb
from tokoban.systems.instructions.config import picture, tiny
from tokoban.systems.instructions.dataset import (
    NO_PUSH,
    Example,
    batch_of,
    examples_of,
)
from tokoban.systems.instructions.model import InstructionNet, Output
from tokoban.systems.instructions.prompts import NUM_MARKS, Encoder, prompt_of
from tokoban.systems.instructions.train import grow, loss_of, make_system
from tokoban.systems.instructions.words import END, PADDING, Words, grammar_words
from tokoban.text.saved import tokenizer_of

WORDS = grammar_words()
FEWER = Words([word for word in WORDS.words if word not in ("leftmost", "kiste")])


@pytest.fixture(scope="module")
def model() -> InstructionNet:
    torch.manual_seed(0)
    return InstructionNet(tiny(), WORDS).eval().requires_grad_(False)


@pytest.fixture(scope="module")
def boards() -> list[Board]:
    return benchmark.boards(3, seed=5)[True]


@pytest.fixture(scope="module")
def examples(boards: list[Board]) -> list[Example]:
    """Of several levels, sentences and kinds of answer."""
    chance = random.Random(3)
    found = [
        example
        for board in boards[::3]
        for example in examples_of(board, chance, WORDS, readings=9)
    ]
    kinds = {(not example.answer, bool(example.words)) for example in found}
    assert kinds == {(True, True), (True, False), (False, True), (False, False)}
    return found


def test_a_batch_answers_as_each_example_alone_does(
    model: InstructionNet, examples: list[Example]
) -> None:
    """Squares and words of the longer ones are padding to the others."""
    examples = examples[::8]
    batch = batch_of(examples)
    together, said = model(batch.prompt, batch.answers), model.answers(batch.prompt)
    for row, example in enumerate(examples):
        alone = batch_of([example])
        mine, num_squares = model(alone.prompt, alone.answers), len(example.play.history)
        torch.testing.assert_close(together.push[row, :num_squares], mine.push[0])
        torch.testing.assert_close(together.first[row], mine.first[0])
        num_rest = mine.rest.shape[1]
        torch.testing.assert_close(together.rest[row, :num_rest], mine.rest[0])
        assert said[row] == model.answers(alone.prompt)[0]


def test_each_word_of_an_answer_is_the_likeliest_after_those_before(
    model: InstructionNet, examples: list[Example]
) -> None:
    prompt = batch_of(examples).prompt
    said = model.answers(prompt)
    lengths = {len(words) for words in said}
    assert max(lengths) > 1
    tokens = torch.full((len(examples), max(lengths) + 1), PADDING)
    for place in range(max(lengths) + 1):
        output = model(prompt, tokens)
        tokens[:, place] = torch.cat([output.first[:, None], output.rest], 1)[:, place].argmax(1)
    for row, words in zip(tokens.tolist(), said, strict=True):
        assert row[: len(words)] == words


def test_squares_and_words_see_each_other_and_no_answer(
    model: InstructionNet, examples: list[Example]
) -> None:
    example = next(example for example in examples if example.words and not example.answer)
    batch = batch_of([example] * 4)
    words, answers = batch.prompt.words.clone(), torch.zeros(4, 2, dtype=torch.int64)
    words[1, -1] += 1
    batch.prompt.history[2, 0, 0] ^= 1
    answers[3, 0] = 7
    output = model(batch.prompt._replace(words=words), answers)
    legal = batch.prompt.is_legal[0]
    for row, (sees_push, sees_first, sees_rest) in enumerate(
        [(False, False, False), (True, True, True), (True, True, True), (False, False, True)]
    ):
        for part, sees in (
            (output.push[:, legal], sees_push),
            (output.first, sees_first),
            (output.rest, sees_rest),
        ):
            assert (not torch.equal(part[row], part[0])) == sees


def test_the_loss_is_the_one_computed_by_hand(examples: list[Example]) -> None:
    batch = batch_of(examples)
    generator = torch.Generator().manual_seed(0)
    rows, num_words = batch.answers.shape
    joint = torch.randn(rows, 9 + batch.is_best[0].numel(), generator=generator).log_softmax(1)
    rest = torch.randn(rows, num_words - 1, 9, generator=generator).log_softmax(2)
    answers = torch.where(batch.answers > END, 8, batch.answers)  # of a vocabulary of 9
    outlook, marks = (
        torch.randn(*batch.outlook.shape, 3, generator=generator),
        torch.randn(*batch.marks.shape, NUM_MARKS, generator=generator),
    )
    push = joint[:, 9:].view(batch.outlook.shape)
    output = Output(push, joint[:, :9], rest, outlook, marks)
    pushes, said = [], []
    for row in range(rows):
        if batch.is_best[row].any():
            pushes.append(-output.push[row][batch.is_best[row]].exp().sum().log())
        for place, word in enumerate(answers[row].tolist()):
            if word != PADDING:
                of_word = output.first[row] if place == 0 else rest[row, place - 1]
                said.append(-of_word[word])
    became = [
        -outlook[place].log_softmax(0)[batch.outlook[place]]
        for place in map(tuple, (batch.outlook != NO_PUSH).nonzero().tolist())
    ]
    meant = []
    for row, square in batch.prompt.boards.is_square.nonzero().tolist():
        bits = [batch.marks[row, square] >> bit & 1 for bit in range(NUM_MARKS)]
        chances = marks[row, square].sigmoid()
        meant.append(-sum((c if b else 1 - c).log() for b, c in zip(bits, chances, strict=True)))
    loss = loss_of(output, batch._replace(answers=answers))
    parts = pushes, said, became
    weighted = [3 * torch.stack(meant).mean(), *(torch.stack(part).mean() for part in parts)]
    torch.testing.assert_close(loss.total, sum(weighted))


def test_the_picture_that_is_read_is_the_one_that_people_see(
    boards: list[Board],
) -> None:
    net, chance, num_players = InstructionNet(picture(), WORDS), random.Random(5), 0
    for board in boards[:3]:
        encoder, play = Encoder(board), Play.of(board)
        for _ in range(7):
            if pushes := play.pushes():
                play = play.push(*chance.choice(pushes))
            seen = net.seen(prompt_of(encoder.encode([play]), [[]]))[0]
            pixels = torch.from_numpy(render_rgb(play.board, square_px=8)) / 127.5 - 1
            for (row, column), patch in zip(encoder.squares.squares, seen, strict=True):
                drawn = pixels[8 * row : 8 * row + 8, 8 * column : 8 * column + 8]
                torch.testing.assert_close(patch, drawn.flatten())
                num_players += (row, column) == play.board.player
    assert num_players == 21


@pytest.mark.parametrize("room", [0, 1, 9])
def test_a_network_that_trains_on_learns_the_words_that_the_grammar_has_since_got(
    room: int,
) -> None:
    config = replace(tiny(), vocabulary_size=FEWER.vocabulary_size + room)
    start = InstructionNet(config, FEWER)
    after = (*FEWER.words, *("kiste", "leftmost")[:room])
    system = make_system(config, grow(config, start))
    assert system.words.words == after
    # Saved and read again it has them.
    model = system.initial_model()
    model.load_state_dict(start.state_dict())
    assert tokenizer_of(model).words == after


@pytest.mark.usefixtures("small_drawings")
def test_a_run_that_began_before_the_grammar_grew_goes_on_with_its_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def words_after(name: str, *options: str) -> tuple[str, ...]:
        run = str(tmp_path / name)
        words = ["train", "instructions", "--device", "cpu", "--output", run, *options]
        assert cli.main(words) == 0
        model, _ = load(run, system="instructions")
        assert isinstance(model, InstructionNet)
        return tokenizer_of(model).words

    begin = ("--preset", "tiny", "--steps", "1")
    further = (*begin, "--start-from", str(tmp_path / "first"))
    with monkeypatch.context() as patch:
        patch.setattr("tokoban.systems.instructions.train.grammar_words", lambda: FEWER)
        assert words_after("first", *begin) == FEWER.words
        assert words_after("second", *further) == FEWER.words
    assert words_after("second", "--resume", "--steps", "2") == FEWER.words
    assert words_after("third", *further) == (*FEWER.words, "kiste", "leftmost")
