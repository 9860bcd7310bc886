"""The arrays of a store, a named tuple, made as its annotations say.

A *column* of an axis has one entry for each of what the store holds, such as positions.
"""

from collections.abc import Iterator

import numpy as np
from jaxtyping import AbstractArray


def new_columns(store: type, **sizes: int) -> dict[str, np.ndarray]:
    """An array of zeros for each field that has an axis of ``sizes``, by the field's name.

    Their other axes must be numbers: with P=5, ``Int32[np.ndarray, "2 P"]`` has 2 x 5 entries.
    """
    return {
        name: np.zeros([sizes[axis] if axis in sizes else int(axis) for axis in axes], dtype)
        for name, axes, dtype in _arrays(store)
        if sizes.keys() & set(axes)
    }


def column_names(store: type, axis: str) -> tuple[str, ...]:
    """The fields of a named tuple that have this axis, in their order."""
    return tuple(name for name, axes, _ in _arrays(store) if axis in axes)


def _arrays(store: type) -> Iterator[tuple[str, list[str], str]]:
    """Name, axes and dtype of each field of a named tuple that is an array."""
    for name, kind in store.__annotations__.items():
        if isinstance(kind, type) and issubclass(kind, AbstractArray):
            yield name, kind.dim_str.split(), kind.dtypes[0]
