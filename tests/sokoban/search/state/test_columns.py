"""Columns have the axes and dtypes of the annotations, and only those that were asked for."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Int16, Int64, UInt64

from tokoban.sokoban.search.state.columns import new_columns
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


def test_columns_are_zeros_of_the_annotated_shapes_and_dtypes() -> None:
    columns = new_columns(Store, P=7, W=3)
    assert {name: (column.shape, column.dtype) for name, column in columns.items()} == {
        "boxes": ((7, 3), np.uint64),
        "links": ((2, 7), np.int16),
        "is_open": ((7,), np.bool_),
    }
    assert not any(column.any() for column in columns.values())
    assert new_columns(Store, C=5)["root"].shape == (5,)
