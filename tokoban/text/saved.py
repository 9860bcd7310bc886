"""A tokenizer's JSON as a tensor of bytes, to be saved in a file of weights."""

import zlib

import torch
from jaxtyping import UInt8
from torch import Tensor

_MOST_BYTES = 16 * 2**20  # of a text; the tokenizer of 37,000 tokens has a million


def text_to_bytes(text: str) -> UInt8[Tensor, "bytes"]:
    """The text, compressed."""
    return torch.frombuffer(bytearray(zlib.compress(text.encode(), 9)), dtype=torch.uint8)


def text_from_bytes(state: UInt8[Tensor, "bytes"]) -> str:
    """The inverse of ``text_to_bytes``; ``ValueError`` for anything else.

    Also for a text of more than 16 MiB: compressed, a million blanks are a kilobyte.
    """
    unpacking = zlib.decompressobj()
    try:
        content = unpacking.decompress(state.cpu().numpy().tobytes(), _MOST_BYTES)
        if unpacking.unconsumed_tail:
            raise ValueError(f"the tokenizer of these weights has more than {_MOST_BYTES:,} bytes")
        if not unpacking.eof:
            raise zlib.error("cut off")
        return content.decode()
    except (zlib.error, UnicodeDecodeError):
        raise ValueError("the weights hold no readable tokenizer") from None
