"""Where a GPT looks: the weights of the page are those of the pass that chose the last token."""

import torch

from tests.systems.gpt.models import random_gpt, random_prompts
from tokoban.systems.gpt.attention import attention
from tokoban.systems.gpt.texts import tokenizer_of
from tokoban.transformer import record_attention
from tokoban.viewing.attention_page import TokenRow


def test_a_short_text_is_shown_whole_with_spaces_to_be_seen() -> None:
    model = random_gpt()
    (panel,) = attention(model, tokenizer_of(model).encode("ab\n c")).panels
    assert panel.queries == panel.keys == TokenRow(["a", "b", "⏎", "␣", "c"])
    assert panel.weights.shape == (2, 3, 5, 5)  # layers, heads
    assert torch.allclose(panel.weights.sum(-1), torch.ones(2, 3, 5))


def test_of_a_long_text_the_end_is_shown_that_the_model_still_sees() -> None:
    model = random_gpt(dropout=0.5).train()
    (text,) = random_prompts(41)
    (panel,) = attention(model, text).panels
    assert model.training
    seen = torch.tensor([text[22:]])  # 41 - 22 <= 23, and half of 23 is 11
    with record_attention(model.eval()) as record:
        model(seen)
    for layer, (weights,) in enumerate(record.values()):
        assert torch.equal(panel.weights[layer], weights[0])
