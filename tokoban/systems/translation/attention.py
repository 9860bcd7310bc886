"""The attention of a translator in a sentence and its translation, for the attention page."""

from collections.abc import Sequence

from tokoban.systems.translation.alignment import aligning_head, all_attention
from tokoban.systems.translation.model import Translator
from tokoban.systems.translation.texts import tokenizer_of
from tokoban.viewing.attention_page import AttentionPanel, AttentionView, TokenRow

_GUIDE = (
    "In the first panel, look for heads that act as a dictionary, where each written token attends "
    "to the source token that it translates; in the other two, for heads that attend to a "
    "neighbour, or to a word that belongs to the query's."
)


def attention(model: Translator, source: Sequence[int], target: Sequence[int]) -> AttentionView:
    """Cross-attention first, then the self-attention of encoder and decoder.

    A query of the decoder is labelled with the token that it writes, a key with the token that it
    reads. Cross-attention opens at the head that agrees best with the alignment. Source and target
    are given without special tokens; ``ValueError`` if the model has no tokenizer.
    """
    tokenizer = tokenizer_of(model)
    read, written = (
        [tokenizer.bytes_of(token).decode(errors="replace") for token in tokens]
        for tokens in (source, target)
    )
    sources = TokenRow([*read, "(end)"])
    writing, before = TokenRow([*written, "(end)"]), TokenRow(["(start)", *written])
    weights = all_attention(model, source, target)
    panels = [
        AttentionPanel(
            "translation to source",
            weights.cross,
            writing,
            sources,
            aligned_head=aligning_head(weights.cross),
        ),
        AttentionPanel("source to itself", weights.encoder, sources, sources),
        AttentionPanel("translation to itself", weights.decoder, writing, before),
    ]
    return AttentionView(panels, _GUIDE)
