"""``tokoban convert``: from any format to any other, and what is lost on the way is told."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tokoban.cli import main
from tokoban.sokoban.formats import read_levels
from tokoban.sokoban.render import render_rgb

ROWS = "#####\n#@$.#\n#####\n"
SOK = (
    f"About\n\nFirst\n\n{ROWS}\nAuthor: A\nwords\n\nSolution\nR\n\n"
    "Level 2\n\n#######\n#@ $ .#\n#######\n\nSnapshot\nrl\n"
)


def convert(source: Path, target: Path, *words: str) -> int:
    return main(["convert", str(source), str(target), *words])


@pytest.fixture
def sok(tmp_path: Path) -> Path:
    path = tmp_path / "in.sok"
    path.write_text(SOK)
    return path


def test_sok_keeps_everything(
    sok: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for words in ([], ["--rle"]):
        assert convert(sok, tmp_path / "out.txt", *words) == 0
        assert read_levels(tmp_path / "out.txt", strict=True) == read_levels(sok, strict=True)
        assert capsys.readouterr() == ("2 levels written as SOK\n", "")
    assert "\n5#|#@$.#|5#\n" in (tmp_path / "out.txt").read_text()


def test_xsb_keeps_boards_titles_and_authors(
    sok: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert convert(sok, tmp_path / "out.XSB") == 0
    assert (tmp_path / "out.XSB").read_text() == (
        f"; First\n\n{ROWS}Author: A\n\n#######\n#@ $ .#\n#######\n"
    )
    assert capsys.readouterr().out == (
        "2 levels written as XSB; left out: 1 solution, 1 saved game, 2 note lines\n"
    )


def test_what_boxoban_cannot_hold_is_refused(
    sok: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert convert(sok, tmp_path / "out.txt", "--format", "boxoban") == 2
    assert convert(sok, tmp_path / "out.txt", "--format", "boxoban", "--rle") == 2
    assert capsys.readouterr().err == (
        "tokoban: level 1: board of 3x5 squares, not 10x10\n"
        "tokoban: --rle has no effect with --format boxoban\n"
    )
    assert not (tmp_path / "out.txt").exists()


def test_one_level_becomes_a_picture(
    sok: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert convert(sok, tmp_path / "board.PNG", "--level", "2") == 0
    told = "1 level written as PNG; left out: 1 saved game, 1 note line\n"
    assert capsys.readouterr().out == told
    board = read_levels(sok).levels[1].board
    with Image.open(tmp_path / "board.PNG") as picture:
        assert np.array_equal(np.asarray(picture), render_rgb(board))
    assert convert(sok, tmp_path / "all.png") == 2
    assert convert(sok, tmp_path / "all.png", "--level", "3") == 2
    assert convert(sok, tmp_path / "all.png", "--level", "1", "--rle") == 2
    assert capsys.readouterr().err == (
        "tokoban: a picture is of one level, and there are 2; see --level\n"
        "tokoban: --level 3: expected 1 to 2\n"
        "tokoban: --rle has no effect with --format png\n"
    )
    assert not (tmp_path / "all.png").exists()


def test_one_level_becomes_a_file(sok: Path, tmp_path: Path) -> None:
    assert convert(sok, tmp_path / "out.sok", "--level", "2") == 0
    assert read_levels(tmp_path / "out.sok").levels[0].board == read_levels(sok).levels[1].board


def test_the_file_that_is_read_is_not_written(
    sok: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for words in ([], ["--format", "xsb"], ["--level", "2"]):
        assert convert(sok, sok.parent / "." / sok.name, *words) == 2
        told = f"tokoban: {sok} is to be read; expected another file to write\n"
        assert capsys.readouterr() == ("", told)
    assert sok.read_text() == SOK


def test_bad_levels_are_reported_and_the_others_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "in.xsb"
    source.write_text(f"; 1\n{ROWS}\n; 2\n####\n#@ #\n####\n")
    assert convert(source, tmp_path / "out.sok") == 2
    out, err = capsys.readouterr()
    assert (out, err) == (
        "1 level written as SOK\n",
        f'{source}:7: level 2 "2": no box\ntokoban: 1 of 2 levels is invalid and left out\n',
    )
    assert len(read_levels(tmp_path / "out.sok", strict=True).levels) == 1
