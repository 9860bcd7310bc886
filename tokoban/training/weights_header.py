"""The beginning of a weights file, which says what it holds; nothing else of it is read.

docs/decisions/0024-files-of-strangers.md says why it is looked at before anything is allocated.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

_MOST_HEADER_BYTES = 24 * 2**20  # of safetensors; as objects of Python it takes up to 25 times


class TensorInfo(NamedTuple):
    """The type (as safetensors names it) and shape of one tensor, as declared by a file."""

    dtype: str
    shape: tuple[int, ...]


class Expected(NamedTuple):
    """A tensor that a model has; by default of any type that floats may be kept in."""

    shape: tuple[int, ...] | None  # None: one axis of any length
    dtypes: tuple[str, ...] = ("F64", "F32", "F16", "BF16")
    kind: str = "floating-point numbers"


class Header(NamedTuple):
    """The beginning of a safetensors file."""

    tensors: dict[str, TensorInfo]
    metadata: dict[str, str]


def read_header(path: Path) -> Header:
    """The tensors that a safetensors file declares; none is read.

    ``FileNotFoundError`` where there is no file, ``ValueError`` where it is no safetensors file.
    """
    if not path.is_file():
        raise FileNotFoundError(f"{path}: no such weights file")
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if length > _MOST_HEADER_BYTES:
            raise _no_safetensors(path, f"a header of {length:,} bytes")
        text = file.read(length)
    if not length or len(text) < length:
        raise _no_safetensors(path, "it ends within its header")
    try:
        header = json.loads(text)
    except (ValueError, RecursionError):
        raise _no_safetensors(path, "its header is not JSON") from None
    if not isinstance(header, dict):
        raise _no_safetensors(path, "its header is not an object")
    metadata = header.pop("__metadata__", {})
    if not isinstance(metadata, dict) or not all(isinstance(x, str) for x in metadata.values()):
        raise _no_safetensors(path, "its metadata are not texts")
    try:
        tensors = {
            name: TensorInfo(str(each["dtype"]), tuple(map(int, each["shape"])))
            for name, each in header.items()
        }
    except (KeyError, TypeError, ValueError, OverflowError):
        raise _no_safetensors(path, "its header lacks types or shapes") from None
    return Header(tensors, metadata)


def check_tensors(found: Mapping[str, TensorInfo], expected: Mapping[str, Expected]) -> None:
    """``ValueError`` unless a file has exactly the tensors that are expected."""
    missing, unknown = expected.keys() - found.keys(), found.keys() - expected.keys()
    for names, message in (missing, "is missing"), (unknown, "is not of this model"):
        if names:
            raise ValueError(f"the tensor {min(names)!r} {message}")
    for name, (shape, dtypes, kind) in expected.items():
        dtype, own = found[name]
        if dtype not in dtypes or (shape is None and len(own) != 1):
            raise ValueError(f"the tensor {name!r} is of type {dtype}; expected {kind}")
        if shape not in (None, own):
            raise ValueError(
                f"the tensor {name!r} has the shape {own}; its config asks for {shape}"
            )


def _no_safetensors(path: Path, reason: str) -> ValueError:
    return ValueError(f"{path}: not a safetensors file ({reason})")
