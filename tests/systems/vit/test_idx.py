"""IDX by hand: bytes in, arrays out, and every kind of damage in one sentence."""

import gzip
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tokoban.systems.vit.idx import read_idx

# Two pictures of 3 rows and 5 columns.
HEADER = bytes([0, 0, 8, 3]) + struct.pack(">III", 2, 3, 5)
CONTENT = bytes(range(30))


def _written(folder: Path, content: bytes) -> Path:
    path = folder / "x-idx3-ubyte"
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_bytes_by_hand_are_read(pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    read = read_idx(_written(tmp_path, pack(HEADER + CONTENT)), num_axes=3)
    assert read.shape == (2, 3, 5)
    assert np.array_equal(read.ravel(), np.arange(30))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\0\0", "2 bytes are too few for an IDX file"),
        (b"PNG!" + HEADER, "not an IDX file; its first two bytes are not zero"),
        (bytes([0, 0, 13, 3]) + HEADER[4:], "numbers of type 0x0d; expected 0x08, unsigned"),
        (bytes([0, 0, 8, 1]) + HEADER[4:], "1 axes; expected 3"),
        (HEADER[:9], "ends within the lengths of its axes"),
        (HEADER + CONTENT[:-1], "29 bytes after the header, which says 2 x 3 x 5"),
        (HEADER + CONTENT + b"?", "31 bytes after the header, which says 2 x 3 x 5"),
        (gzip.compress(HEADER + CONTENT, mtime=0)[:-9], "a damaged gzip file"),
        (gzip.compress(HEADER + CONTENT, mtime=0)[:-8] + bytes(8), "a damaged gzip file"),
        (b"\x1f\x8b" + bytes(30), "a damaged gzip file"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_damage_is_named(content: bytes, message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=rf"x-idx3-ubyte: {message}"):
        read_idx(_written(tmp_path, content), num_axes=3)
