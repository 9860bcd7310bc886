from pathlib import Path

import numpy as np
import torch
from PIL import Image

from tokoban.training.films import save_pictures


def test_a_film_has_its_frames_in_colour_and_captions_below(tmp_path: Path) -> None:
    frames = [torch.zeros(5, 43, 3, dtype=torch.uint8) for _ in range(3)]
    for number, frame in enumerate(frames):
        frame[..., number] = 255
    save_pictures(frames, tmp_path / "x.gif", captions=["one", "two", "three"], frame_ms=120)
    with Image.open(tmp_path / "x.gif") as film:
        assert film.width == 43 and film.height > 5
        for number in range(3):
            film.seek(number)
            picture = film.convert("RGB")
            assert picture.getpixel((7, 2)) == tuple(255 * (n == number) for n in range(3))
            captions = np.asarray(picture.crop((0, 5, 43, film.height)))
            assert captions.min() < 64  # the letters are drawn in shades of black
        assert film.info["duration"] == 2000
