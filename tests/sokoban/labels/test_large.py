"""Labels of levels of any size: those of brute force, the same bytes, kept apart."""

import random
import threading
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

from tests.sokoban.brute_force import Shape, pushes_of, random_boards, reachable, to_go
from tests.sokoban.labels.page import check_page
from tests.sokoban.labels.test_folder import contents
from tokoban.sokoban.board import Board, Direction
from tokoban.sokoban.canonical import canonical_form
from tokoban.sokoban.formats import Level, Solution, write_levels
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.labels import large
from tokoban.sokoban.labels.folder import LabelFolder
from tokoban.sokoban.labels.job import LabelConfig, read_job
from tokoban.sokoban.labels.large import After, LargeLabels, LargeOrigin, LargePosition, label_level
from tokoban.sokoban.labels.large_shards import LargeShard, pack_large, read_large_shard
from tokoban.sokoban.labels.shards import read_about, to_bytes
from tokoban.sokoban.labels.sources import LargeLevel
from tokoban.sokoban.puzzles.generate import generate_puzzles
from tokoban.sokoban.puzzles.puzzle import Recipe
from tokoban.sokoban.search.bitboard.driver import Verdict
from tokoban.sokoban.search.bitboard.labels import DEADLOCKED
from tokoban.sokoban.search.combine.solver import solve
from tokoban.sokoban.search.level.ground import Squares
from tokoban.sokoban.search.limits import Limits
from tokoban.sokoban.symmetry import SYMMETRIES, Symmetry
from tokoban.sokoban.work import Workers

BOARDS = [
    # One of its pushes costs more than two further ones.
    parse_board("######|#  # #|#    #|# @$ #|# #. #|######"),
    *(
        board
        for board in random_boards(Shape(3, 5, 2, is_closed=True), 20, seed=41)
        if not board.is_solved
    ),
]
WIDE = "############|#          #|#.$  @    #|##$      ##|#.   ########|######"


def labels_of(
    board: Board, given: Sequence[Direction] | None = None, *, num_states: int = 23
) -> LargeLabels:
    rng, stop = random.Random(0), threading.Event()
    found = label_level(board, given, rng=rng, num_states=num_states, stop=stop)
    assert found is not None
    return found


def shard_of(boards: list[Board]) -> LargeShard:
    levels = [LargeLevel(board, 0, number, None) for number, board in enumerate(boards)]
    return pack_large(levels, [labels_of(board) for board in boards])


def board_of(level: Board, position: LargePosition) -> Board:
    squares = Squares(level).squares
    never_reached = level.boxes.difference(squares)
    boxes = never_reached.union(squares[box] for box in position.boxes)
    return replace(level, boxes=boxes, player=squares[position.player])


