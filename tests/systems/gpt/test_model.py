"""The network: what it may see, how large it is, how it starts, and what a cache and padding do."""

import math
from dataclasses import replace

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from tests.systems.gpt.models import CHARACTERS, random_gpt, random_prompts
from tokoban.inference.cached import CachedEngine
from tokoban.inference.plain import PlainEngine
from tokoban.systems.gpt import config
from tokoban.systems.gpt.config import Positions
from tokoban.systems.gpt.engine import network_of
from tokoban.systems.gpt.model import Gpt
from tokoban.systems.gpt.train import build_model
from tokoban.text.bpe import train_bpe
from tokoban.text.characters import CharacterTokenizer

BOTH = pytest.mark.parametrize("positions", ["rotary", "learned"])


def _num_parameters(model: Gpt) -> int:
    return sum(parameter.numel() for parameter in model.parameters())


@BOTH
def test_a_changed_token_changes_its_own_logits_and_later_ones_but_none_before(
    positions: Positions,
) -> None:
    model = random_gpt(positions)
    (tokens,) = torch.tensor(random_prompts(23)).split(1)
    before = model(tokens)
    for place in (0, 7, 22):
        changed = tokens.clone()
        changed[0, place] = (changed[0, place] + 1) % 12
        is_same = (model(changed) == before).all(dim=-1)[0].tolist()
        assert is_same == [True] * place + [False] * (23 - place)


@BOTH
def test_an_engine_says_what_the_model_says(positions: Positions) -> None:
    model = random_gpt(positions, dtype=torch.float64)
    prompts = random_prompts(3, 11, 7)
    for engine in (PlainEngine(network_of(model)), CachedEngine(network_of(model))):
        rows = engine.read(prompts)
        rows.advance(torch.tensor([5, 0, 11]), None)
        for number, prompt in enumerate(prompts):
            with torch.no_grad():
                alone = model(torch.tensor([[*prompt, [5, 0, 11][number]]]))[0, -1]
            assert torch.allclose(rows.output[number], alone)


def test_more_tokens_than_it_can_see_are_refused() -> None:
    with pytest.raises(ValueError, match="24 tokens; this model can see 23"):
        random_gpt()(torch.zeros(1, 24, dtype=torch.int64))


def test_the_published_recipe_has_nanogpts_parameters_and_ours_no_more() -> None:
    # Of a layer: 12 matrices of 128 x 128, and the scales of two norms; besides: 65 embeddings,
    # 64 positions and a norm.
    published = 4 * (12 * 128**2 + 2 * 128) + (65 + 64 + 1) * 128
    assert _num_parameters(build_model(config.shakespeare_small())) == published == 804_096
    assert _num_parameters(build_model(config.small())) == published - 64 * 128
    large = 6 * (12 * 384**2 + 2 * 384) + (65 + 256 + 1) * 384
    assert _num_parameters(build_model(config.shakespeare())) == large


def test_the_residual_stream_starts_no_larger_behind_twelve_layers_than_behind_two() -> None:
    """A net whose stream grows with depth stands still at first: nanoGPT's issue 211."""

    def variance_behind(num_layers: int) -> float:
        torch.manual_seed(3)
        model = build_model(replace(config.shakespeare_small(), num_layers=num_layers))
        found: list[float] = []
        model.body.last_norm.register_forward_pre_hook(lambda _, x: found.append(x[0].var().item()))
        model(torch.randint(65, (5, 61)))
        return found[0]

    assert variance_behind(12) == pytest.approx(variance_behind(2), rel=0.1)


@pytest.mark.parametrize(
    "tokenizer",
    [CharacterTokenizer(CHARACTERS), train_bpe(["a cab"], vocabulary_size=261), None],
    ids=["characters", "bpe", "none"],
)
def test_the_tokenizer_is_kept_with_the_weights(tokenizer: CharacterTokenizer | None) -> None:
    model, other = random_gpt(), random_gpt()
    for each in (model, other):
        each.embedding = torch.nn.Embedding(263, 18)
    model.tokenizer, other.tokenizer = tokenizer, CharacterTokenizer("xyz")
    other.load_state_dict(model.state_dict())
    if tokenizer is None:
        assert other.tokenizer is None
    else:
        assert other.tokenizer is not None
        assert other.tokenizer.to_json() == tokenizer.to_json()
        assert type(other.tokenizer) is type(tokenizer)


def test_a_tokenizer_of_more_tokens_than_the_network_knows_is_refused() -> None:
    model, other = random_gpt(), random_gpt()
    model.tokenizer = CharacterTokenizer("abcdefghijklmn")
    with pytest.raises(ValueError, match="a tokenizer of 14 tokens; the network knows 13"):
        other.load_state_dict(model.state_dict())


@pytest.mark.parametrize("is_mingpt", [True, False], ids=["minGPT", "nanoGPT"])
def test_logits_are_those_of_the_published_models_written_out(is_mingpt: bool) -> None:
    """minGPT: GELU by tanh and a head of its own; nanoGPT: exact, a tied head, here no biases."""
    model = Gpt(
        vocabulary_size=13, num_layers=2, num_heads=3, width=15, context_length=11,
        positions="learned", activation="gelu_tanh" if is_mingpt else "gelu", dropout=0.0,
        has_biases=is_mingpt, is_tied=not is_mingpt,
    ).eval()  # fmt: skip
    torch.manual_seed(3)
    for parameter in model.parameters():
        nn.init.normal_(parameter, std=0.5)  # large, so that all matter
    weights = model.state_dict()

    def linear(x: Tensor, name: str) -> Tensor:
        return functional.linear(x, weights[f"{name}.weight"], weights.get(f"{name}.bias"))

    def norm(x: Tensor, name: str) -> Tensor:
        own = weights[f"{name}.weight"], weights.get(f"{name}.bias")
        return functional.layer_norm(x, (15,), *own)

    tokens, may_attend = torch.arange(22).reshape(2, 11) % 13, torch.ones(11, 11).tril().bool()
    x = weights["embedding.weight"][tokens] + weights["positions.table"]
    for block in ("body.blocks.0", "body.blocks.1"):
        normed = norm(x, f"{block}.attention_residual.norm")
        q, k, v = (
            linear(normed, f"{block}.attention.{part}").unflatten(2, (3, 5)).transpose(1, 2)
            for part in ("query", "key", "value")
        )
        scores = (q @ k.mT / math.sqrt(5)).masked_fill(~may_attend, -math.inf)
        mixed = (scores.softmax(-1) @ v).transpose(1, 2).flatten(2)
        x = x + linear(mixed, f"{block}.attention.output")
        hidden = linear(
            norm(x, f"{block}.feed_forward_residual.norm"), f"{block}.feed_forward.expand"
        )
        hidden = functional.gelu(hidden, approximate="tanh" if is_mingpt else "none")
        x = x + linear(hidden, f"{block}.feed_forward.contract")
    head = weights["head.weight" if is_mingpt else "embedding.weight"]
    with torch.no_grad():
        assert torch.allclose(model(tokens), norm(x, "body.last_norm") @ head.T, atol=1e-4)
