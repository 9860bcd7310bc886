"""Plays, their labels, and obedience: every claim is checked by the rules and the machine."""

import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from tokoban import cli
from tokoban.sokoban.board import Board, Direction, Square
from tokoban.sokoban.encoding.features import DIRECTIONS
from tokoban.sokoban.instructions import benchmark
from tokoban.sokoban.instructions.grammar import parse
from tokoban.sokoban.instructions.machine import Cells, Machine, build_machine, obeys
from tokoban.sokoban.instructions.meaning import Box
from tokoban.sokoban.instructions.naming import find_box
from tokoban.sokoban.instructions.play import Followed, Play, followed
from tokoban.sokoban.instructions.truth import Truth, pushed, truth_of
from tokoban.sokoban.search.limits import Limits
from tokoban.sokoban.symmetry import SYMMETRIES
from tokoban.systems.instructions import obey
from tokoban.systems.instructions.config import tiny
from tokoban.systems.instructions.dataset import examples_of, marks_of, positions
from tokoban.systems.instructions.model import InstructionNet
from tokoban.systems.instructions.obey import (
    Search,
    Task,
    answer,
    answer_all,
    for_network,
    judged,
    obey_all,
)
from tokoban.systems.instructions.prompts import BEST, LOST, MIRRORS, Encoder, mirrored, prompt_of
from tokoban.systems.instructions.words import Words, grammar_words
from tokoban.text.saved import tokenizer_of

UNEVEN = Board.from_xsb("########|####  .#|##   $ #|## $@ ##|##    ##|# .  ###|########")
ROOM = Board.from_xsb("#######|#  .  #|#@$ $.#|#     #|#######")


@pytest.fixture(scope="module")
def drawn() -> list[tuple[str, Truth]]:
    """Sentences about small levels, half of which can be obeyed."""
    found = []
    for number, board in enumerate([ROOM, benchmark.boards(2, seed=7)[True][0]]):
        split = benchmark.SPLITS["train"]
        for text, _, truth in benchmark.instructions(random.Random(number), board, split):
            found.append((text, truth))
    return found


@pytest.fixture(scope="module")
def model() -> InstructionNet:
    torch.manual_seed(0)
    return InstructionNet(tiny(), grammar_words()).eval()


def test_best_pushes_are_a_shortest_obedient_solution_and_there_are_none_without_one(
    drawn: list[tuple[str, Truth]],
) -> None:
    num_finished = 0
    for _, truth in drawn:
        cells, machine = truth.graph.cells, truth.machine
        outlooks = dict(
            pair for seed in range(150) for pair in positions(truth, random.Random(seed))
        )
        assert all([*outlook] == play.pushes() for play, outlook in outlooks.items())
        labels = {
            play: [push for push, label in outlook.items() if label == BEST]
            for play, outlook in outlooks.items()
        }
        if truth.fewest_pushes is None:
            assert not any(labels.values())
            continue
        assert not all(labels.values())  # errors make it impossible
        now, num_pushes = Followed(Play.of(cells.board), machine.start, ()), 0
        while best := labels.get(now.play, []):
            then = followed(cells, machine, now, best[-1])
            assert then is not None
            now, num_pushes = then, num_pushes + 1
        if num_pushes == truth.fewest_pushes:
            num_finished += 1
            assert obeys(cells, machine, now.moves)
        assert num_pushes <= truth.fewest_pushes
    assert num_finished > 1


def test_a_push_is_lost_where_no_play_behind_it_obeys(drawn: list[tuple[str, Truth]]) -> None:
    """Tried out, play by play, of each push at the start."""
    found = set()
    for _, truth in drawn:
        cells, machine = truth.graph.cells, truth.machine
        start = Followed(Play.of(cells.board), machine.start, ())
        outlook = next(
            outlook
            for seed in range(200)
            for play, outlook in positions(truth, random.Random(seed))
            if play == start.play
        )
        for push in start.play.pushes():
            is_kept = _can_obey(cells, machine, followed(cells, machine, start, push))
            assert is_kept == (outlook[push] != LOST)
            found.add(is_kept)
    assert found == {True, False}


def _can_obey(cells: Cells, machine: Machine, first: Followed | None) -> bool:
    waiting, seen = [first], set()
    while waiting:
        now = waiting.pop()
        if now is None:
            continue
        if now.play.board.is_solved and machine.accepts[now.state]:
            return True
        key = now.state, now.play.origins, min(now.play.board.area())
        if key not in seen:
            seen.add(key)
            waiting += [followed(cells, machine, now, push) for push in now.play.pushes()]
    return False


