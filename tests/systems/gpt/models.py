"""Networks that no test has to train: few weights, drawn from a seed, large enough to choose."""

import torch

from tokoban.systems.gpt.config import Positions
from tokoban.systems.gpt.model import Gpt
from tokoban.text.characters import CharacterTokenizer

CHARACTERS = "\n abcdefghij"  # 12; the network has room for 13


def random_gpt(
    positions: Positions = "rotary",
    *,
    context_length: int = 23,
    dropout: float = 0.0,
    dtype: torch.dtype = torch.float32,
) -> Gpt:
    """A model of 2 layers and 3 heads that prefers some tokens strongly, for no reason."""
    torch.manual_seed(5)
    model = Gpt(
        vocabulary_size=13,
        num_layers=2,
        num_heads=3,
        width=18,
        context_length=context_length,
        positions=positions,
        activation="gelu",
        dropout=dropout,
        has_biases=True,
        is_tied=False,
        tokenizer=CharacterTokenizer(CHARACTERS),
    )
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() == 2:
                parameter.normal_(std=0.6)
    return model.to(dtype).eval()


def random_prompts(*lengths: int) -> list[list[int]]:
    """Tokens of ``random_gpt``'s vocabulary, so many a prompt."""
    generator = torch.Generator().manual_seed(7)
    return [torch.randint(12, (length,), generator=generator).tolist() for length in lengths]
