"""The attention of a GPT in a text, for the attention page."""

from collections.abc import Sequence

import torch

from tokoban.sokoban.wording import counted
from tokoban.systems.gpt.model import Gpt
from tokoban.systems.gpt.stepper import context_start
from tokoban.systems.gpt.texts import tokenizer_of
from tokoban.transformer import evaluating, record_attention
from tokoban.viewing.attention_page import AttentionPanel, AttentionView, TokenRow

_VISIBLE = str.maketrans({" ": "␣", "\n": "⏎", "\t": "⇥"})
_GUIDE = (
    "Look for heads that attend to the token before, or to an earlier place of the same token; a "
    "head that attends to the first token alone has nothing to add here."
)


@torch.no_grad()
def attention(model: Gpt, tokens: Sequence[int]) -> AttentionView:
    """The attention of each token to earlier ones, within the context at the text's end."""
    seen = tokens[context_start(len(tokens), model.context_length) :]
    with evaluating(model), record_attention(model) as record:
        model(torch.tensor([seen], device=model.embedding.weight.device))
    tokenizer = tokenizer_of(model)
    labels = [tokenizer.decode([token]).translate(_VISIBLE) for token in seen]
    row = TokenRow(labels)
    guide = _GUIDE
    if len(seen) < len(tokens):
        shown = f"the last {len(seen):,} of {counted(len(tokens), 'token')}"
        guide += f" The model no longer saw the beginning of the text: these are {shown}."
    panel = AttentionPanel("self-attention", record.stacked()[:, 0], row, row)
    return AttentionView([panel], guide)
