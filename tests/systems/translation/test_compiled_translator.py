"""Translation in compiled loops is translation by torch, token by token."""

import copy
from typing import Any

import pytest
import torch

from tests.systems.translation.half_trained import (
    MAX_POSITIONS,
    drawn_sources,
    half_trained,
    impatient,
    padded,
)
from tokoban.decoding import Sampling
from tokoban.systems.translation import compiled_translator
from tokoban.systems.translation.compiled_translator import CompiledRows, CompiledTranslator
from tokoban.systems.translation.model import EXTRA_LENGTH, Compiled, Rows, Translator
from tokoban.systems.translation.stepper import CachedRows
from tokoban.systems.translation.translate import Hypothesis, made_ready, translate
from tokoban.text.bpe import BOS, EOS

SOURCES = [*drawn_sources(6), [], [5]]
NORMS = pytest.mark.parametrize("pre_norm", [True, False], ids=["pre-norm", "post-norm"])
WAYS: dict[str, dict[str, Any]] = {
    "greedy": {"beam": 1, "batch_size": 1},
    "prefixed": {"beam": 1, "batch_size": 1, "forced_prefix": [9, 5]},
    "greedy, together": {"beam": 1},
    "beam": {"beam": 4, "nbest": 4, "batch_size": 3},
    "prefixed beam": {"beam": 3, "forced_prefix": [9, 5], "length_penalty": 1.0},
    "sampled": {"sampling": Sampling(seed=3), "nbest": 2},
}


def drawn_translator(*, pre_norm: bool, max_positions: int = MAX_POSITIONS) -> Translator:
    """Its gains, shifts and biases are no ones and zeros, and its widths no whole panels."""
    torch.manual_seed(3)
    model = Translator(
        vocabulary_size=89,
        width=28,
        num_layers=3,
        num_heads=7,
        hidden_width=71,
        dropout=0.5,
        pre_norm=pre_norm,
        max_positions=max_positions,
    )
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "norm" in name or "bias" in name:
                parameter.add_(torch.randn_like(parameter) / 3)
    return model.eval().requires_grad_(False)


def ready(model: Translator) -> Translator:
    found = made_ready(model, torch.device("cpu"))
    assert isinstance(found.compiled, CompiledTranslator) and isinstance(found.compiled, Compiled)
    return found


def assert_alike(found: list[list[Hypothesis]], expected: list[list[Hypothesis]]) -> None:
    for mine, others in zip(found, expected, strict=True):
        assert [h.tokens for h in mine] == [h.tokens for h in others]
        assert [h.score for h in mine] == pytest.approx([h.score for h in others], abs=1e-4)
        assert [h.score_nats for h in mine] == pytest.approx(
            [h.score_nats for h in others], abs=1e-4
        )


@NORMS
@pytest.mark.parametrize("way", WAYS)
def test_it_says_what_torch_says(way: str, pre_norm: bool) -> None:
    model = drawn_translator(pre_norm=pre_norm)
    options = {**WAYS[way], "max_length": 7}
    expected = translate(model, SOURCES, **{**options, "batch_size": 32})
    assert_alike(translate(ready(model), SOURCES, **options), expected)


@NORMS
@pytest.mark.parametrize("way", ["greedy", "beam"])
def test_it_ends_where_a_trained_one_ends(way: str, pre_norm: bool) -> None:
    model = copy.deepcopy(half_trained(pre_norm=pre_norm)).float()
    expected = translate(model, SOURCES, **{**WAYS[way], "batch_size": 32})
    assert len({len(best.tokens) for best, *_ in expected}) > 3
    assert_alike(translate(ready(model), SOURCES, **WAYS[way]), expected)


@NORMS
@pytest.mark.parametrize("way", ["greedy", "beam"])
def test_it_does_not_end_at_once_either(way: str, pre_norm: bool) -> None:
    model = impatient(half_trained(pre_norm=pre_norm)).float()
    sources = drawn_sources(9)
    expected = translate(model, sources, **{**WAYS[way], "batch_size": 32})
    assert all(best.tokens for best, *_ in expected)
    assert_alike(translate(ready(model), sources, **WAYS[way]), expected)


