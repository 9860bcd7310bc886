"""The arrays of a store, a named tuple, made as its annotations say.

A *column* of an axis has one entry for each of what the store holds, such as positions.
"""

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import numpy as np
from jaxtyping import AbstractArray

Store = TypeVar("Store")


def zeroed(store: Callable[..., Store], **given: Any) -> Store:
    """A named tuple of fields that are given, and of zeros as its annotations say.

    Capital letters are the lengths of axes: F=5 makes 5 + 1 entries of an axis "F+1", and one of W,
    the words of F; likewise X words of G.
    """
    sizes = {name: length for name, length in given.items() if name.isupper()}
    for axis, words in (("F", "W"), ("G", "X")):
        if axis in sizes:
            sizes.setdefault(words, -(-sizes[axis] // 64))
    fields = {name: field for name, field in given.items() if name not in sizes}
    zeros = {
        name: np.zeros([eval(axis, {"__builtins__": {}}, sizes) for axis in axes], dtype)
        for name, axes, dtype in _arrays(store)
        if name not in fields
    }
    return store(**fields, **zeros)


def column_names(store: type, axis: str) -> tuple[str, ...]:
    """The fields of a named tuple that have this axis, in their order."""
    return tuple(name for name, axes, _ in _arrays(store) if axis in axes)


def _arrays(store: Any) -> Iterator[tuple[str, list[str], str]]:
    """Name, axes and dtype of each field of a named tuple that is an array."""
    for name, kind in store.__annotations__.items():
        if isinstance(kind, type) and issubclass(kind, AbstractArray):
            yield name, kind.dim_str.split(), kind.dtypes[0]
