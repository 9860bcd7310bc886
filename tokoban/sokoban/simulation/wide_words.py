"""Sets of cells in several int64 words, and single cells among them, for boards of any one size.

Cell (row, column) is bit row * (width + 1) + column + 1. The bit between two rows is wall, so no
step wraps around; the first and the last of all bits are wall as well.
Axes: ``words`` the words of a set, ``*B`` any batch shape, H rows and W columns.
"""

from typing import NamedTuple

import torch
from jaxtyping import Bool, Int, Int64
from torch import Tensor

from tokoban.sokoban.simulation.bits import NUM_BITS, bits

# Compiled, comparing all of so few words is faster than indexing.
_FEW_WORDS = 8


def num_words(height: int, width: int) -> int:
    """The number of words for the cells and the wall bits before, between and after the rows."""
    return height * (width + 1) // NUM_BITS + 1


def bit_number(row: int, column: int, width: int) -> int:
    """The bit of a cell."""
    return row * (width + 1) + column + 1


def offsets(directions: Int[Tensor, "*B"], width: int) -> Int64[Tensor, "*B"]:
    """The difference of bit numbers of a step in each direction."""
    directions = directions.long()
    distance = (width + 1) - width * (directions & 1)
    return ((directions & 2) - 1) * distance


class Bit(NamedTuple):
    """One bit for each board."""

    number: Int64[Tensor, "*B"]  # among all bits
    word: Int64[Tensor, "*B"]  # the word that contains it
    mask: Int64[Tensor, "*B"]  # the bit in that word


def bit(numbers: Int64[Tensor, "*B"], num_words: int) -> Bit:
    """The bits of these numbers, clamped to the first and the last bit, which are wall."""
    numbers = numbers.clamp(0, NUM_BITS * num_words - 1)
    return Bit(numbers, numbers >> 6, torch.ones_like(numbers) << (numbers & 63))


def is_set(words: Int64[Tensor, "words *B"], bit: Bit) -> Bool[Tensor, "*B"]:
    """Whether the bit of each board is in its set."""
    if torch.compiler.is_compiling() and len(words) <= _FEW_WORDS:
        word = words[0]
        for number in range(1, len(words)):
            word = torch.where(bit.word == number, words[number], word)
    else:
        word = words.gather(0, bit.word.unsqueeze(0)).squeeze(0)
    return (word & bit.mask) != 0


def only(bit: Bit, words: Int64[Tensor, "words *B"]) -> Int64[Tensor, "words *B"]:
    """Sets of a single cell, in as many words as ``words``."""
    empty = torch.zeros_like(words)
    return empty.scatter_(0, bit.word.unsqueeze(0), bit.mask.unsqueeze(0))


def moved(
    words: Int64[Tensor, "words *B"], start: Bit, end: Bit, is_moving: Bool[Tensor, "*B"]
) -> Int64[Tensor, "words *B"]:
    """The sets with the cell ``start``, which they contain, replaced by ``end``."""
    taken = torch.where(is_moving, start.mask, 0)
    put = torch.where(is_moving, end.mask, 0)
    if torch.compiler.is_compiling() and len(words) <= _FEW_WORDS:
        changes = (
            torch.where(start.word == number, taken, 0) ^ torch.where(end.word == number, put, 0)
            for number in range(len(words))
        )
        return words ^ torch.stack(list(changes))
    # Since start is set and end is not, adding flips the bits.
    less = words.scatter_add(0, start.word.unsqueeze(0), -taken.unsqueeze(0))
    return less.scatter_add_(0, end.word.unsqueeze(0), put.unsqueeze(0))


def shift(
    words: Int64[Tensor, "words *B"], direction: int, width: int
) -> Int64[Tensor, "words *B"]:
    """The cells moved one step in ``direction``; those that leave the board become wall bits."""
    num_words, num_bits = divmod(1 if direction & 1 else width + 1, NUM_BITS)
    move = _later if direction > 1 else _earlier
    words = move(words, num_words)
    if num_bits == 0:
        return words
    beside = move(words, 1)
    if direction > 1:
        return (words << num_bits) | _shifted_right(beside, NUM_BITS - num_bits)
    return _shifted_right(words, num_bits) | (beside << (NUM_BITS - num_bits))


def _shifted_right(words: Tensor, num_bits: int) -> Tensor:
    """A logical right shift; int64's own copies the sign."""
    return (words >> num_bits) & ((1 << (NUM_BITS - num_bits)) - 1)


def _later(words: Tensor, distance: int) -> Tensor:
    """Word i becomes word i + ``distance``; zeros come in."""
    rest = words[: max(0, len(words) - distance)]
    return torch.cat([torch.zeros_like(words[: len(words) - len(rest)]), rest])


def _earlier(words: Tensor, distance: int) -> Tensor:
    """Word i becomes word i - ``distance``; zeros come in."""
    rest = words[distance:]
    return torch.cat([rest, torch.zeros_like(words[: len(words) - len(rest)])])


def cells(words: Int64[Tensor, "words *B"], height: int, width: int) -> Bool[Tensor, "*B H W"]:
    """The ``height`` x ``width`` cells of each board."""
    flat = bits(words.movedim(0, -1)).flatten(-2)
    return flat[..., 1 : 1 + height * (width + 1)].unflatten(-1, (height, width + 1))[..., :width]
