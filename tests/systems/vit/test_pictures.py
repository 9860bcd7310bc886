"""Picture files: grey or colour, of any size, made to fit as is said or refused."""

import unittest.mock
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image

from tokoban.systems.vit.pictures import Pictures, read_picture


def _read(path: Path, **how: Any) -> torch.Tensor:
    wanted: dict[str, Any] = {"height": 3, "width": 5, "channels": 1, "fit": "scale"}
    return read_picture(path, **(wanted | how)).pixels


def _file(folder: Path, mode: str, size: tuple[int, int], pixels: list[Any]) -> Path:
    picture = Image.new(mode, size)
    for place, pixel in enumerate(pixels):
        picture.putpixel((place % size[0], place // size[0]), pixel)
    path = folder / "x.png"
    picture.save(path)
    return path


def test_a_picture_of_the_size_is_read_to_the_last_bit(tmp_path: Path) -> None:
    path = _file(tmp_path, "L", (5, 3), list(range(15)))
    assert _read(path).flatten().tolist() == list(range(15))
    colours = _file(tmp_path, "RGB", (5, 3), [(n, 100 + n, 200 + n) for n in range(15)])
    read = _read(colours, channels=3)
    assert read.shape == (3, 3, 5)
    assert [int(channel[1, 2]) for channel in read] == [7, 107, 207]


def test_of_sixteen_bits_the_upper_eight_are_read(tmp_path: Path) -> None:
    shades = np.arange(15).reshape(3, 5) * 4369
    Image.fromarray(shades.astype(np.uint16)).save(tmp_path / "x.png")
    assert _read(tmp_path / "x.png").flatten().tolist() == [17 * n for n in range(15)]
    assert _read(tmp_path / "x.png", channels=3)[2].flatten().tolist() == [
        17 * n for n in range(15)
    ]


def test_shades_of_no_known_range_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.tif"
    for kind in (np.int32, np.float32):
        Image.fromarray(np.ones((3, 5), kind)).save(path)
        with pytest.raises(ValueError, match=r"x.tif: shades of 32 bits; expected 8 or 16"):
            _read(path)


def test_a_larger_picture_becomes_means(tmp_path: Path) -> None:
    path = _file(tmp_path, "L", (10, 6), [10 * (place % 2) for place in range(60)])
    assert _read(path).unique().tolist() == [5]


def test_another_proportion_is_refused_cut_or_stretched_as_is_asked(tmp_path: Path) -> None:
    # Nine columns, of which the outer two on both sides are white.
    path = _file(tmp_path, "L", (9, 3), [255 * (not 2 <= place % 9 < 7) for place in range(27)])
    with pytest.raises(ValueError, match=r"x.png: a picture of 9 x 3; expected 5 x 3, or larger"):
        _read(path)
    assert _read(path, fit="crop").unique().tolist() == [0]
    assert _read(path, fit="stretch")[0, 0, [0, 2, 4]].tolist() == [255, 0, 255]


def test_what_is_transparent_is_white(tmp_path: Path) -> None:
    path = _file(tmp_path, "RGBA", (5, 3), [(9, 9, 9, 0)] * 7 + [(9, 9, 9, 255)] * 8)
    assert _read(path).flatten().tolist() == [255] * 7 + [9] * 8


def test_what_is_no_picture_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.png"
    path.write_bytes(b"not a picture")
    with pytest.raises(ValueError, match=r"x.png: not a picture, or of no known format"):
        _read(path)
    whole = _file(tmp_path, "L", (50, 30), [n % 251 for n in range(1500)]).read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ValueError, match=r"x.png: a picture that is damaged"):
        _read(path)
    with pytest.raises(FileNotFoundError):
        _read(tmp_path / "y.png")


def test_a_picture_too_large_for_memory_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tokoban.systems.vit.pictures._MOST_PIXELS", 14)
    with pytest.raises(ValueError, match=r"x.png: a picture of 5 x 3 is too large"):
        _read(_file(tmp_path, "L", (5, 3), []))


def test_mean_and_deviation_are_those_of_all_pixels_of_a_channel() -> None:
    pixels = torch.randint(256, (7, 3, 5, 11), generator=torch.Generator().manual_seed(1))
    pictures = Pictures(pixels.to(torch.uint8), torch.zeros(7, dtype=torch.int64), ("a",))
    mean, deviation = pictures.mean_and_deviation()
    by_channel = pixels.double().transpose(0, 1).flatten(1)
    torch.testing.assert_close(mean.double(), by_channel.mean(1), atol=1e-3, rtol=0)
    torch.testing.assert_close(
        deviation.double(), by_channel.std(1, correction=0), atol=1e-3, rtol=0
    )


EPS = b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 32 32\n%%EndComments\n(/tmp/x) (w) file\n"


@pytest.mark.parametrize("name", ["x.png", "x.eps", "x.jpg"])
def test_postscript_is_never_run_whatever_it_is_called(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(EPS)
    with (
        unittest.mock.patch("PIL.EpsImagePlugin.Ghostscript", side_effect=AssertionError),
        unittest.mock.patch("subprocess.Popen", side_effect=AssertionError),
        pytest.raises(ValueError, match=rf"{name}: not a picture, or of no known format"),
    ):
        _read(tmp_path / name)


def test_a_webp_file_is_measured_before_pillow_makes_its_canvas(tmp_path: Path) -> None:
    path = tmp_path / "x.webp"
    canvas = (16382).to_bytes(3, "little") * 2
    content = b"WEBPVP8X" + (10).to_bytes(4, "little") + bytes(4) + canvas + bytes(20)
    path.write_bytes(b"RIFF" + len(content).to_bytes(4, "little") + content)
    with pytest.raises(ValueError, match=r"x.webp: a picture of 16383 x 16383 is too large"):
        _read(path)
