"""A small translator whose weights are drawn, and never trained."""

import torch

from tokoban.systems.translation.model import Translator
from tokoban.text.bpe import Tokenizer


def drawn_translator(vocabulary_size: int, tokenizer: Tokenizer | None) -> Translator:
    torch.manual_seed(3)
    return Translator(
        vocabulary_size=vocabulary_size,
        width=12,
        num_layers=3,
        num_decoder_layers=3,
        num_heads=2,
        hidden_width=13,
        dropout=0.5,
        pre_norm=False,
        max_positions=97,
        tokenizer=tokenizer,
    )
