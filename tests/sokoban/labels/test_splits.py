"""Which levels are kept apart from evaluation levels, and from each other."""

import json
import tarfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.sokoban.labels.play_of import packed
from tokoban.sokoban.board import Board, Direction
from tokoban.sokoban.formats import write_boxoban
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.labels.job import LabelConfig, read_job
from tokoban.sokoban.labels.sources import read_pool
from tokoban.sokoban.labels.splits import split
from tokoban.sokoban.rules import play
from tokoban.sokoban.symmetry import SYMMETRIES, Symmetry

LEVEL = parse_board("-@-#-|-$--.|--#$-|.----")
OTHER = parse_board("-@---|-$--.|--#$-|.----")
PLAYER_MOVED = play(LEVEL, [Direction.LEFT])[-1]
BOX_MOVED = play(LEVEL, [Direction.DOWN])[-1]
CORRIDOR = parse_board("@$.")

LARGE = "###########\n#@$.      #\n###########\n"
SMALL = "#####\n#@$.#\n#####\n"


def dropped(levels: list[Board], evaluation: list[Board]) -> list[tuple]:
    """Number, reason, how much is the same and the name of the other, by number."""
    is_kept, found = split(packed(levels), packed(evaluation))
    rows = sorted((level.number, level.reason, level.same, level.like) for level in found)
    assert [row[0] for row in rows] == np.flatnonzero(~is_kept).tolist()
    assert {level.file for level in found} <= {"levels"}
    return rows


@pytest.mark.parametrize("symmetry", SYMMETRIES)
def test_an_evaluation_level_is_known_however_it_is_turned(symmetry: Symmetry) -> None:
    images = [symmetry.of_board(board) for board in (PLAYER_MOVED, OTHER, BOX_MOVED, LEVEL)]
    assert dropped(images, [CORRIDOR, LEVEL]) == [
        (0, "evaluation", "area", "levels#1"),
        (2, "evaluation", "room", "levels#1"),
        (3, "evaluation", "player", "levels#1"),
    ]


def test_of_equal_levels_the_first_stays_and_rooms_may_be_shared() -> None:
    turned = SYMMETRIES[5].of_board(LEVEL)
    assert dropped([LEVEL, OTHER, PLAYER_MOVED, BOX_MOVED, turned], []) == [
        (2, "duplicate", "area", "levels#0"),
        (4, "duplicate", "player", "levels#0"),
    ]


def test_files_of_all_formats_are_one_pool_and_each_level_knows_its_place(tmp_path: Path) -> None:
    room = parse_board("##########|#@$.-----#" + "|#--------#" * 7 + "|##########")
    (tmp_path / "folder").mkdir()
    before, after = write_boxoban([room] * 3).split("; 1\n")
    (tmp_path / "folder" / "0.txt").write_text(f"{before}; 1\n{after.replace('@', ' ', 1)}")
    (tmp_path / "folder" / "1.txt").write_text(write_boxoban([room]).replace("#@", "@@") * 2)
    (tmp_path / "players.xsb").write_text(f"; 1\n{SMALL}\n; 2\n{LARGE}\n; 3\n{SMALL}")
    pool = read_pool([tmp_path / "players.xsb", tmp_path / "folder"])
    levels = pool.levels
    names = ["players.xsb", "folder/0.txt", "folder/1.txt"]
    assert [source.file for source in pool.sources] == list(levels.files) == names
    assert [source.num_levels for source in pool.sources] == [2 + 1, 2, 0]
    assert list(zip(levels.file.tolist(), levels.number.tolist(), strict=True)) == [
        (0, 0), (0, 2), (1, 0), (1, 2),
    ]  # fmt: skip
    assert levels.boxes.tolist() == [2, 2, 2, 2]
    (large,) = pool.large
    assert (large.file, large.number, large.solution) == (0, 1, None)
    unreadable = pool.dropped
    assert [level.reason for level in unreadable] == ["unreadable"] * 3
    told = '0.txt:14: level 2 "1": no player'
    assert unreadable[0].message == f"folder/{told}"
    assert str(pool.problems[0]) == f"{tmp_path}/folder/{told}"


