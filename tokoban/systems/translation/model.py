"""The transformer of "Attention Is All You Need": https://arxiv.org/abs/1706.03762, section 3.

Axes: B sentences, S source positions, T target positions, D width, V vocabulary.
"""

import math

from jaxtyping import Bool, Float, Int64
from torch import Tensor, nn
from torch.nn import functional

from tokoban.text.bpe import PAD, Tokenizer
from tokoban.text.saved import TextModel
from tokoban.transformer import BlockOptions, Decoder, Encoder, EncoderDecoder, masks, sinusoidal

EXTRA_LENGTH = 50  # tokens by which a translation may be longer than its source, as in the paper


class Translator(TextModel[Tokenizer]):
    """Source and target tokens -> logits of each next target token.

    One matrix embeds source and target and is the projection before the softmax. The tokenizer, if
    there is one, is kept with the weights: a model without it can translate no text.
    """

    position_vectors: Float[Tensor, "T D"]

    def __init__(
        self,
        *,
        vocabulary_size: int,
        width: int,
        num_layers: int,
        num_decoder_layers: int,
        num_heads: int,
        hidden_width: int,
        dropout: float,
        pre_norm: bool,
        max_positions: int,
        tokenizer: Tokenizer | None = None,
    ) -> None:
        super().__init__(tokenizer, read_tokenizer=Tokenizer.from_json)
        self.max_positions = max_positions
        self.embedding = nn.Embedding(vocabulary_size, width)
        options = BlockOptions(hidden_width=hidden_width, dropout=dropout, pre_norm=pre_norm)
        self.transformer = EncoderDecoder(
            Encoder(num_layers, width, num_heads, options=options),
            Decoder(num_decoder_layers, width, num_heads, options=options),
        )
        vectors = sinusoidal(max_positions + EXTRA_LENGTH, width)
        self.register_buffer("position_vectors", vectors, persistent=False)
        self._initialise()

    def _initialise(self) -> None:
        """As tensor2tensor, since the paper does not say: Xavier, and embeddings of length 1."""
        width = self.embedding.embedding_dim
        for module in self.modules():
            if isinstance(module, nn.Linear):
                nn.init.xavier_uniform_(module.weight)
                nn.init.zeros_(module.bias)
        nn.init.normal_(self.embedding.weight, std=width**-0.5)

    def forward(
        self, source: Int64[Tensor, "B S"], target: Int64[Tensor, "B T"]
    ) -> Float[Tensor, "B T V"]:
        """The logits after each target token, given it and those before; padding is on the right.

        Source padding is hidden. Target padding needs no mask: nothing before it can see it.
        """
        hidden = self.transformer(
            self._embed(source),
            self._embed(target),
            source_may_attend=_is_token(source),
            target_may_attend=masks.causal(target.shape[1], device=target.device),
        )
        return functional.linear(hidden, self.embedding.weight)

    def _embed(self, tokens: Int64[Tensor, "B T"]) -> Float[Tensor, "B T D"]:
        length, limit = tokens.shape[1], len(self.position_vectors)
        if length > limit:
            raise ValueError(f"{length} tokens; this translator has room for {limit}")
        scale = math.sqrt(self.embedding.embedding_dim)
        return self.embedding(tokens) * scale + self.position_vectors[:length]


def _is_token(tokens: Int64[Tensor, "B S"]) -> Bool[Tensor, "B 1 1 S"]:
    return (tokens != PAD)[:, None, None, :]
