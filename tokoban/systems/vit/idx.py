"""IDX files, the format of MNIST and its relatives: sizes, then bytes.

Two zeros, a type, the number of axes, the length of each axis in four bytes (the highest first),
and the numbers; http://yann.lecun.com/exdb/mnist/. Plain or gzip. Axes: N pictures, H rows, W
columns.
"""

import math
import struct
from pathlib import Path

import numpy as np
from jaxtyping import UInt8

from tokoban.training.read_files import read_unpacked

_UNSIGNED_BYTES = 8


def read_idx(path: Path, *, num_axes: int) -> UInt8[np.ndarray, "..."]:
    """The bytes of one file with ``num_axes`` axes; ``ValueError`` saying what is wrong with it."""
    content = read_unpacked(path)
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
        shape = " x ".join(map(str, lengths))
        raise ValueError(f"{path}: {found:,} bytes after the header, which says {shape}")
    return np.frombuffer(content, np.uint8, offset=start).reshape(lengths)
