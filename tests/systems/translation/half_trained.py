"""A translator of a toy language, half trained: it ends at many lengths and is never sure."""

import copy
from functools import cache

import torch
from torch.nn import functional

from tokoban.systems.translation.model import Translator
from tokoban.text.bpe import BOS, EOS, PAD

VOCABULARY = 11  # the four specials and seven words
MAX_POSITIONS = 17


def drawn_sources(num_sources: int, *, seed: int = 7) -> list[list[int]]:
    """Of one to nine tokens each, without specials."""
    generator = torch.Generator().manual_seed(seed)
    lengths = torch.randint(1, 10, (num_sources,), generator=generator).tolist()
    return [
        torch.randint(4, VOCABULARY, (length,), generator=generator).tolist() for length in lengths
    ]


def padded(rows: list[list[int]]) -> torch.Tensor:
    longest = max(map(len, rows))
    return torch.tensor([row + [PAD] * (longest - len(row)) for row in rows])


@cache
def half_trained(*, pre_norm: bool = False) -> Translator:
    """In double precision; for the time being it says a sentence backwards, more or less."""
    torch.manual_seed(5)
    model = Translator(
        vocabulary_size=VOCABULARY,
        width=12,
        num_layers=2,
        num_decoder_layers=2,
        num_heads=2,
        hidden_width=13,
        dropout=0.0,
        pre_norm=pre_norm,
        max_positions=MAX_POSITIONS,
    )
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for step in range(60):
        sources = drawn_sources(32, seed=step)
        targets = [row[::-1] for row in sources]
        logits = model(
            padded([[*row, EOS] for row in sources]), padded([[BOS, *row] for row in targets])
        )
        wanted = padded([[*row, EOS] for row in targets])
        optimizer.zero_grad()
        functional.cross_entropy(logits.mT, wanted, ignore_index=PAD).backward()
        optimizer.step()
    return model.double().requires_grad_(False)


def impatient(model: Translator) -> Translator:
    """A copy that would rather end at once."""
    model = copy.deepcopy(model)
    biases = [
        bias
        for name, bias in model.transformer.decoder.named_parameters()
        if name.endswith("norm.bias")
    ]
    biases[-1].data += 9 * model.embedding.weight[EOS]
    starts = padded([[*source, EOS] for source in drawn_sources(9)]), torch.full((9, 1), BOS)
    assert (model(*starts)[:, 0].argmax(-1) == EOS).all()
    return model