def test_names_are_marked_where_their_boxes_are_now() -> None:
    play = Play.of(ROOM).push(Square(2, 2), Direction.RIGHT)
    encoder = Encoder(ROOM)
    text = "push the left box to the upper goal last and do not touch the nearest box until the"
    marks = marks_of(encoder, play, parse(f"{text} right box is on a goal").meaning)
    at = {
        square: int(marks[number])
        for number, square in enumerate(encoder.squares.squares)
        if marks[number]
    }
    # The left box is the nearest one too: bits 0 and 4 on the square that it came to; the upper
    # goal is bit 1 and, as a goal, bit 7; the right box bit 6.
    assert at == {
        Square(2, 3): 1 | 1 << 4,
        Square(1, 3): 1 << 1 | 1 << 7,
        Square(2, 4): 1 << 6,
        Square(2, 5): 1 << 7,
    }


def test_greedy_play_passes_over_a_push_that_leads_back() -> None:
    """One box in a room: left, and then not right again, though that is likelier than down."""
    board = Board.from_xsb("#######|#     #|#     #|# @$ .#|#     #|#     #|#######")
    cells = Cells.of(board, ())
    search = Search(Task(cells, build_machine(cells, ()), ""), [])
    node = search.take()
    for row, column, likely, then in (
        (3, 3, [Direction.LEFT, Direction.DOWN], Square(3, 2)),
        (3, 2, [Direction.RIGHT, Direction.DOWN], Square(4, 2)),
    ):
        push = np.full((len(search.encoder.squares.squares), 4), -np.inf, np.float32)
        token = search.encoder.squares.number[Square(row, column)]
        for place, direction in enumerate(likely):
            push[token, direction] = -1.0 - place
        assert node is not None
        search.expand(node, push, is_greedy=True)
        node = search.take()
        assert node is not None and node.now.play.board.boxes == {then}
    assert search.take() is None


def test_a_search_goes_on_for_a_shorter_solution() -> None:
    """The likely pushes lead around, and to a square that others reach in fewer."""
    board = Board.from_xsb("#######|#     #|#     #|#@$  .#|#     #|#######")
    up, down, right = Direction.UP, Direction.DOWN, Direction.RIGHT
    likely = {(3, 2): up, (2, 2): right, (2, 3): right, (2, 4): down, (3, 3): right, (3, 4): right}
    cells = Cells.of(board, ())
    search = Search(Task(cells, build_machine(cells, ()), ""), [])
    numbers, lengths = search.encoder.squares.number, []
    while node := search.take():
        push = np.full((len(numbers), 4), -np.inf, np.float32)
        [box] = node.now.play.board.boxes
        push[numbers[box], likely[box]] = 0.0
        if box == (3, 2):
            push[numbers[box], right] = -9.0
        search.expand(node, push, is_greedy=False)
        if search.moves:
            lengths.append(search.num_pushes)
    assert (lengths[0], lengths[-1], search.num_evaluated) == (5, 3, 7)


@pytest.mark.parametrize("view", MIRRORS)
def test_the_image_of_an_image_is_the_prompt_whatever_is_padded(view: int) -> None:
    words = grammar_words()
    texts = [words.encode(text) for text in ("push the left box to the lower goal first", "end")]
    inside = Board.from_xsb("########|########|###  .##|### $@##|########")  # begins further on
    plays = [
        Play.of(inside).push(Square(3, 4), Direction.LEFT),
        Play.of(UNEVEN).push(Square(3, 3), Direction.LEFT),
    ]
    encoded = [Encoder(play.start).encode([play])[0] for play in plays]
    both = prompt_of(encoded, texts)
    again = mirrored(mirrored(both, view, words), view, words)
    for row, (play, text) in enumerate(zip(encoded, texts, strict=True)):
        alone = prompt_of([play], [text])
        image = mirrored(alone, view, words)
        for one, other in ((alone, again), (image, mirrored(both, view, words))):
            num_squares, num_words = one.origins.shape[1], len(text)
            assert torch.equal(one.words[0], other.words[row, :num_words])
            assert torch.equal(one.origins[0], other.origins[row, :num_squares])
            assert torch.equal(one.history[0], other.history[row, :num_squares])
            for part in ("features", "coordinates"):
                mine, others = getattr(one.boards, part), getattr(other.boards, part)
                assert torch.equal(mine[0], others[row, :num_squares])
    if view == 0:
        assert torch.equal(both.origins, again.origins)


