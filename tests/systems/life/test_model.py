"""The article's network, to the letter; how many parameters there are; what is refused."""

import math
from dataclasses import replace

import pytest
import torch
from torch.nn import functional

from tokoban.systems.life import config
from tokoban.systems.life.config import LifeConfig
from tokoban.systems.life.model import LifeNet
from tokoban.systems.life.spec import SPEC
from tokoban.systems.life.train import build_model


def drawn_grids(num_grids: int, side: int) -> torch.Tensor:
    return torch.rand(num_grids, side, side, generator=torch.manual_seed(2)) < 0.5


def articles_net(model: LifeNet, grids: torch.Tensor) -> torch.Tensor:
    """SingleAttentionNet as the article writes it, with this model's matrices."""
    attention = model.mixing.attention
    x = grids.reshape(len(grids), -1).long()
    x = model.states[x] + model.position_vectors().flatten(0, 1)
    q, k, v = (x @ m.weight.T for m in (attention.query, attention.key, attention.value))
    x = x + torch.softmax(q @ k.transpose(-1, -2) / math.sqrt(x.shape[-1]), dim=-1) @ v
    x = x + functional.silu(x @ model.hidden.weight.T)
    return (x @ model.answer.weight.T).reshape(grids.shape)


@pytest.mark.parametrize("preset", [config.seed, config.life16])
def test_it_is_the_articles_network(preset: type[LifeConfig]) -> None:
    model = build_model(replace(preset(), side=7, width=13)).double()
    grids = drawn_grids(3, 7)
    torch.testing.assert_close(model(grids), articles_net(model, grids))


def test_parameters_are_counted_with_a_pencil() -> None:
    counts = {
        name: sum(weights.numel() for weights in build_model(preset.config()).parameters())
        for name, preset in SPEC.presets.items()
    }
    net = 2 * 64 + 64 * 64 + 64  # states, hidden layer, answer
    assert counts["seed"] == net + 3 * 64 * 64 + 256 * 64 == 32_960
    assert counts["life16"] == net + 3 * 64 * 64 + (16 + 16) * 64 == 18_624


def test_attention_knows_its_torus() -> None:
    model = build_model(config.tiny())
    with pytest.raises(ValueError, match="expected grids of 5 x 5, got 5 x 7"):
        model(torch.zeros(1, 5, 7, dtype=torch.bool))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rule": "B3"}, "unknown rule 'B3'"),
        ({"batch_grids": 3}, "batch_grids is 3; expected an even number: each"),
    ],
    ids=str,
)
def test_what_cannot_be_is_refused(change: dict[str, float | str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        LifeConfig(**change)  # type: ignore[arg-type]
