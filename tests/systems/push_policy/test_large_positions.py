"""Boards of any size: features as of 8x8 words, symmetries, padding, batches and the loss."""

import itertools
import random
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tests.sokoban.brute_force import Shape, random_boards
from tests.sokoban.labels.play_of import label_all, packed
from tokoban.sokoban.board import Board, Direction, Square
from tokoban.sokoban.encoding.boards import Boards
from tokoban.sokoban.encoding.encoded import Encoded, collated, seen
from tokoban.sokoban.encoding.features import BOUND_FALLS, CAN_PUSH, HAS_PLAYER, IS_UNBOUNDED
from tokoban.sokoban.encoding.tokens import Tokens
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.labels.large import After, LargeOrigin, label_level
from tokoban.sokoban.labels.large_shards import LargeShard, pack_large, read_large_shard
from tokoban.sokoban.labels.shards import pack, read_shard, to_bytes
from tokoban.sokoban.labels.sources import LargeLevel
from tokoban.sokoban.puzzles.generate import generate_puzzles
from tokoban.sokoban.puzzles.puzzle import Recipe
from tokoban.sokoban.search.level.ground import UNREACHABLE, Squares, build_ground
from tokoban.sokoban.search.searches.guided.guide import Guidance
from tokoban.sokoban.symmetry import SYMMETRIES, Symmetry
from tokoban.systems.push_policy import config as presets
from tokoban.systems.push_policy import dataset, large_positions
from tokoban.systems.push_policy.batches import Batch
from tokoban.systems.push_policy.config import PushPolicyConfig
from tokoban.systems.push_policy.guide import as_judge, judged
from tokoban.systems.push_policy.model import PushNet, PushOutput
from tokoban.systems.push_policy.positions import positions_of, tokens_of
from tokoban.systems.push_policy.results import (
    DEADLOCK_CLASS,
    ILLEGAL,
    MOST_EXCESS,
    NO_CLASS,
    NUM_CLASSES,
    NUM_RESULTS,
    UNKNOWN,
)
from tokoban.systems.push_policy.train import counts_of, loss_of, make_system

BOARDS = [
    board
    for board in random_boards(Shape(5, 5, 3, is_closed=True), 16, seed=43)
    if not board.is_solved and board.boxes | board.goals <= board.inside()
]
WIDE = parse_board("############|#          #|#.$  @    #|##$      ##|#.   ########|######")


def tokens_of_board(board: Board) -> Tokens:
    squares = Squares(board)
    return Tokens(squares, build_ground(board, squares))


