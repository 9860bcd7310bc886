"""A tokenizer's text as a tensor of bytes, so that it is kept in the file of a model's weights."""

import zlib

import torch
from jaxtyping import UInt8
from torch import Tensor


def text_to_bytes(text: str) -> UInt8[Tensor, "bytes"]:
    """The text, compressed."""
    return torch.frombuffer(bytearray(zlib.compress(text.encode(), 9)), dtype=torch.uint8)


def text_from_bytes(state: UInt8[Tensor, "bytes"]) -> str:
    """The inverse of ``text_to_bytes``; ``ValueError`` if the bytes are something else."""
    try:
        return zlib.decompress(state.cpu().numpy().tobytes()).decode()
    except (zlib.error, UnicodeDecodeError):
        raise ValueError("the weights hold no readable tokenizer") from None
