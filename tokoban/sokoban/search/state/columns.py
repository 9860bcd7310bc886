"""The arrays of a store, a named tuple, made as its annotations say.

A *column* of an axis has one entry for each of what the store holds, such as positions.
"""

from collections.abc import Callable, Iterator
from functools import cache
from types import CodeType
from typing import Any, TypeVar

import numpy as np
from jaxtyping import AbstractArray

Store = TypeVar("Store")


def zeroed(store: Callable[..., Store], **given: Any) -> Store:
    """A named tuple of the given fields, and of zeros elsewhere, shaped by its annotations.

    Capital letters are the lengths of axes: F=5 makes 5 + 1 entries of an axis "F+1". W, the words
    of F, is then 1; likewise X for the words of G.
    """
    sizes = {name: length for name, length in given.items() if name.isupper()}
    for axis, words in (("F", "W"), ("G", "X")):
        if axis in sizes:
            sizes.setdefault(words, -(-sizes[axis] // 64))
    fields = {name: field for name, field in given.items() if name not in sizes}
    zeros = {
        name: np.zeros([eval(_length(axis), {"__builtins__": {}}, sizes) for axis in axes], dtype)
        for name, axes, dtype in _arrays(store)
        if name not in fields
    }
    return store(**fields, **zeros)


def columns_of(store: Any, axis: str) -> list[np.ndarray]:
    """The arrays of a store whose first axis this is, in their order."""
    return [getattr(store, name) for name, axes, _ in _arrays(type(store)) if axes[0] == axis]


def enlarge(column: np.ndarray, capacity: int) -> None:
    """Gives an array more rows, in place: where the system can, memory is moved, not copied."""
    column.resize((capacity, *column.shape[1:]), refcheck=False)


def enlarge_columns(store: Any, axis: str, capacity: int) -> None:
    """The same for all columns of an axis."""
    for column in columns_of(store, axis):
        enlarge(column, capacity)


def _arrays(store: Any) -> Iterator[tuple[str, list[str], str]]:
    """Name, axes and dtype of each field of a named tuple that is an array."""
    for name, kind in store.__annotations__.items():
        if isinstance(kind, type) and issubclass(kind, AbstractArray):
            yield name, kind.dim_str.split(), kind.dtypes[0]


@cache  # compiling all axes takes longer than solving a small level
def _length(axis: str) -> CodeType:
    """The length of an axis, to be evaluated."""
    return compile(axis, axis, "eval")
