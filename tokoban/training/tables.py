"""Metrics as short tables of plain text."""

from collections.abc import Mapping
from typing import Any

Metrics = Mapping[str, Any]  # numbers and texts, by their names


def two_columns(metrics: Metrics) -> str:
    """A line for each metric: its name and its value, the numbers right-aligned."""
    rows = [("metric", "value"), *((name, _shown(value)) for name, value in metrics.items())]
    name_width = max(len(name) for name, _ in rows)
    numbers = [shown for (_, shown), value in zip(rows[1:], metrics.values(), strict=True)
               if not isinstance(value, str)]  # fmt: skip
    width = max(map(len, [rows[0][1], *numbers]))
    return "\n".join(f"{name:<{name_width}}  {shown:>{width}}" for name, shown in rows)


class GrowingTable:
    """A table that is printed row by row; the header comes again when the columns change.

    Ends of intervals are left out. What is too wide for a table is a line for each metric.
    """

    def __init__(self) -> None:
        self._widths: dict[str, int] = {}

    def add(self, metrics: Metrics) -> str:
        """The text of another row, after the header if it is a new one."""
        metrics = {name: x for name, x in metrics.items() if not name.endswith(("_low", "_high"))}
        values = {name: _shown(value, digits=4) for name, value in metrics.items()}
        widths = {name: max(len(name), _NARROWEST) for name in values}
        if sum(widths.values()) > _WIDEST:
            return two_columns(metrics)
        lines = []
        if widths != self._widths:
            self._widths = widths
            lines.append("  ".join(f"{name:>{width}}" for name, width in self._widths.items()))
        lines.append("  ".join(f"{values[name]:>{width}}" for name, width in self._widths.items()))
        return "\n".join(lines)


_NARROWEST = 6  # characters of a column: four digits, a point and a sign
_WIDEST = 120  # of all columns


def _shown(value: Any, *, digits: int = 6) -> str:
    return str(value) if isinstance(value, str | int) else format(value, f".{digits}g")