@pytest.mark.parametrize(
    ("view", "text"),
    [
        (0, "push the left box to the top goal"),
        (4, "push the right box to the top goal"),
        (6, "push the left box to the bottom goal"),
        (2, "push the right box to the bottom goal"),
    ],
)
def test_a_play_and_its_mirror_image_are_judged_alike(
    model: InstructionNet, view: int, text: str
) -> None:
    symmetry, words = SYMMETRIES[view], tokenizer_of(model)
    assert DIRECTIONS[view].tolist() == symmetry.of_actions(torch.arange(4)).tolist()
    play = Play.of(UNEVEN).push(Square(3, 3), Direction.LEFT)
    image = Play.of(symmetry.of_board(UNEVEN))
    [box] = symmetry.of_board(replace(UNEVEN, boxes=frozenset([Square(3, 3)]))).boxes
    image = image.push(box, Direction(DIRECTIONS[view, Direction.LEFT]))
    judgements = []
    for each, said in ((play, "push the left box to the top goal"), (image, text)):
        encoder = Encoder(each.start)
        prompt = prompt_of([encoder.encode([each])[0]], [words.encode(said)])
        push, impossible = judged(model, prompt)
        judgements.append((each, encoder.squares.number, push[0], impossible))
    (_, number, push, impossible), (then, other_number, other_push, also) = judgements
    np.testing.assert_allclose(impossible, also, rtol=1e-4)
    assert len(play.pushes()) == len(then.pushes()) > 1
    for square, way in play.pushes():
        [there] = symmetry.of_board(replace(UNEVEN, boxes=frozenset([square]))).boxes
        found = other_push[other_number[there], DIRECTIONS[view, way]]
        assert push[number[square], way] == pytest.approx(found, rel=1e-4)
    assert np.exp(push).sum() == pytest.approx(1, rel=1e-4)


def test_an_untrained_network_that_may_evaluate_all_obeys_in_the_fewest_pushes(
    model: InstructionNet, drawn: list[tuple[str, Truth]]
) -> None:
    tasks = [Task(truth.graph.cells, truth.machine, text) for text, truth in drawn]
    for task, (_, truth), found in zip(
        tasks, drawn, obey_all(model, tasks, most_evaluated=10**6), strict=True
    ):
        assert 0 < found.impossible < 1
        if truth.fewest_pushes is None:
            assert found.moves is None
        else:
            assert found.moves is not None and found.num_pushes == truth.fewest_pushes
            assert obeys(task.cells, task.machine, found.moves)


def test_a_word_that_the_network_lacks_is_read_as_the_usual_ones() -> None:
    torch.manual_seed(0)
    lacking = ("leftmost", "oberste")
    words = Words([word for word in grammar_words().words if word not in lacking])
    network = InstructionNet(tiny(), words).eval()
    for lacked, usual in (
        ("push the leftmost box last", "push the left box last"),
        ("Schieb die oberste Kiste zuletzt.", "schiebe die obere kiste zuletzt"),
        ("is the leftmost box on a goal?", "is the left box on a goal"),
    ):
        assert for_network(network, ROOM, lacked) == usual
        assert for_network(network, ROOM, usual) == usual
    # Its words are known, but training has them in other phrases.
    only = "only push the left box after the right box"
    assert for_network(network, ROOM, only) == "push the right box before the left box"
    row, column = (number + 1 for number in find_box(ROOM, Box.RIGHT))
    there = f"push the box in row {row}, column {column} last"
    assert for_network(network, ROOM, there) == "push the right box last"
    with pytest.raises(ValueError, match='"the square in row 2 column 2" has no other name here'):
        for_network(network, ROOM, "end in row 2, column 2")
    predicted = {
        name: answer(network, ROOM, f"push the {name} box last", Limits(max_expansions=1))[1]
        for name in ("left", "leftmost", "right")
    }
    assert predicted["leftmost"] == predicted["left"] != predicted["right"]


def test_a_network_that_answers_a_question_with_a_push_is_asked_for_a_solution() -> None:
    torch.manual_seed(0)
    network = InstructionNet(tiny(), grammar_words()).eval().requires_grad_(False)
    cells = Cells.of(ROOM, ())
    [play] = obey_all(network, [Task(cells, build_machine(cells, ()), "")], most_evaluated=100)
    assert play.moves is not None
    lost = Board.from_xsb("######|# $ @#|#    #|# .  #|######")
    asked = [(board, "how many pushes are left?") for board in (ROOM, lost, ROOM)]
    said = []
    for pushes_more in (-50, 50):  # than words
        network.push.bias.fill_(pushes_more)
        said.append(answer_all(network, asked))
    (words, of_lost, _), shown = said
    assert words != f"{play.num_pushes}"
    assert shown == [f"{play.num_pushes}", of_lost, f"{play.num_pushes}"]


