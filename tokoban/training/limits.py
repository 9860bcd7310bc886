"""The limits of a config's fields: ``width: Annotated[int, Between(1, 4096)]``.

The most is where a file of some kilobytes would ask for gigabytes, or a user has mistyped.
``config.check_limits`` reads them.
"""

from dataclasses import KW_ONLY, dataclass
from typing import Annotated


@dataclass(frozen=True)
class Between:
    """Annotates a field for its limits: of its number, or of each in its tuple; None has none.

    ``least`` and ``most`` are within, ``above`` and ``below`` without.
    """

    least: float | None = None
    most: float | None = None
    _: KW_ONLY
    above: float | None = None
    below: float | None = None

    def holds(self, number: float) -> bool:
        """Whether it is within the limits; NaN never is."""
        return (
            (self.least is None or number >= self.least)
            and (self.most is None or number <= self.most)
            and (self.above is None or number > self.above)
            and (self.below is None or number < self.below)
        )

    def __str__(self) -> str:
        if self.least is not None and self.most is not None:
            return f"{self.least} to {self.most}"
        words = {"at least": self.least, "above": self.above}
        words |= {"at most": self.most, "below": self.below}
        return ", ".join(f"{word} {limit}" for word, limit in words.items() if limit is not None)


Count = Annotated[int, Between(1)]
CountOrZero = Annotated[int, Between(0)]
NumLayers = Annotated[int, Between(1, 1000)]
Width = Annotated[int, Between(1, 2**16)]  # of a layer, or a batch
Seed = Annotated[int, Between(0, 2**63 - 1)]
Share = Annotated[float, Between(0, 1)]
ShareBelowOne = Annotated[float, Between(0, below=1)]
Positive = Annotated[float, Between(above=0)]
NotNegative = Annotated[float, Between(0)]
