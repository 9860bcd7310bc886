"""Sets of cells in several int64 words, and single cells among them, for boards of any one size.

Cell (row, column) is bit row * (width + 1) + column + 1. So there is a bit between any two rows,
which is wall, and no step wraps around; the first and the last bit of all are wall as well.
Axes: ``words`` the words of a set, ``*B`` any batch shape, H rows and W columns.
"""

from typing import NamedTuple

import torch
from jaxtyping import Bool, Int, Int64
from torch import Tensor

from tokoban.sokoban.simulation.bits import NUM_BITS, bits

# Compiled, so few words are quicker looked at all than picked from by number.
_FEW_WORDS = 8


def num_words(height: int, width: int) -> int:
    """How many words the cells take, with the bits of wall before, between and after the rows."""
    return height * (width + 1) // NUM_BITS + 1


def bit_number(row: int, column: int, width: int) -> int:
    """Which of all bits stands for a cell."""
    return row * (width + 1) + column + 1


def offsets(directions: Int[Tensor, "*B"], width: int) -> Int64[Tensor, "*B"]:
    """How many bits further each step leads."""
    directions = directions.long()
    distance = (width + 1) - width * (directions & 1)
    return ((directions & 2) - 1) * distance


class Bit(NamedTuple):
    """One bit for each board."""

    number: Int64[Tensor, "*B"]  # among all bits
    word: Int64[Tensor, "*B"]  # which word it is in
    mask: Int64[Tensor, "*B"]  # the bit in that word


def bit(numbers: Int64[Tensor, "*B"], num_words: int) -> Bit:
    """The bits of these numbers; the first or the last, which are wall, for any beyond them."""
    numbers = numbers.clamp(0, NUM_BITS * num_words - 1)
    return Bit(numbers, numbers >> 6, torch.ones_like(numbers) << (numbers & 63))


def is_set(words: Int64[Tensor, "words *B"], bit: Bit) -> Bool[Tensor, "*B"]:
    """Whether the cell of each board is in its set."""
    if torch.compiler.is_compiling() and len(words) <= _FEW_WORDS:
        word = words[0]
        for number in range(1, len(words)):
            word = torch.where(bit.word == number, words[number], word)
    else:
        word = words.gather(0, bit.word.unsqueeze(0)).squeeze(0)
    return (word & bit.mask) != 0


def only(bit: Bit, words: Int64[Tensor, "words *B"]) -> Int64[Tensor, "words *B"]:
    """The sets of this one cell each, in as many words as ``words``."""
    empty = torch.zeros_like(words)
    return empty.scatter_(0, bit.word.unsqueeze(0), bit.mask.unsqueeze(0))


def moved(
    words: Int64[Tensor, "words *B"], start: Bit, end: Bit, is_moving: Bool[Tensor, "*B"]
) -> Int64[Tensor, "words *B"]:
    """The sets with the cell ``start``, which is in them, replaced by ``end``, which is not."""
    taken = torch.where(is_moving, start.mask, 0)
    put = torch.where(is_moving, end.mask, 0)
    if torch.compiler.is_compiling() and len(words) <= _FEW_WORDS:
        changes = (
            torch.where(start.word == number, taken, 0) ^ torch.where(end.word == number, put, 0)
            for number in range(len(words))
        )
        return words ^ torch.stack(list(changes))
    # Where one bit is set and the other is not, to add is to flip.
    less = words.scatter_add(0, start.word.unsqueeze(0), -taken.unsqueeze(0))
    return less.scatter_add_(0, end.word.unsqueeze(0), put.unsqueeze(0))


def shift(
    words: Int64[Tensor, "words *B"], direction: int, width: int
) -> Int64[Tensor, "words *B"]:
    """Every cell one step in ``direction``; those that would leave the board become wall bits."""
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
    """Without the copies of the sign that int64's own shift brings in."""
    return (words >> num_bits) & ((1 << (NUM_BITS - num_bits)) - 1)


def _later(words: Tensor, distance: int) -> Tensor:
    """Word i becomes word i + ``distance``; zeros come in."""
    kept = words[: max(0, len(words) - distance)]
    return torch.cat([torch.zeros_like(words[: len(words) - len(kept)]), kept])


def _earlier(words: Tensor, distance: int) -> Tensor:
    """Word i becomes word i - ``distance``; zeros come in."""
    kept = words[distance:]
    return torch.cat([kept, torch.zeros_like(words[: len(words) - len(kept)])])


def cells(words: Int64[Tensor, "words *B"], height: int, width: int) -> Bool[Tensor, "*B H W"]:
    """The ``height`` x ``width`` cells of each board."""
    flat = bits(words.movedim(0, -1)).flatten(-2)
    return flat[..., 1 : 1 + height * (width + 1)].unflatten(-1, (height, width + 1))[..., :width]
