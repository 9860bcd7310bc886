"""Shards: what was packed is what is read, by our reader and by that of safetensors."""

from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from tests.sokoban.brute_force import Shape, moved, random_boards
from tests.sokoban.labels.page import check_page
from tests.sokoban.labels.play_of import label_all, packed
from tokoban.sokoban.canonical import canonical_form
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.labels.samples import Origin
from tokoban.sokoban.labels.shards import Shard, pack, read_about, read_shard, to_bytes
from tokoban.sokoban.search.bitboard.labels import DEADLOCKED
from tokoban.sokoban.simulation.bitboards import pack as pack_words

BOARDS = [
    *random_boards(Shape(4, 5, 1, is_closed=False), 3, seed=31),
    *random_boards(Shape(3, 5, 3, is_closed=True), 4, seed=37),
]
LABELLED = label_all(BOARDS)
SHARD = pack(packed(BOARDS), LABELLED)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "0.safetensors"
    path.write_bytes(to_bytes(SHARD, {"job": "a"}))
    return path


def test_what_was_packed_is_what_is_read(path: Path) -> None:
    read, by_others = read_shard(path), load_file(path)
    names = [field.name for field in fields(Shard)]
    assert sorted(by_others) == sorted(names)
    for name in names:
        for found in (getattr(read, name), by_others[name]):
            expected = getattr(SHARD, name)
            assert found.dtype == expected.dtype
            assert np.array_equal(found, expected)
    assert read_about(path)["job"] == "a"
    assert to_bytes(read, {"job": "a"}) == path.read_bytes()


def test_unpacked_labels_are_those_that_were_packed(path: Path) -> None:
    read, (samples, by_moves, by_pushes) = read_shard(path), LABELLED
    assert len(read) == len(samples.boxes)
    assert np.array_equal(read.is_solvable, by_moves.distance != DEADLOCKED)
    assert np.array_equal(read.pushes_left, by_pushes.distance)
    assert np.array_equal(read.best_moves, by_moves.best_moves)
    assert np.array_equal(read.origin, samples.origin)
    every = np.arange(len(read))
    assert np.array_equal(read.best_pushes(every, "moves"), by_moves.best_pushes)
    some = every[::-3]
    assert np.array_equal(read.best_pushes(some, "pushes"), by_pushes.best_pushes[some])
    # Three boxes are twelve bits.
    assert read.pushes_by_moves.shape == (len(read), 2)
    with pytest.raises(ValueError, match="unit is 'steps'; expected 'moves' or 'pushes'"):
        read.best_pushes(some, "steps")


def test_each_state_knows_its_level_and_its_board(path: Path) -> None:
    read = read_shard(path)
    levels = read.level_of(np.arange(len(read)))
    assert np.array_equal(np.bincount(levels), np.diff(read.level_ends, prepend=0))
    assert sorted(set(levels.tolist())) == list(range(len(BOARDS)))
    for state in range(0, len(read), 11):
        board, start = read.board(state), BOARDS[levels[state]]
        # The shard's boards have a border around them.
        (player,) = moved({board.player}, -1, -1)
        here = replace(start, boxes=moved(board.boxes, -1, -1), player=player)
        assert canonical_form(board, exact_player=True) == canonical_form(here, exact_player=True)
        assert pack_words([here]).boxes.numpy().view(np.uint64) == read.boxes[state]


def test_no_states_and_no_boxes_are_packed_too(tmp_path: Path) -> None:
    empty = pack(packed([]), label_all([]))
    (tmp_path / "0").write_bytes(to_bytes(empty, {}))
    assert len(read_shard(tmp_path / "0")) == 0
    assert read_about(tmp_path / "0").keys() == {"blake2b"}


def test_what_is_no_whole_shard_is_refused(path: Path, tmp_path: Path) -> None:
    content = path.read_bytes()
    broken = tmp_path / "broken"
    for part in (b"", b"words", content[:7], content[:100], content[:-1], content + b"\0"):
        broken.write_bytes(part)
        with pytest.raises(ValueError, match="broken: not a whole file of labels"):
            read_shard(broken)
    broken.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    assert len(read_shard(broken)) == len(SHARD)
    with pytest.raises(ValueError, match="broken: the arrays have another checksum"):
        read_about(broken)
    with pytest.raises(FileNotFoundError):
        read_shard(tmp_path / "none")


def test_a_shard_of_another_version_is_named_as_one(tmp_path: Path) -> None:
    arrays = {field.name: getattr(SHARD, field.name) for field in fields(SHARD)}
    del arrays["level_row"]
    path = tmp_path / "old.safetensors"
    save_file(arrays, path, {"blake2b": ""})
    with pytest.raises(ValueError, match=r"old.*: labels of another version, without level_row"):
        read_shard(path)


def test_the_smallest_level_is_labelled_as_by_hand() -> None:
    shard = pack(packed([parse_board("@$.")]), label_all([parse_board("@$.")]))
    assert shard.boxes.tolist() == [0b010, 0b100]
    assert shard.player.tolist() == [0, 1]
    assert shard.moves_left.tolist() == shard.pushes_left.tolist() == [1, 0]
    assert shard.best_moves.tolist() == [1 << 3, 0]
    assert shard.pushes_by_moves.tolist() == shard.pushes_by_pushes.tolist() == [[8], [0]]
    assert shard.level_solvable_states.tolist() == [3]


def test_the_page_lists_every_array_with_its_type_and_shape() -> None:
    check_page("## The files", SHARD, {"N": len(BOARDS), "Q": len(SHARD), "P": 2}, Origin)