def test_of_a_folder_the_level_files_of_every_format_are_read(tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    (tmp_path / "folder.txt").mkdir()
    for name in ("b.XSB", "a.txt", "below/c.sok", "notes.md"):
        (tmp_path / name).write_text(SMALL)
    assert [source.file for source in read_pool([tmp_path]).sources] == [
        f"{tmp_path.name}/{name}" for name in ("a.txt", "b.XSB", "below/c.sok")
    ]


def test_a_level_that_cannot_be_read_cannot_be_kept_apart(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.xsb", tmp_path / "bad.xsb"
    good.write_text(SMALL)
    bad.write_text(SMALL + "\n" + SMALL.replace("@", " "))
    with pytest.raises(ValueError, match=r"could be kept apart from this one: .*no player"):
        read_job([good], LabelConfig(), evaluation=[bad])
    with pytest.raises(ValueError, match="none of 1 levels is left to be labelled"):
        read_job([good], LabelConfig(), evaluation=[good])
    with pytest.raises(ValueError, match="-: expected files, which can be read again"):
        read_job(["-"], LabelConfig())


def test_only_the_first_levels_are_taken_and_numbers_stay(tmp_path: Path) -> None:
    path = tmp_path / "levels.xsb"
    longer = "######\n#@ $.#\n######\n"
    path.write_text("\n".join(f"; {number}\n{SMALL}" for number in range(3)) + f"\n; 4\n{longer}")
    assert read_pool([path]).dropped == ()
    job = read_job([path], LabelConfig(max_levels=2))
    assert (len(job.levels), len(job.dropped)) == (1, 1)
    job = read_job([path], LabelConfig())
    assert job.numbers.tolist() == [0, 3]
    assert json.dumps(asdict(job.dropped[0])) == (
        '{"file": "levels.xsb", "number": 1, "reason": "duplicate", "same": "player", '
        '"like": "levels.xsb#0", "message": null}'
    )


def test_files_are_named_within_the_folder_that_all_of_them_lie_in(tmp_path: Path) -> None:
    published = tmp_path / "boxoban" / "medium" / "valid"
    other = tmp_path / "others" / "valid"
    for folder in (published, other):
        folder.mkdir(parents=True)
        (folder / "000.txt").write_text(SMALL)
    for paths, names in [
        ([published], ["medium/valid/000.txt"]),
        ([published / "000.txt"], ["medium/valid/000.txt"]),
        ([other], ["valid/000.txt"]),
        ([other / "000.txt"], ["000.txt"]),
        ([published, other], ["boxoban/medium/valid/000.txt", "others/valid/000.txt"]),
    ]:
        assert [source.file for source in read_pool(paths).sources] == names


@pytest.mark.parametrize(
    ("name", "number", "most"),
    [("num_states", 0, 10000), ("levels_per_shard", 0, 100000), ("max_sets", -1, 2**30)],
)
def test_numbers_out_of_range_are_refused(name: str, number: int, most: int) -> None:
    with pytest.raises(ValueError, match=f"{name} is {number}; expected 1 to {most}$"):
        LabelConfig(**dict[str, Any]({name: number}))


@pytest.mark.slow
def test_the_leaks_of_boxoban_are_found(shared_data: Path, tmp_path: Path) -> None:
    """Of the hard levels in medium/train: four as drawn and turned, eight where the player may
    stand elsewhere in its area, as others have counted; ours are also moved, and so are more."""
    with tarfile.open(shared_data / "boxoban/boxoban-levels.tar.xz") as archive:
        for member in archive:
            if member.name.endswith(".txt") and (
                "medium/train/" in member.name or "hard/" in member.name
            ):
                archive.extract(member, tmp_path, filter="data")
    (hard,), (medium,) = tmp_path.rglob("hard"), tmp_path.rglob("medium")
    _, found = split(read_pool([medium]).levels, read_pool([hard]).levels)
    same = [level.same for level in found if level.reason == "evaluation"]
    assert (same.count("player"), same.count("area"), same.count("room")) == (5, 7, 9)
