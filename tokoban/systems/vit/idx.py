"""IDX files, the format of MNIST and its relatives: sizes, then bytes.

Two zeros, a type, the number of axes, the length of each axis in four bytes (the highest first),
and the numbers; http://yann.lecun.com/exdb/mnist/. Plain or gzip. Axes: N pictures, H rows, W
columns.
"""

import gzip
import math
import struct
import zlib
from pathlib import Path

import numpy as np
from jaxtyping import UInt8

_UNSIGNED_BYTES = 8
_GZIP = b"\x1f\x8b"
_MOST_BYTES = 2**34  # of one file, unpacked: a gzip file of some bytes could hold anything


def read_idx(path: Path, *, num_axes: int) -> UInt8[np.ndarray, "..."]:
    """The bytes of one file with ``num_axes`` axes; ``ValueError`` saying what is wrong with it."""
    content = _unpacked(path)
    if len(content) < 4:
        raise ValueError(f"{path}: {len(content)} bytes are too few for an IDX file")
    zeros, kind, found_axes = struct.unpack(">HBB", content[:4])
    if zeros != 0:
        raise ValueError(f"{path}: not an IDX file; its first two bytes are not zero")
    if kind != _UNSIGNED_BYTES:
        raise ValueError(f"{path}: numbers of type 0x{kind:02x}; expected 0x08, unsigned bytes")
    if found_axes != num_axes:
        raise ValueError(f"{path}: {found_axes} axes; expected {num_axes}")
    start = 4 + 4 * num_axes
    if len(content) < start:
        raise ValueError(f"{path}: ends within the lengths of its axes")
    lengths = struct.unpack(f">{num_axes}I", content[4:start])
    expected, found = math.prod(lengths), len(content) - start
    if found != expected:
        told = " x ".join(map(str, lengths))
        raise ValueError(f"{path}: {found:,} bytes after the header, which says {told}")
    return np.frombuffer(content, np.uint8, offset=start).reshape(lengths)


def _unpacked(path: Path) -> bytes:
    with path.open("rb") as file:
        is_gzip = file.read(2) == _GZIP
    if not is_gzip:
        return path.read_bytes()
    try:
        with gzip.open(path) as file:
            content = file.read(_MOST_BYTES + 1)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise ValueError(f"{path}: a gzip file that is damaged or cut off ({error})") from None
    if len(content) > _MOST_BYTES:
        raise ValueError(f"{path}: more than {_MOST_BYTES:,} bytes unpacked")
    return content
