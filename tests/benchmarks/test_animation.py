from pathlib import Path

import pytest
from PIL import Image

from benchmarks import animation

FILE = "#####\n#@$.#\n#####\nSolution\nR\n\n#######\n#@$  .#\n#######\nSolution\nRRR\n"


@pytest.mark.parametrize(("levels", "num_boards"), [(["1"], 2), (["2"], 4)])
def test_a_game_has_a_frame_for_each_of_its_boards(
    levels: list[str], num_boards: int, tmp_path: Path
) -> None:
    (tmp_path / "solved.sok").write_text(FILE)
    output = tmp_path / "x.gif"
    animation.main([str(tmp_path / "solved.sok"), "--levels", *levels, "--output", str(output)])
    with Image.open(output) as film:
        assert getattr(film, "n_frames", 1) == num_boards


def test_a_shorter_game_waits_for_the_longer_one(tmp_path: Path) -> None:
    (tmp_path / "solved.sok").write_text(FILE)
    output = tmp_path / "x.gif"
    words = [str(tmp_path / "solved.sok"), "--levels", "1", "2", "--output", str(output)]
    animation.main(words)
    with Image.open(output) as film:
        assert (getattr(film, "n_frames", 1), film.width) == (4, (5 + 7) * 20 + 10)