@pytest.mark.parametrize(
    ("said", "solvable"),
    [("5", "ja"), ("keine lösung", "nein"), ("unmöglich", "nein")],
)
def test_whether_there_is_a_solution_follows_from_how_many_pushes_it_has(
    said: str, solvable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def say(model: object, questions: list[tuple[Board, str]]) -> list[str]:
        asked.extend(text for _, text in questions)
        return [said]

    monkeypatch.setattr(obey, "answer_all", say)
    network = InstructionNet(tiny(), grammar_words())
    assert obey.answer_to(network, ROOM, "Ist es noch lösbar?") == solvable
    assert obey.answer_to(network, ROOM, "Ist es verloren?") != solvable
    assert asked == ["wie viele schübe fehlen"] * 2


def test_of_a_question_with_demands_the_networks_search_finds_the_answer() -> None:
    network = InstructionNet(tiny(), grammar_words()).eval()
    fewest = truth_of(ROOM, parse("push the left box last").meaning).fewest_pushes
    for question, expected in (
        ("how many pushes are left if I push the left box last", f"{fewest}"),
        ("can it be solved with the left box last", "yes"),
        ("can it be solved without touching the left box", "no"),
        ("is it lost if I do not touch the left box", "yes"),
    ):
        assert obey.answer_to(network, ROOM, question) == expected


def test_asked_for_the_pushes_left_an_example_shows_a_first_push_of_a_shortest_solution() -> None:
    words, truth, encoder = grammar_words(), truth_of(ROOM, ()), Encoder(ROOM)
    best = {pushed(truth.graph, push) for push in truth.best_pushes(0, truth.machine.start)}
    [start] = encoder.encode([Play.of(ROOM)])
    num_at_start = 0
    for seed in range(20):
        for example in examples_of(ROOM, random.Random(seed), words, readings=0):
            text = words.decode(example.words)
            if not text.startswith(("how many pushes", "how many more", "wie viele schübe")):
                continue
            shown = {
                (encoder.squares.squares[token], Direction(way))
                for token, way, _ in example.outlook
            }
            said = words.decode(example.answer[:-1])
            assert bool(shown) != (said in ("0", "no solution", "keine lösung"))
            if np.array_equal(example.play.history, start.history):
                assert shown == best
                num_at_start += 1
    assert num_at_start > 5


@pytest.mark.parametrize(
    ("said", "limits", "reason"),
    [
        (
            "do not push the left box",
            Limits(max_expansions=1),
            "no push is left to try after 1 position",
        ),
        ("push the left box last", Limits(max_expansions=1), "not within 1 position"),
        ("push the left box last", Limits(time_limit_s=0), "0 s"),
    ],
)
def test_a_play_that_finds_nothing_says_whether_pushes_are_left(
    model: InstructionNet, said: str, limits: Limits, reason: str
) -> None:
    board = Board.from_xsb("######|#@$ .#|######")
    found, predicted = answer(model, board, said, limits)
    assert (found.status, found.reason) == ("gave up", reason)
    assert (predicted is None) == (found.num_evaluated == 0)


def test_positions_that_forbidden_squares_part_are_not_one() -> None:
    board = Board.from_xsb("######|## .@#|#  $ #|# # ##|#    #|######")
    cells, text = Cells.of(board, board.boxes), "stay out of the goals"
    for seed in range(8):
        torch.manual_seed(seed)
        untrained = InstructionNet(tiny(), grammar_words()).eval()
        task = Task(cells, build_machine(cells, parse(text).meaning), text)
        [found] = obey_all(untrained, [task], most_evaluated=10**4)
        assert found.moves is not None


@pytest.mark.parametrize("is_greedy", [True, False])
def test_tasks_side_by_side_are_played_as_each_alone(
    model: InstructionNet, drawn: list[tuple[str, Truth]], is_greedy: bool
) -> None:
    tasks = [Task(truth.graph.cells, truth.machine, text) for text, truth in drawn]
    together = obey_all(model, tasks, most_evaluated=9, is_greedy=is_greedy)
    assert len({found.num_evaluated for found in together}) > 1
    for task, found in zip(tasks, together, strict=True):
        [alone] = obey_all(model, [task], most_evaluated=9, is_greedy=is_greedy)
        assert (alone.moves, alone.num_evaluated) == (found.moves, found.num_evaluated)
        assert alone.impossible == pytest.approx(found.impossible, rel=1e-4)


@pytest.mark.usefixtures("small_drawings")
def test_a_training_can_be_evaluated(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    train = ["--steps", "1", "--device", "cpu", "--output", f"{tmp_path}/run"]
    assert cli.main(["train", "instructions", "--preset", "tiny", *train]) == 0
    capfd.readouterr()
    evaluation = ["--levels", "2", "--most-evaluated", "2", "--words", "shuffled"]
    out = ["--board", "hidden", "--weights", f"{tmp_path}/run", "--device", "cpu"]
    assert cli.main(["evaluate", "instructions", *evaluation, *out]) == 0
    printed = capfd.readouterr().out
    for name in ("levels_obeyed", "clauses_impossible_auc", "questions_answered"):
        assert name in printed