@NORMS
def test_rows_have_the_logits_of_their_parents_words_whatever_moves(pre_norm: bool) -> None:
    model = drawn_translator(pre_norm=pre_norm)
    compiled = ready(model).compiled
    assert compiled is not None
    source = padded([[*row, EOS] for row in ([5], [7, 11, 6, 9, 13], [8, 8, 5])])
    rows: list[Rows] = [
        compiled.begin(source, width=2, max_length=5),
        CachedRows(model, source, width=2, max_length=5),
    ]
    said = torch.full((6, 1), BOS)
    # All stay, change places within their source, and then the source in the middle is over.
    moves = [None, [1, 1, 3, 2, 4, 4], [0, 1, 5, 4], [1, 0, 2, 2]]
    for step, parents in enumerate(moves):
        if parents is not None:
            taken = torch.tensor(parents)
            said = said[taken]
            source = source[taken[::2] // 2]
            for each in rows:
                each.take(taken)
            newest = torch.arange(len(parents)) + 5 * step + 4
            said = torch.cat([said, newest[:, None]], dim=1)
        expected = model(source.repeat_interleave(2, dim=0), said)[:, -1]
        for each in rows:
            torch.testing.assert_close(each.read(said[:, -1]), expected, rtol=0, atol=1e-4)


def test_long_sources_and_translations_have_the_logits_of_torch() -> None:
    model = drawn_translator(pre_norm=True, max_positions=97)
    compiled = ready(model).compiled
    assert compiled is not None
    words = torch.randint(4, 89, (2, 83), generator=torch.Generator().manual_seed(1))
    source = padded([[*words[0, :79].tolist(), EOS], [*words[1, :5].tolist(), EOS]])
    rows = compiled.begin(source, width=1, max_length=71)
    expected = model(source, words[:, :71])
    for position in range(71):
        found = rows.read(words[:, position])
        torch.testing.assert_close(found, expected[:, position], rtol=0, atol=1e-4)


def test_what_is_beside_the_weights_is_refused() -> None:
    model = drawn_translator(pre_norm=False)
    compiled = ready(model).compiled
    assert compiled is not None
    forced, room = torch.tensor([-1, EOS]), MAX_POSITIONS + EXTRA_LENGTH
    for token in 89, 10**9, -1:
        with pytest.raises(ValueError, match=f"^token {token}; this translator has 89$"):
            compiled.greedy([token, EOS], forced)
        with pytest.raises(ValueError, match=f"^token {token}; this translator has 89$"):
            compiled.begin(torch.tensor([[5, token, EOS]]), width=2, max_length=3)
        with pytest.raises(ValueError, match=f"^token {token}; this translator has 89$"):
            rows = compiled.begin(torch.tensor([[5, EOS]]), width=2, max_length=3)
            rows.read(torch.tensor([BOS, token]))
    with pytest.raises(ValueError, match=r"^token 89; this translator has 89$"):
        compiled.greedy([5, EOS], torch.tensor([89, -1, EOS]))
    with pytest.raises(
        ValueError, match=r"^sentence 1 has token 89; this translator's are 0 to 88$"
    ):
        translate(ready(model), [[89]], beam=2)
    refused = rf"^{room + 1} tokens; this translator has room for {room}$"
    with pytest.raises(ValueError, match=refused):
        compiled.greedy([5] * room + [EOS], forced)
    with pytest.raises(ValueError, match=refused):
        compiled.greedy([5, EOS], torch.full((room + 1,), -1))
    with pytest.raises(ValueError, match=refused):
        compiled.begin(torch.tensor([[5] * room + [EOS]]), width=1, max_length=3)
    with pytest.raises(ValueError, match=refused):
        compiled.begin(torch.tensor([[5, EOS]]), width=1, max_length=room + 1)


def test_rows_take_a_token_each_and_no_more_than_they_are_for() -> None:
    compiled = ready(drawn_translator(pre_norm=False)).compiled
    assert compiled is not None
    rows = compiled.begin(torch.tensor([[5, EOS], [7, EOS]]), width=2, max_length=2)
    with pytest.raises(ValueError, match=r"^got 3 tokens; expected one for each of 4 rows$"):
        rows.read(torch.full((3,), BOS))
    rows.read(torch.full((4,), BOS))
    rows.take(torch.tensor([1, 0]))  # what is kept has room for more of so few
    rows.read(torch.full((2,), 5))
    with pytest.raises(ValueError, match=r"^the rows are for 2 tokens, and full$"):
        rows.read(torch.full((2,), 5))


def test_a_forbidden_token_is_never_the_next() -> None:
    model = drawn_translator(pre_norm=False)

    def first(*forbidden: int) -> int:
        compiled = CompiledTranslator(
            model.transformer.encoder,
            model.transformer.decoder,
            embedding=model.embedding.weight,
            positions=model.position_vectors,
            forbidden=torch.tensor(forbidden),
        )
        return compiled.greedy([5, EOS], torch.tensor([-1, EOS]))[0][0]

    order = model(torch.tensor([[5, EOS]]), torch.tensor([[BOS]]))[0, 0].argsort(descending=True)
    assert first(EOS) == next(token for token in order.tolist() if token != EOS)
    assert first(EOS, *order[:3].tolist()) == next(x for x in order[3:].tolist() if x != EOS)


@pytest.mark.parametrize("way", ["greedy", "begin"])
def test_greedy_loops_are_for_single_sources_and_rows_for_all_others(
    way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class CalledError(Exception):
        pass

    def called(*_: object, **__: object) -> None:
        raise CalledError

    compiled = ready(drawn_translator(pre_norm=False))
    monkeypatch.setattr(CompiledTranslator, way, called)
    for options in {"beam": 1}, {"beam": 2}, {"beam": 1, "sampling": Sampling(seed=1)}:
        for sources in SOURCES[:1], SOURCES[:2]:
            is_greedy = options == {"beam": 1} and len(sources) == 1
            if is_greedy == (way == "greedy"):
                with pytest.raises(CalledError):
                    translate(compiled, sources, max_length=3, **options)
            else:
                translate(compiled, sources, max_length=3, **options)


def test_only_single_precision_is_compiled() -> None:
    model, cpu = drawn_translator(pre_norm=False), torch.device("cpu")
    assert made_ready(model, cpu, precision="bf16").compiled is None
    assert made_ready(model, cpu, precision="int8").compiled is None
    assert model.compiled is None


def test_a_large_model_has_the_rows_of_torch_and_no_copy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled_translator, "halves", None)
    model = ready(drawn_translator(pre_norm=False))
    assert model.compiled is not None and model.compiled.is_quicker()
    monkeypatch.setattr(compiled_translator, "_FEW_BYTES", 1000)
    assert not model.compiled.is_quicker()
    monkeypatch.setattr(CompiledRows, "read", None)
    translate(model, SOURCES[:2], beam=2, max_length=3)


def test_what_is_copied_is_the_translators_no_more() -> None:
    model = drawn_translator(pre_norm=False)
    compiled = ready(model).compiled
    assert compiled is not None
    forced = torch.tensor([-1, -1, EOS])
    before = compiled.greedy([5, 7, EOS], forced)
    with torch.no_grad():
        for tensor in (*model.parameters(), model.position_vectors):
            tensor.zero_()
    assert compiled.greedy([5, 7, EOS], forced) == before
