"""Pictures as PNG, of a library that comes with Python."""

import base64
import struct
import zlib

import numpy as np
from jaxtyping import UInt8


def encode_png(picture: UInt8[np.ndarray, "H W 3"]) -> bytes:
    """The file of a picture of H rows and W columns, eight bits a colour."""
    height, width, _ = picture.shape
    # Each row begins with its filter, 0: none.
    rows = np.concatenate([np.zeros((height, 1), np.uint8), picture.reshape(height, -1)], axis=1)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)  # 2: red, green and blue
    chunks = {b"IHDR": header, b"IDAT": zlib.compress(rows.tobytes(), 9), b"IEND": b""}
    file = b"\x89PNG\r\n\x1a\n"
    for name, content in chunks.items():
        file += struct.pack(">I", len(content)) + name + content
        file += struct.pack(">I", zlib.crc32(name + content))
    return file


def html_image(picture: UInt8[np.ndarray, "H W 3"]) -> str:
    """The picture as an HTML element that needs no file, for notebooks."""
    content = base64.b64encode(encode_png(picture)).decode("ascii")
    return f'<img src="data:image/png;base64,{content}" alt="Sokoban board">'