def squares_of(word: int) -> frozenset[Square]:
    return frozenset(Square(cell // 8, cell % 8) for cell in range(64) if word >> cell & 1)


def position_of(board: Board) -> tuple[np.ndarray, np.ndarray]:
    """The boxes and the zone of one position, [1, F]."""
    squares, area = Squares(board).squares, board.area()
    boxes = np.array([[square in board.boxes for square in squares]])
    return boxes, np.array([[square in area for square in squares]])


def features_of(board: Board) -> np.ndarray:
    """Those of one position, [1, F, 17]."""
    return tokens_of_board(board).features(*position_of(board))[0]


def shard_of(boards: list[Board]) -> LargeShard:
    found = []
    for board in boards:
        labels = label_level(
            board, None, rng=random.Random(0), num_states=16, stop=threading.Event()
        )
        assert labels is not None
        found.append(labels)
    levels = [LargeLevel(board, 0, number, None) for number, board in enumerate(boards)]
    return pack_large(levels, found)


def test_with_more_boxes_than_goals_every_push_is_hopeless() -> None:
    """Not matched at all: the search for a pair of each box would not end."""
    board = parse_board("######|#@$.##|#  $ #|######")
    [features], [bound] = tokens_of_board(board).features(*position_of(board))
    assert bound == UNREACHABLE and features[:, CAN_PUSH : CAN_PUSH + 4].any()
    hopeless = features[:, IS_UNBOUNDED : IS_UNBOUNDED + 4]
    assert np.array_equal(hopeless, features[:, CAN_PUSH : CAN_PUSH + 4])


def test_features_of_any_board_are_those_of_8x8_words() -> None:
    shard = pack(packed(BOARDS), label_all(BOARDS))
    words, _ = positions_of(shard)
    assert len(words) > 50
    symmetries = np.arange(len(words)) % 8
    features, neighbours, coordinates = tokens_of(words, symmetries, 64)
    assert features.any(axis=(0, 1)).all()  # each feature is somewhere
    for row, (floor, goals, boxes, zone) in enumerate(words[:, :4].tolist()):
        player = min(squares_of(zone))
        walls = squares_of(~floor & 2**64 - 1)
        board = Board(8, 8, walls, squares_of(goals), squares_of(boxes), player)
        own = features_of(board)
        image = seen(collated([tokens_of_board(board)], [own]), int(symmetries[row]))
        num_squares = floor.bit_count()
        found, expected = image.features[0], features[row, :num_squares].copy()
        expected[:, HAS_PLAYER] = found[:, HAS_PLAYER]
        assert np.array_equal(found, expected)
        around = neighbours[row, :num_squares]
        assert np.array_equal(image.neighbours[0], np.where(around == 64, num_squares, around))
        corner = coordinates[row, :num_squares].min(axis=0)
        assert np.array_equal(image.coordinates[0], coordinates[row, :num_squares] - corner)


def drawn(boards: Encoded) -> frozenset[tuple]:
    """The squares of one position, each with its place, its features and the places around it."""
    places = [tuple(place) for place in boards.coordinates[0].tolist()]
    around = [
        tuple(places[other] if other < len(places) else None for other in row)
        for row in boards.neighbours[0].tolist()
    ]
    # Where the player stands in its zone is the first square, which no symmetry keeps.
    kept = np.delete(boards.features[0], HAS_PLAYER, axis=1).tolist()
    return frozenset(zip(places, map(tuple, kept), around, strict=True))


def test_images_of_a_position_are_the_positions_of_the_images_of_the_board() -> None:
    boards = collated([tokens_of_board(WIDE)], [features_of(WIDE)])
    mine = {drawn(seen(boards, view)) for view in range(8)}
    images = [symmetry.of_board(WIDE) for symmetry in SYMMETRIES]
    assert len(mine) == 8
    assert mine == {
        drawn(collated([tokens_of_board(image)], [features_of(image)])) for image in images
    }


@pytest.fixture(scope="module")
def levels() -> list[Board]:
    recipe = Recipe(rows=9, columns=13, num_boxes=3, measures_choices=False)
    return [WIDE, *(puzzle.board for puzzle in generate_puzzles(3, recipe, seed=3))]


@pytest.fixture(scope="module")
def folder(levels: list[Board], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two large shards and one of 8x8 interiors."""
    path = tmp_path_factory.mktemp("labels")
    for number, boards in enumerate((levels[:2], levels[2:])):
        content = to_bytes(shard_of(boards), {})
        (path / f"large-{number:05d}.safetensors").write_bytes(content)
    (path / "00000.safetensors").write_bytes(to_bytes(pack(packed(BOARDS), label_all(BOARDS)), {}))
    return path


@pytest.mark.parametrize("symmetry", SYMMETRIES[1:])
def test_judgements_over_all_views_are_the_same_for_each_image(symmetry: Symmetry) -> None:
    torch.manual_seed(5)
    judge = as_judge(PushNet(presets.tiny()))

    def judgement(board: Board) -> tuple[Guidance, Squares]:
        squares = Squares(board)
        tokens = Tokens(squares, build_ground(board, squares))
        features, bounds = tokens.features(*position_of(board))
        return judged(judge, collated([tokens], [features]), bounds, num_views=8), squares

    (mine, squares), (theirs, turned) = judgement(WIDE), judgement(symmetry.of_board(WIDE))
    np.testing.assert_allclose(mine.pushes_left, theirs.pushes_left, rtol=1e-4)
    np.testing.assert_allclose(mine.deadlocked, theirs.deadlocked, rtol=1e-4)
    for number, square in enumerate(squares.squares):
        # The image of a square, by a board with a goal there.
        [image] = symmetry.of_board(replace(WIDE, goals=frozenset({square}))).goals
        for direction in Direction:
            push = 0, turned.number[image], int(symmetry.of_actions(torch.tensor(direction)))
            for one, other in (
                (mine.log_policy, theirs.log_policy),
                (mine.push_deadlocks, theirs.push_deadlocks),
            ):
                np.testing.assert_allclose(one[0, number, direction], other[push], rtol=1e-4)


def test_results_and_values_of_a_batch_are_those_of_the_labels(levels: list[Board]) -> None:
    shard = shard_of(levels)
    every = large_positions.Levels([Path("x")], [shard])
    table = every.every_position()
    assert len(table) == len(shard)
    batch = every.batch(table, 0)
    for state in range(len(shard)):
        position = shard.position(state)
        board = shard.board(state)
        features = torch.from_numpy(features_of(board)[0])
        assert torch.equal(batch.boards.features[state, : len(features)], features)
        assert not batch.boards.features[state, len(features) :].any()
        codes = {After.UNKNOWN: UNKNOWN, After.ILLEGAL: ILLEGAL}
        for number, code in enumerate(position.after):
            found = batch.results[state, position.boxes[number // 4], number % 4]
            assert found == codes.get(code, int(code))
        num_legal = sum(code != After.ILLEGAL for code in position.after)
        assert (batch.results[state] != ILLEGAL).sum() == num_legal
        if position.origin == LargeOrigin.DEADLOCKED:
            assert batch.value[state] == DEADLOCK_CLASS
        else:
            assert 0 <= batch.value[state] <= MOST_EXCESS


def test_results_are_turned_with_the_board(levels: list[Board]) -> None:
    every = large_positions.Levels([Path("x")], [shard_of(levels[:1])])
    table = every.every_position()
    for symmetry in range(8):
        batch = every.batch(table, symmetry)
        is_legal = batch.boards.features[:, :, CAN_PUSH : CAN_PUSH + 4] != 0
        assert torch.equal(batch.results != ILLEGAL, is_legal)
        # A push along which the bound falls is optimal far more often than not in so easy a level.
        falls = batch.boards.features[:, :, BOUND_FALLS : BOUND_FALLS + 4] != 0
        assert (batch.results[falls] == 0).float().mean() > 0.5


def test_unknown_pushes_and_bounds_have_no_part_in_the_loss() -> None:
    results = torch.tensor([[[0, 2, UNKNOWN, ILLEGAL]], [[UNKNOWN, UNKNOWN, 3, ILLEGAL]]])
    features = torch.zeros(2, 1, 17, dtype=torch.uint8)
    boards = Boards(
        features, torch.ones(2, 1, 9, dtype=torch.int32), torch.zeros(2, 1, 2, dtype=torch.int16)
    )
    batch = Batch(boards, results.to(torch.int8), torch.tensor([NO_CLASS, 2]).to(torch.int16))
    # The push to choose of the first position begins the best solution known, perhaps no optimal.
    assert counts_of(batch).tolist() == [1, 2, 1]
    logits = [
        torch.zeros(2, 1, 4, requires_grad=True),
        torch.zeros(2, 1, 4, NUM_RESULTS, requires_grad=True),
        torch.zeros(2, NUM_CLASSES, requires_grad=True),
    ]
    config = replace(presets.tiny(), value_weight=1.0)
    loss = loss_of(PushOutput(*logits), batch, config)
    loss.total.backward()
    push, result, value = (torch.zeros(0) if each.grad is None else each.grad for each in logits)
    # One of three legal pushes is optimal: -log(1/3) falls by 2/3 with its logit.
    torch.testing.assert_close(push[0, 0], torch.tensor([-2 / 3, 1 / 3, 1 / 3, 0.0]))
    assert not push[1].any() and not value[0].any() and value[1].any()
    is_judged = result.abs().sum(-1) > 0
    assert is_judged.flatten().tolist() == [
        False, True, False, False, False, False, True, False
    ]  # fmt: skip


def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dataset, "_BATCHES_A_DRAWING", 16)


def batches_from(config: PushPolicyConfig, step: int) -> Callable[[int], list[Batch]]:
    system = make_system(config)
    model = PushNet(config)
    batches = system.train_batches(model, start_step=step)
    return lambda count: [*itertools.islice(batches, count)]


def test_a_share_of_the_batches_is_of_large_levels_and_any_can_be_the_first(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    small(monkeypatch)
    config = replace(presets.tiny(), labels=(str(folder),), large_share=0.25)
    batches = batches_from(config, 0)(37)
    assert capsys.readouterr().err == (
        f"tokoban: {folder}: the labels are not finished; the files that are there are used\n"
        "1 shard of labels and 2 of larger levels\n"
    )
    is_large = [len(batch.value) < 16 for batch in batches]
    assert [sum(is_large[:16]), sum(is_large[16:32])] == [4, 4]
    for batch, large in zip(batches, is_large, strict=True):
        if large:
            assert batch.boards.is_square.sum() <= 16 * 36
    make_system(replace(config, large_share=0.0))
    told = "1 shard of labels and 2 of larger levels, which are left out (large_share is 0)"
    assert capsys.readouterr().err.splitlines()[-1] == told
    later = batches_from(config, 21)(16)
    for one, other in zip(batches[21:], later, strict=True):
        assert all(map(torch.equal, one.boards, other.boards))
        assert torch.equal(one.results, other.results) and torch.equal(one.value, other.value)


@pytest.mark.parametrize(
    ("file", "array"),
    [
        ("00000", "level_ends"),
        ("00000", "level_goals"),
        ("00000", "player"),
        ("00000", "boxes"),
        ("large-00000", "level_ends"),
        ("large-00000", "level_floor_ends"),
        ("large-00000", "boxes"),
        ("large-00000", "player"),
        ("large-00000", "floor_is_goal"),
    ],
)
def test_arrays_that_do_not_fit_each_other_are_refused(
    folder: Path, tmp_path: Path, file: str, array: str
) -> None:
    """Compiled code would read and write beside its arrays."""
    is_large = file.startswith("large")
    path = folder / f"{file}.safetensors"
    shard = read_large_shard(path) if is_large else read_shard(path)
    assert shard.is_consistent
    changed = getattr(shard, array).copy()
    changed[-1] = np.iinfo(changed.dtype).max >> 1
    changes: dict[str, Any] = {array: changed}
    part = tmp_path / f"{file}.safetensors"
    part.write_bytes(to_bytes(replace(shard, **changes), {}))
    config = replace(presets.tiny(), labels=(str(tmp_path),), large_share=float(is_large))
    with pytest.raises(ValueError, match=f"{file}.* labels whose arrays do not fit each other"):
        batches_from(config, 0)(1)


@pytest.mark.parametrize("file", ["00000", "large-00000"])
def test_labels_below_the_lower_bound_are_refused(folder: Path, tmp_path: Path, file: str) -> None:
    is_large = file.startswith("large")
    path = folder / f"{file}.safetensors"
    shard = read_large_shard(path) if is_large else read_shard(path)
    changes: dict[str, Any] = {"pushes_left": np.minimum(shard.pushes_left, 0)}
    part = tmp_path / path.name
    part.write_bytes(to_bytes(replace(shard, **changes), {}))
    config = replace(presets.tiny(), labels=(str(tmp_path),), large_share=float(is_large))
    with pytest.raises(
        ValueError, match=f"{file}.*: labels of fewer pushes left than any solution"
    ):
        batches_from(config, 0)(1)


def test_a_level_whose_squares_are_not_connected_is_refused(levels: list[Board]) -> None:
    shard = shard_of(levels[:1])
    for row in (int(shard.floor_row[-1]) + 2, 2**16 - 1):
        rows = shard.floor_row.copy()
        rows[-1] = row
        hostile = large_positions.Levels([Path("x")], [replace(shard, floor_row=rows)])
        with pytest.raises(ValueError, match="x: labels of a level whose squares are not"):
            hostile.batch(hostile.every_position(), 0)