def check(board: Board, position: LargePosition, total: dict[Board, int]) -> None:
    """Compares with ``total``, the pushes left by every possible play."""
    left = total.get(board, DEADLOCKED)
    if position.origin == LargeOrigin.BOUND:
        assert left <= position.pushes_left < DEADLOCKED
    else:
        assert position.pushes_left == left
    boxes = sorted(board.boxes)
    after = {4 * boxes.index(box) + way: later for (box, way), later in pushes_of(board).items()}
    for number, code in enumerate(position.after):
        assert (code == After.ILLEGAL) == (number not in after)
        if code in (After.ILLEGAL, After.UNKNOWN):
            continue
        later = total.get(after[number], DEADLOCKED)
        assert (code == After.DEADLOCKED) == (later == DEADLOCKED)
        if later == DEADLOCKED:
            continue
        if position.origin == LargeOrigin.BOUND:
            assert later < position.pushes_left
        else:
            assert code == min((later + 1 - left) // 2, 2)


def test_labels_are_what_every_possible_play_says() -> None:
    origins: set[LargeOrigin] = set()
    codes: set[After] = set()
    for board in BOARDS:
        total = to_go(reachable(board), "pushes")
        labels = labels_of(board)
        assert labels.verdict == (Verdict.SOLVED if board in total else Verdict.UNSOLVABLE)
        for position in labels.positions:
            origins.add(position.origin)
            codes.update(position.after)
            check(board_of(board, position), position, total)
    assert origins == {LargeOrigin.SOLUTION, LargeOrigin.ASIDE, LargeOrigin.DEADLOCKED}
    assert codes == {*After} - {After.UNKNOWN}


def test_bounds_and_what_is_unknown_are_said_to_be_so(monkeypatch: pytest.MonkeyPatch) -> None:
    for limit in ("_PROOF_EXPANSIONS", "_OPTIMISER_EXPANSIONS", "_PUSH_EXPANSIONS"):
        monkeypatch.setattr(large, limit, 2)
    num_bounds = num_unknown = 0
    for board in BOARDS:
        total = to_go(reachable(board), "pushes")
        for position in labels_of(board).positions:
            check(board_of(board, position), position, total)
            num_unknown += After.UNKNOWN in position.after
            if position.origin == LargeOrigin.BOUND:
                num_bounds += 1
                assert position.after.count(After.FEWEST) == 1
    assert num_bounds and num_unknown


def test_a_given_solution_is_used_where_none_is_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    board = parse_board(WIDE)
    found = solve(board, minimise="pushes")
    assert found.solution is not None
    for limit in ("_PROOF_EXPANSIONS", "_SOLUTION_EXPANSIONS", "_OPTIMISER_EXPANSIONS"):
        monkeypatch.setattr(large, limit, 1)
    assert labels_of(board) == LargeLabels(Verdict.OUT_OF_EXPANSIONS)
    labels = labels_of(board, found.solution.directions, num_states=64)
    assert labels.positions[0].pushes_left == found.solution.num_pushes


def test_what_was_packed_is_what_is_read_and_boards_are_those_of_the_level(tmp_path: Path) -> None:
    boards = [parse_board(WIDE), *BOARDS]
    shard, path = shard_of(boards), tmp_path / "0.safetensors"
    path.write_bytes(to_bytes(shard, {"job": "a"}))
    read, by_others = read_large_shard(path), load_file(path)
    assert read_about(path, LargeShard)["job"] == "a"
    for field in fields(LargeShard):
        for array in (getattr(read, field.name), by_others[field.name]):
            expected = getattr(shard, field.name)
            assert array.dtype == expected.dtype
            assert np.array_equal(array, expected)
    labelled = [(board, each) for board in boards for each in labels_of(board).positions]
    for state, (board, position) in enumerate(labelled):
        assert read.position(state) == position
        assert canonical_form(read.board(state)) == canonical_form(board_of(board, position))
    assert len(read) == len(labelled)


def test_the_page_lists_every_array_with_its_type_and_shape() -> None:
    shard = shard_of(BOARDS)
    sizes = {"N": len(BOARDS), "F": len(shard.floor_row), "K": len(shard.boxes), "Q": len(shard)}
    check_page("## Larger levels", shard, sizes, LargeOrigin)


@pytest.fixture(scope="module")
def puzzles(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Seven puzzles of 9x13 with solutions, the first again turned, and one that fits 8x8."""
    recipe = Recipe(rows=9, columns=13, num_boxes=3, measures_choices=False)
    levels = [
        Level(puzzle.board, solutions=(Solution.of(puzzle.board, puzzle.push_solution),))
        for puzzle in generate_puzzles(7, recipe, seed=3)
    ]
    levels.append(Level(SYMMETRIES[3].of_board(levels[0].board)))
    levels.append(Level(parse_board("#####|#@$.#|#####")))
    path = tmp_path_factory.mktemp("puzzles") / "puzzles.sok"
    path.write_text(write_levels(levels))
    return path


CONFIG = LabelConfig(num_states=11, levels_per_shard=3)


def test_large_levels_have_shards_of_their_own_whose_bytes_no_thread_changes(
    puzzles: Path, tmp_path: Path
) -> None:
    job = read_job([puzzles], CONFIG)
    assert [(level.reason, level.same, level.number) for level in job.dropped] == [
        ("duplicate", "player", 7)
    ]
    folder = LabelFolder(tmp_path / "a", job)
    assert folder.num_missing_levels == 8
    folder.complete(Workers(1))
    manifest = folder.conclude()
    assert manifest is not None
    assert (manifest["levels"]["labelled"], manifest["large"]["levels"]["labelled"]) == (1, 7)
    names = ["00000.safetensors", *(f"large-{shard:05d}.safetensors" for shard in range(3))]
    assert [shard["file"] for shard in manifest["shards"]] == names
    shards = [read_large_shard(folder.path / name) for name in names[1:]]
    assert manifest["large"]["positions"] == sum(map(len, shards)) > 7 * 8
    expected = contents(folder.path)

    class StopAfterOne(threading.Event):
        """Set once a shard of large levels is whole."""

        def is_set(self) -> bool:
            return (tmp_path / "b" / names[1]).exists()

    folder = LabelFolder(tmp_path / "b", job)
    assert folder.complete(Workers(1), limits=Limits(stop=StopAfterOne())) == "stopped"
    assert names[2] not in contents(folder.path)
    folder = LabelFolder(tmp_path / "b", job)
    assert folder.missing == [2, 3]
    folder.complete(Workers(3))
    folder.conclude()
    assert contents(folder.path) == expected


@pytest.mark.parametrize("symmetry", SYMMETRIES)
def test_large_levels_of_evaluation_are_kept_apart(
    symmetry: Symmetry, puzzles: Path, tmp_path: Path
) -> None:
    levels = read_job([puzzles], CONFIG).large
    boards = [symmetry.of_board(level.board) for level in levels[:3]]
    boards[1] = next(iter(pushes_of(boards[1]).values()))
    boards[2] = replace(boards[2], player=max(boards[2].area()))
    evaluation = tmp_path / "evaluation.xsb"
    evaluation.write_text(write_levels([Level(board) for board in boards]))
    job = read_job([puzzles], CONFIG, evaluation=[evaluation])
    assert [(level.number, level.same, level.like) for level in job.dropped] == [
        (0, "player", "evaluation.xsb#0"),
        (7, "player", "evaluation.xsb#0"),
        (2, "area", "evaluation.xsb#2"),
        (1, "room", "evaluation.xsb#1"),
    ]
    assert job.large_numbers.tolist() == [3, 4, 5, 6]


def test_levels_above_the_most_squares_are_dropped(tmp_path: Path) -> None:
    path = tmp_path / "levels.xsb"
    wide = "#" * 35 + ("|#" + " " * 33 + "#") * 32 + "|#@$." + " " * 30 + "#|" + "#" * 35
    path.write_text(f"{wide}\n\n#####\n#@$.#\n#####\n".replace("|", "\n"))
    (dropped,) = read_job([path], CONFIG).dropped
    assert (dropped.number, dropped.reason) == (0, "too large")
    assert dropped.message == "1,089 squares of floor; expected at most 1,024"
