"""The arrays of a named tuple have the axes and dtypes of its annotations."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Int16, Int64, UInt64

from tokoban.sokoban.search.state.columns import columns_of, enlarge_columns, zeroed
from tokoban.sokoban.search.state.positions import Positions


class Store(NamedTuple):
    boxes: UInt64[np.ndarray, "P W"]
    positions: Positions
    links: Int16[np.ndarray, "2 P"]
    is_open: Bool[np.ndarray, " P"]
    root: Int64[np.ndarray, " C"]
    squares: Int64[np.ndarray, "F+1"]
    progress: Int64[np.ndarray, "3"]
    size: int


def test_arrays_are_zeros_of_the_annotated_shapes_and_dtypes_where_none_are_given() -> None:
    root = np.full(5, -1)
    store = zeroed(Store, P=7, F=131, positions=None, root=root, size=2)
    shapes = {
        "boxes": ((7, 3), np.uint64),  # 131 squares have 3 words
        "links": ((2, 7), np.int16),
        "is_open": ((7,), np.bool_),
        "squares": ((132,), np.int64),
        "progress": ((3,), np.int64),
    }
    for name, shape in shapes.items():
        array = getattr(store, name)
        assert (array.shape, array.dtype, array.any()) == (*shape, False)
    assert store.root is root and store.size == 2


def test_columns_of_one_axis_get_more_rows_and_keep_those_they_have() -> None:
    store = zeroed(Store, P=7, C=5, F=131, positions=None, size=2)
    columns = columns_of(store, "P")
    assert len(columns) == 2 and columns[0] is store.boxes and columns[1] is store.is_open
    store.boxes[:], store.is_open[:] = 3, True
    enlarge_columns(store, "P", 11)
    for column in columns:
        assert len(column) == 11 and column[:7].all() and not column[7:].any()
    assert store.links.shape == (2, 7) and store.root.shape == (5,)
