"""A network with its tokenizer, which is saved in the file of its weights."""

import zlib
from collections.abc import Callable
from typing import Generic, Protocol, TypeVar, runtime_checkable

import torch
from jaxtyping import UInt8
from torch import Tensor, nn

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


@runtime_checkable
class SavedTokenizer(Protocol):
    """What a file of weights needs of a tokenizer."""

    @property
    def vocabulary_size(self) -> int: ...
    def to_json(self) -> str: ...


TokenizerT = TypeVar("TokenizerT", bound=SavedTokenizer)


class TextModel(nn.Module, Generic[TokenizerT]):
    """Embeds tokens. Its tokenizer, if it has one, is kept with the weights, as compressed JSON."""

    embedding: nn.Embedding

    def __init__(
        self, tokenizer: TokenizerT | None, *, read_tokenizer: Callable[[str], TokenizerT]
    ) -> None:
        """``read_tokenizer`` reads JSON, and raises ``ValueError`` for anything else."""
        super().__init__()
        self.tokenizer, self._read_tokenizer = tokenizer, read_tokenizer

    def get_extra_state(self) -> UInt8[Tensor, "bytes"]:
        """The tokenizer's bytes, none of them where there is no tokenizer."""
        return text_to_bytes("" if self.tokenizer is None else self.tokenizer.to_json())

    def set_extra_state(self, state: UInt8[Tensor, "bytes"]) -> None:
        """The inverse of ``get_extra_state``; ``ValueError`` if the bytes are something else."""
        text = text_from_bytes(state)
        tokenizer = self._read_tokenizer(text) if text else None
        if tokenizer and tokenizer.vocabulary_size > self.embedding.num_embeddings:
            raise ValueError(
                f"a tokenizer of {tokenizer.vocabulary_size} tokens; the network knows "
                f"{self.embedding.num_embeddings}"
            )
        self.tokenizer = tokenizer


def tokenizer_of(model: TextModel[TokenizerT]) -> TokenizerT:
    """The tokenizer that was saved with the model's weights; ``ValueError`` if there was none."""
    if model.tokenizer is None:
        raise ValueError("these weights have no tokenizer, so they cannot read text")
    return model.tokenizer
