from pathlib import Path

from PIL import Image

from benchmarks import animation

FILE = "#####\n#@$.#\n#####\nSolution\nR\n\n#######\n#@$  .#\n#######\nSolution\nRRR\n"


def test_a_shorter_game_waits_for_the_longer_one(tmp_path: Path) -> None:
    (tmp_path / "solved.sok").write_text(FILE)
    output = tmp_path / "x.gif"
    words = [str(tmp_path / "solved.sok"), "--levels", "1", "2", "--output", str(output)]
    animation.main(words)
    with Image.open(output) as film:
        assert (getattr(film, "n_frames", 1), film.width) == (4, (5 + 7) * 20 + 10)
