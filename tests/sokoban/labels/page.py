"""The tables of arrays in ``docs/labels.md``."""

from pathlib import Path

import numpy as np

PAGE = Path(__file__).resolve().parents[3] / "docs" / "labels.md"


def listed_arrays(heading: str) -> dict[str, tuple[str, ...]]:
    """Type and shape of each array that the section lists."""
    _, section = PAGE.read_text().split(f"\n{heading}\n")
    listed: dict[str, tuple[str, ...]] = {}
    for line in section.split("\n## ")[0].splitlines():
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if len(cells) == 4 and cells[0].startswith("`"):
            listed |= {name.strip(" `"): tuple(cells[1:3]) for name in cells[0].split(",")}
    return listed


def kind_of(array: np.ndarray) -> str:
    """Its type as safetensors names it."""
    return f"{array.dtype.kind.upper()}{8 * array.dtype.itemsize}"
