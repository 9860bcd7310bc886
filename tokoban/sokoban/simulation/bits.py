"""The bits of int64 words, and hashing of words."""

from functools import cache

import torch
from jaxtyping import Bool, Int64
from torch import Tensor

NUM_BITS = 64


def bits(words: Int64[Tensor, "*W"]) -> Bool[Tensor, "*W 64"]:
    """The bits of each word, the lowest first."""
    if torch.compiler.is_compiling():
        numbers = torch.arange(NUM_BITS, device=words.device)
        return ((words.unsqueeze(-1) >> numbers) & 1).bool()
    # Eight bits at a time by a table of all bytes: seven times as fast on a CPU.
    in_bytes = words.contiguous().unsqueeze(-1).view(torch.uint8)
    eights = _bytes_on(words.device).index_select(0, in_bytes.flatten().int())
    return eights.view(torch.bool).view(*words.shape, NUM_BITS)


@cache
def _bytes_on(device: torch.device) -> Int64[Tensor, "256"]:
    """For each byte a word whose eight bytes are its bits, each 0 or 1."""
    spread = [sum((byte >> bit & 1) << 8 * bit for bit in range(8)) for byte in range(256)]
    return torch.tensor(spread, device=device)


def mixed(words: Int64[Tensor, "*W"]) -> Int64[Tensor, "*W"]:
    """A bijective hash of words: one round of a multiply-xorshift mixer, as in splitmix64."""
    # Multiplication never carries a high bit down; the shift does.
    words = words * -7046029254386353131
    return words ^ ((words >> 29) & 0x7FFFFFFFF)
