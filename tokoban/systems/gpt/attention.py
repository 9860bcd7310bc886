"""The attention of a GPT in a text, for the attention page."""

from collections.abc import Sequence

import torch

from tokoban.systems.gpt.model import Gpt
from tokoban.systems.gpt.stepper import context_start
from tokoban.systems.gpt.tokens import Tokenizer
from tokoban.transformer import evaluating, record_attention
from tokoban.viewing.attention_page import AttentionPanel, TokenRow

_VISIBLE = str.maketrans({" ": "␣", "\n": "⏎", "\t": "⇥"})


@torch.no_grad()
def attention_panel(model: Gpt, tokens: Sequence[int], tokenizer: Tokenizer) -> AttentionPanel:
    """The attention of each token to earlier ones, within the context at the text's end."""
    seen = tokens[context_start(len(tokens), model.context_length) :]
    with evaluating(model), record_attention(model) as record:
        model(torch.tensor([seen], device=model.embedding.weight.device))
    labels = [tokenizer.decode([token]).translate(_VISIBLE) for token in seen]
    row = TokenRow(labels)
    return AttentionPanel("self-attention", record.stacked()[:, 0], row, row)
