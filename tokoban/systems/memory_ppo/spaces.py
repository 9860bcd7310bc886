"""What a game shows and what it can be told, in two kinds; Gymnasium's spaces become these."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Choices:
    """One of so many things, or several such choices at once: ``Discrete`` and ``MultiDiscrete``.

    A value is an int64 tensor [..., number of choices], each from 0.
    """

    counts: tuple[int, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """Of one value."""
        return (len(self.counts),)


@dataclass(frozen=True)
class Numbers:
    """A box of real numbers, or a picture; the bounds are of the flattened value, maybe infinite.

    A value is a float32 or uint8 tensor [..., *shape].
    """

    shape: tuple[int, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]


Space = Choices | Numbers
