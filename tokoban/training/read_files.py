"""Whole files, plain or gzip; what is too large for memory is refused before it is read."""

import gzip
import io
import zlib
from pathlib import Path

_GZIP = b"\x1f\x8b"
_MOST_BYTES = 2**31
_MOST_STREAM_BYTES = 2**28  # of a pipe or a device, which may have no end
# A kilobyte of gzip can hold a megabyte of nothing; text and pictures shrink to a fifth or so.
_LEAST_UNPACKED_BYTES, _MOST_RATIO = 2**26, 20


def read_unpacked(path: Path) -> bytes:
    """The content of a file, of gzip what is packed in it; ``OSError`` if it cannot be read.

    ``ValueError`` for a damaged gzip file, and for more than 2 GiB (256 MiB from a pipe; of a gzip
    file 64 MiB, or twenty times its size).
    """
    content = read_bytes(path)
    if not content.startswith(_GZIP):
        return content
    most = min(_MOST_BYTES, max(_LEAST_UNPACKED_BYTES, _MOST_RATIO * len(content)))
    unpacked = io.BytesIO()
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as file:
            while part := file.read(2**20):
                unpacked.write(part)
                if unpacked.tell() > most:
                    raise ValueError(f"{path}: a gzip file of more than {most:,} bytes unpacked")
    except (EOFError, OSError, zlib.error) as error:
        raise ValueError(f"{path}: a damaged gzip file ({error})") from None
    return unpacked.getvalue()


def read_bytes(path: Path) -> bytes:
    """The content of a file as it is; errors as ``read_unpacked``."""
    most = _MOST_BYTES if path.is_file() else _MOST_STREAM_BYTES
    with path.open("rb") as file:
        if path.is_file() and path.stat().st_size > most:
            raise ValueError(f"{path}: more than {most:,} bytes")
        if path.is_file():
            return file.read()
        content = bytearray()
        while part := file.read(2**20):
            content += part
            if len(content) > most:
                raise ValueError(f"{path}: more than {most:,} bytes")
        return bytes(content)
