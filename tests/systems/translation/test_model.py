"""The paper's network: its sizes, and equality with one built of torch's own layers."""

import math

import pytest
import torch
from torch import nn
from torch.nn import functional

from tests.transformer.test_against_torch import (
    draw,
    take_decoder,
    take_encoder,
    with_drawn_weights,
)
from tokoban.systems.translation import config as presets
from tokoban.systems.translation.model import EXTRA_LENGTH, Translator
from tokoban.systems.translation.train import build_model
from tokoban.text.bpe import BOS, EOS, PAD, Tokenizer, train_bpe

V, N, E, HIDDEN, S, T = 23, 3, 4, 17, 7, 5
LAYERS, DECODER_LAYERS = 2, 3
D = N * E
NORM_ORDERS = pytest.mark.parametrize("pre_norm", [True, False], ids=["pre-norm", "post-norm"])

SOURCE = torch.tensor([[5, 6, 7, 8, 9, 10, EOS], [11, 12, 13, EOS, PAD, PAD, PAD]])
TARGET = torch.tensor([[BOS, 14, 15, 16, 17], [BOS, 18, 19, PAD, PAD]])


def translator(*, pre_norm: bool = False, dropout: float = 0.0) -> Translator:
    torch.manual_seed(5)
    return Translator(
        vocabulary_size=V,
        width=D,
        num_layers=LAYERS,
        num_decoder_layers=DECODER_LAYERS,
        num_heads=N,
        hidden_width=HIDDEN,
        dropout=dropout,
        pre_norm=pre_norm,
        max_positions=11,
    ).double()


def golden_positions(length: int) -> torch.Tensor:
    """Section 3.5 of the paper, number by number."""
    rows = [
        [(math.sin, math.cos)[i % 2](position / 10_000 ** ((i - i % 2) / D)) for i in range(D)]
        for position in range(length)
    ]
    return torch.tensor(rows, dtype=torch.float64)


@NORM_ORDERS
@pytest.mark.filterwarnings("ignore:enable_nested_tensor is True")
def test_it_is_torchs_own_transformer_with_the_same_weights(pre_norm: bool) -> None:
    theirs = nn.Transformer(
        D, N, LAYERS, DECODER_LAYERS, HIDDEN, dropout=0.0, batch_first=True, norm_first=pre_norm
    )
    if not pre_norm:  # torch has a last norm in both orders, the paper in none
        theirs.encoder.norm = theirs.decoder.norm = None
    with_drawn_weights(theirs)
    ours = translator(pre_norm=pre_norm)
    take_encoder(ours.transformer.encoder, theirs.encoder)
    take_decoder(ours.transformer.decoder, theirs.decoder)

    embedding = draw(V, D, seed=9)
    ours.embedding.weight.data = embedding
    hidden = theirs(
        functional.embedding(SOURCE, embedding) * math.sqrt(D) + golden_positions(S),
        functional.embedding(TARGET, embedding) * math.sqrt(D) + golden_positions(T),
        tgt_mask=nn.Transformer.generate_square_subsequent_mask(T, dtype=torch.float64),
        src_key_padding_mask=SOURCE == PAD,
        memory_key_padding_mask=SOURCE == PAD,
    )
    found = ours(SOURCE, TARGET)
    # Positions are in single precision, as weights are.
    assert torch.allclose(found, hidden @ embedding.T, rtol=0, atol=1e-5)


def test_the_published_sizes_have_as_many_parameters_as_published() -> None:
    counts = {}
    for make in (presets.tiny, presets.base, presets.big):
        with torch.device("meta"):
            model = build_model(make())
        counts[make.__name__] = sum(parameter.numel() for parameter in model.parameters())
    # The paper says 65 and 213 million; Wu et al. 2.6.
    assert counts == {"tiny": 2_568_192, "base": 63_082_496, "big": 214_245_376}


def test_one_matrix_embeds_and_projects() -> None:
    model = translator()
    assert [name for name, p in model.named_parameters() if p.shape[0] == V] == ["embedding.weight"]
    before = model(SOURCE, TARGET)
    with torch.no_grad():
        model.embedding.weight[20] += 1.0  # which stands in neither text
    changed = (model(SOURCE, TARGET) != before).any(dim=0).any(dim=0)
    assert changed.nonzero().flatten().tolist() == [20]


def test_dropout_falls_on_both_sums_of_embedding_and_position_and_on_every_sublayer() -> None:
    model = translator(dropout=0.5)
    places = {name for name, module in model.named_modules() if isinstance(module, nn.Dropout)}
    halves = {
        "encoder": (LAYERS, ("attention", "feed_forward")),
        "decoder": (DECODER_LAYERS, ("attention", "cross_attention", "feed_forward")),
    }
    assert places == {
        f"transformer.{half}.{place}"
        for half, (depth, sublayers) in halves.items()
        for place in (
            "input_dropout",
            *(f"blocks.{n}.{sublayer}.dropout" for n in range(depth) for sublayer in sublayers),
        )
    }
    assert not torch.equal(model(SOURCE, TARGET), model(SOURCE, TARGET))
    model.eval()
    assert torch.equal(model(SOURCE, TARGET), model(SOURCE, TARGET))


def test_what_is_padding_changes_nothing() -> None:
    model = translator()
    whole = model(SOURCE, TARGET)
    alone = model(SOURCE[1:, :4], TARGET[1:, :3])
    assert torch.allclose(whole[1:, :3], alone, rtol=0, atol=1e-12)


def test_a_token_to_come_changes_nothing_before_it() -> None:
    model = translator()
    before = model(SOURCE, TARGET)
    for place in range(1, T):
        changed = TARGET.clone()
        changed[:, place] = 21
        after = model(SOURCE, changed)
        assert torch.equal(after[:, :place], before[:, :place])
        assert not torch.isclose(after[:, place:], before[:, place:]).all(dim=-1).any()


def test_more_tokens_than_there_is_room_for_are_refused() -> None:
    model = translator()
    too_long = torch.full((1, 11 + EXTRA_LENGTH + 1), 5)
    with pytest.raises(ValueError, match="62 tokens; this translator has room for 61"):
        model(too_long, TARGET[:1])


def test_the_tokenizer_is_kept_with_the_weights() -> None:
    def kept_of(tokenizer: Tokenizer | None) -> str | None:
        model, other = translator(), translator()
        for each in (model, other):
            each.embedding = torch.nn.Embedding(271, D)
        model.tokenizer = tokenizer
        other.load_state_dict(model.state_dict())
        return None if other.tokenizer is None else other.tokenizer.to_json()

    tokenizer = train_bpe(["zwei Äpfel", "two apples"], vocabulary_size=270)
    assert kept_of(tokenizer) == tokenizer.to_json()
    assert kept_of(None) is None
