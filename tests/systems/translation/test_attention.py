"""Every panel of a translation has its tokens, by what is written or read at their places."""

import torch

from tests.systems.translation.drawn import drawn_translator
from tokoban.systems.translation.alignment import aligning_head, all_attention
from tokoban.systems.translation.attention import attention
from tokoban.systems.translation.model import Translator
from tokoban.text.bpe import train_bpe
from tokoban.viewing.attention_page import TokenRow


def translator(*, has_tokenizer: bool = True) -> Translator:
    tokenizer = train_bpe(["eine grüne Tür"], vocabulary_size=280, has_space_before=True)
    return drawn_translator(280, tokenizer if has_tokenizer else None)


def test_each_panel_has_its_tokens_and_the_weights_of_its_kind() -> None:
    model = translator()
    assert model.tokenizer is not None
    source, target = model.tokenizer.encode("eine Tür"), model.tokenizer.encode("grüne")
    panels = {panel.name: panel for panel in attention(model, source, target).panels}
    expected = all_attention(model, source, target)
    labels = {
        name: (panel.queries.labels, panel.keys.labels)
        for name, panel in panels.items()
        if isinstance(panel.queries, TokenRow) and isinstance(panel.keys, TokenRow)
    }
    read, written = labels["source to itself"][0], labels["translation to source"][0]
    assert "".join(read).split() == ["eine", "Tür(end)"]
    assert "".join(written) == " grüne(end)"
    assert labels == {
        "translation to source": (written, read),
        "source to itself": (read, read),
        "translation to itself": (written, ["(start)", *written[:-1]]),
    }
    for name, weights in (
        ("translation to source", expected.cross),
        ("source to itself", expected.encoder),
        ("translation to itself", expected.decoder),
    ):
        assert torch.equal(panels[name].weights, weights)
    # Nothing is looked at before it is written.
    assert torch.equal(expected.decoder, expected.decoder.tril())
    assert not torch.equal(expected.encoder, expected.encoder.tril())


def test_cross_attention_opens_at_the_head_that_agrees_best_with_the_alignment() -> None:
    # Three layers of two heads; the second layer is the last but one, whose mean is the alignment.
    right, previous, even = torch.eye(5), torch.eye(5).roll(1, 0), torch.full((5, 5), 0.2)
    cross = torch.stack([previous, even, even, 0.5 * right + 0.5 * even, even, right])
    assert aligning_head(cross.view(3, 2, 5, 5)) == (2, 1)
    assert aligning_head(cross.view(3, 2, 5, 5)[:2]) == (0, 0)  # now the first layer aligns
    model = translator()
    panel = attention(model, [5, 6], [7, 8, 9]).panels[0]
    assert panel.start()[:2] == aligning_head(panel.weights)
