"""Which levels an environment plays: how they are read, framed, and drawn by the seed."""

import re
from pathlib import Path

import pytest
import torch

from tokoban.sokoban.board import Board
from tokoban.sokoban.formats.xsb import format_board, parse_board
from tokoban.sokoban.search.combine.solver import solve
from tokoban.sokoban.simulation import level_pool
from tokoban.sokoban.simulation.level_pool import (
    GeneratedLevels,
    draw_levels,
    frame,
    load_boards,
    streams,
)

FEW = GeneratedLevels(num_levels=5, rows=7, columns=6, num_boxes=1, seed=3)
SMALL = "#####\n#@$.#\n#####\n"
MIRRORED = "#####\n#.$@#\n#####\n"
TALL = "####\n# @#\n#$ #\n#. #\n####\n"


def drawn(text: str) -> str:
    """A drawing of one line as ``format_board`` prints it."""
    return text.replace("|", "\n").replace("-", " ")


@pytest.mark.parametrize(
    ("board", "framed"),
    [
        # An open edge is closed by the ring; the ring of a closed one is its own.
        ("@$.", "#####|#@$.#|#####"),
        ("#######|#######|###@$.#|#######", "#####|#@$.#|#####"),
        # What lies around the walls is none of the level, unless something stands there.
        ("------|-#####|-#@$.#|-#####", "#####|#@$.#|#####"),
        ("*-#####|--#@$.#|--#####", "########|#*######|####@$.#|########"),
    ],
)
def test_the_frame_is_one_ring_of_wall_around_the_floor(board: str, framed: str) -> None:
    (only,) = frame([parse_board(board)])
    assert format_board(only) == drawn(framed)


def test_levels_come_from_files_in_order(tmp_path: Path) -> None:
    first, second = tmp_path / "first.xsb", tmp_path / "second.xsb"
    first.write_text(f"{TALL}\n{SMALL}")
    second.write_text(MIRRORED)
    tall, small, mirrored = (parse_board(text.strip()) for text in (TALL, SMALL, MIRRORED))
    files: list[str | Path] = [first, str(second)]
    assert load_boards(files) == frame([tall, small, mirrored])
    assert load_boards(first) == load_boards(str(first)) == frame([tall, small])
    assert load_boards([small, tall]) == frame([small, tall])


def test_generated_levels_are_solvable_and_the_same_each_time() -> None:
    boards = load_boards(FEW)
    assert len(boards) == 5
    assert load_boards(GeneratedLevels(**vars(FEW))) == boards
    assert all(solve(board).status == "solved" for board in boards)
    assert load_boards(GeneratedLevels(**{**vars(FEW), "seed": 4})) != boards


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "{path}: No such file or directory"),
        ("", "{path}:1: no board found (expected rows of # @ + $ * . and floor)"),
        ("#####\n#@$ #\n#####\n", '{path}:1: level 1 "": 1 box but 0 goals'),
    ],
)
def test_a_bad_file_is_refused_in_its_readers_words(
    text: str | None, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "levels.xsb"
    if text is not None:
        path.write_text(text)
    with pytest.raises(ValueError, match=f"^{re.escape(message.format(path=path))}$"):
        load_boards(path)


def test_levels_that_would_fill_the_memory_at_one_size_are_refused() -> None:
    small = parse_board("#####|#@$.#|#####")

    def cross(size: int) -> list[Board]:
        """Two corridors, whose frame is a square of this size."""
        row = f"#@$.{' ' * (size - 5)}#"
        return [
            parse_board("\n".join(["#" * size, row, "#" * size])),
            parse_board("\n".join(["###", *(f"#{square}#" for square in row[1:-1]), "###"])),
        ]

    assert load_boards([*cross(101), small])[2].height == 101
    with pytest.raises(ValueError, match=r"^201 levels of 512x512 squares, the size of the larg"):
        load_boards([*cross(512), *[small] * 199])
    with pytest.MonkeyPatch.context() as patch:  # many of one size are as large as they are
        patch.setattr(level_pool, "_MOST_SQUARES", 100)
        assert len(load_boards([small] * 300)) == 300


# The draw of a level for an episode.


def test_every_level_is_drawn_as_often_as_any_other() -> None:
    episodes = torch.arange(700).repeat(10)
    seeds = torch.arange(10).repeat_interleave(700)
    counts = draw_levels(streams(seeds), episodes, num_levels=7).bincount(minlength=7)
    # 1000 +- 30 by chance; five times that never comes.
    assert counts.min() > 850
    assert counts.max() < 1150


def test_the_draw_depends_on_the_seed_and_the_episode_alone() -> None:
    seeds, episodes = torch.meshgrid(torch.arange(-3, 10), torch.arange(11), indexing="ij")
    levels = draw_levels(streams(seeds.flatten()), episodes.flatten(), num_levels=10**9)
    assert len(levels.unique()) == 13 * 11
    assert 0 <= levels.min() <= levels.max() < 10**9
    alone = draw_levels(streams(torch.tensor([5])), torch.tensor([7]), num_levels=10**9)
    assert alone == levels.reshape(13, 11)[8, 7]
    # Neighbouring seeds must not walk through the same levels a step apart.
    by_seed = draw_levels(streams(seeds.flatten()), episodes.flatten(), num_levels=3)
    rows = by_seed.reshape(13, 11)
    assert not any(torch.equal(one[1:], two[:-1]) for one in rows for two in rows)
