"""The tables of arrays in ``docs/labels.md``."""

from collections.abc import Mapping
from dataclasses import fields
from enum import IntEnum
from pathlib import Path
from typing import Any

import numpy as np

PAGE = Path(__file__).resolve().parents[3] / "docs" / "labels.md"


def check_page(heading: str, shard: Any, sizes: Mapping[str, int], origins: type[IntEnum]) -> None:
    """That the section lists every array with its type, as safetensors names it, and its shape."""
    axis = {size: name for name, size in sizes.items()}
    assert len(axis) == len(sizes)
    arrays = {field.name: getattr(shard, field.name) for field in fields(shard)}
    assert _listed_arrays(heading) == {
        name: (_kind_of(array), " ".join(axis[size] for size in array.shape))
        for name, array in arrays.items()
    }
    page = PAGE.read_text()
    for origin in origins:
        assert f"| {int(origin)} `{origin.name}` |" in page


def _listed_arrays(heading: str) -> dict[str, tuple[str, ...]]:
    _, section = PAGE.read_text().split(f"\n{heading}\n")
    listed: dict[str, tuple[str, ...]] = {}
    for line in section.split("\n## ")[0].splitlines():
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if len(cells) == 4 and cells[0].startswith("`"):
            listed |= {name.strip(" `"): tuple(cells[1:3]) for name in cells[0].split(",")}
    return listed


def _kind_of(array: np.ndarray) -> str:
    return f"{array.dtype.kind.upper()}{8 * array.dtype.itemsize}"
