from pathlib import Path

import numpy as np
from PIL import Image

from tokoban.viewing.films import save_film, save_pictures
from tokoban.viewing.plots import COLOURS


def test_a_film_has_its_frames_in_colour_captions_below_and_a_long_end(
    tmp_path: Path,
) -> None:
    frames = [np.zeros((5, 43, 3), np.uint8) for _ in range(3)]
    for number, frame in enumerate(frames):
        frame[..., number] = 255
    save_pictures(frames, tmp_path / "x.gif", captions=["one", "two", "three"], frame_ms=120)
    with Image.open(tmp_path / "x.gif") as film:
        assert film.width == 43 and film.height > 5
        for number in range(3):
            film.seek(number)
            assert film.info["duration"] == (2000 if number == 2 else 120)
            picture = film.convert("RGB")
            assert picture.getpixel((7, 2)) == tuple(255 * (n == number) for n in range(3))
            captions = np.asarray(picture.crop((0, 5, 43, film.height)))
            assert captions.min() < 64  # the letters are drawn in shades of black


def test_a_film_has_a_pixel_for_each_shade(tmp_path: Path) -> None:
    frames = np.zeros((2, 5, 40))
    frames[0, 1, 2], frames[1, 3, 4], frames[1, 0, 0] = 1.0, 1.0, 0.5
    save_film(frames, tmp_path / "x.gif", captions=["one", "two"], frame_ms=120)
    full = tuple(bytes.fromhex(COLOURS[0][1:]))
    with Image.open(tmp_path / "x.gif") as film:
        for number in range(2):
            film.seek(number)
            picture = film.convert("RGB")
            upper = {
                (column, row): picture.getpixel((column, row))
                for row in range(5)
                for column in range(40)
            }
            marked = {place for place, colour in upper.items() if colour == full}
            assert marked == ({(2, 1)} if number == 0 else {(4, 3)})
        assert sum(colour not in (full, (255, 255, 255)) for colour in upper.values()) == 1
