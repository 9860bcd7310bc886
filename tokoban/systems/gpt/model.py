"""A decoder-only transformer, pre-norm: tokens -> what comes next.

After GPT-2 and https://github.com/karpathy/nanoGPT. Axes: B rows, T positions, D width,
V vocabulary.
"""

import math
from collections.abc import Callable
from functools import partial

import torch
from jaxtyping import Float, Int64
from torch import Tensor, nn
from torch.nn import functional

from tokoban.systems.gpt.config import ActivationName, Positions
from tokoban.systems.gpt.tokens import Tokenizer, tokenizer_from_json
from tokoban.text.saved import TextModel
from tokoban.transformer import BlockOptions, Encoder, EncoderBlock, LearnedPositions, Rotary, masks

_STD = 0.02  # of the weights at the start, as GPT-2 has it


class Gpt(TextModel[Tokenizer]):
    """Tokens -> logits of each next token, for at most ``context_length`` tokens.

    The tokenizer, if there is one, is kept with the weights: a model without it can read no text.
    Where it ``reads_lines``, each is a text of its own, which begins after a line break.
    """

    def __init__(
        self,
        *,
        vocabulary_size: int,
        num_layers: int,
        num_heads: int,
        width: int,
        context_length: int,
        positions: Positions,
        activation: ActivationName,
        dropout: float,
        has_biases: bool,
        is_tied: bool,
        reads_lines: bool = False,
        tokenizer: Tokenizer | None = None,
    ) -> None:
        super().__init__(tokenizer, read_tokenizer=tokenizer_from_json)
        self.context_length = context_length
        self.reads_lines = reads_lines
        self.embedding = nn.Embedding(vocabulary_size, width)
        is_learned = positions == "learned"
        self.positions = LearnedPositions(context_length, width) if is_learned else None
        self.body = Encoder(
            num_layers,
            width,
            num_heads,
            options=BlockOptions(
                dropout=dropout,
                bias=has_biases,
                activation=_ACTIVATIONS[activation],
                rotary=None if is_learned else Rotary(),
            ),
        )
        if not has_biases:
            # As many draws as biases take: a seed gives the same weights with and without them.
            torch.empty(num_layers * 9 * width).uniform_()
        self.head = None if is_tied else nn.Linear(width, vocabulary_size, bias=False)
        self._initialise()

    def _initialise(self) -> None:
        """As GPT-2: what is added to the residual stream is the smaller the more layers add."""
        for module in self.modules():
            if isinstance(module, nn.Linear | nn.Embedding):
                nn.init.normal_(module.weight, std=_STD)
            if isinstance(module, nn.Linear) and module.bias is not None:
                nn.init.zeros_(module.bias)
        for block in self.body.blocks:
            assert isinstance(block, EncoderBlock)
            for last in (block.attention.output, block.feed_forward.contract):
                nn.init.normal_(last.weight, std=_STD / math.sqrt(2 * len(self.body.blocks)))

    def forward(self, tokens: Int64[Tensor, "B T"]) -> Float[Tensor, "B T V"]:
        """The logits after each token, given it and those before."""
        may_attend = masks.causal(tokens.shape[1], device=tokens.device)
        return self._logits(self.body(self._embed(tokens), may_attend=may_attend))

    def _embed(self, tokens: Int64[Tensor, "B T"]) -> Float[Tensor, "B T D"]:
        length = tokens.shape[1]
        if length > self.context_length:
            raise ValueError(f"{length} tokens; this model can see {self.context_length}")
        x = self.embedding(tokens)
        return x if self.positions is None else x + self.positions(length)

    def _logits(self, hidden: Float[Tensor, "*B D"]) -> Float[Tensor, "*B V"]:
        if self.head is None:
            return functional.linear(hidden, self.embedding.weight)
        return self.head(hidden)


def _squared_relu(x: Tensor) -> Tensor:
    return functional.relu(x).square()


_ACTIVATIONS: dict[ActivationName, Callable[[Tensor], Tensor]] = {
    "gelu": functional.gelu,
    "gelu_tanh": partial(functional.gelu, approximate="tanh"),
    "squared_relu": _squared_relu,
}
