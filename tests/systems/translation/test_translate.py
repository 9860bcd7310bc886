"""What a translation must be, whoever is translated beside it; and the seam to the decoding."""

import copy
import itertools
import random
from collections.abc import Sequence
from typing import Any

import pytest
import torch

from tests.systems.translation.half_trained import (
    MAX_POSITIONS,
    VOCABULARY,
    drawn_sources,
    half_trained,
    impatient,
    padded,
)
from tokoban.decoding import Stepper, length_penalised_beam_search, sample
from tokoban.inference.cached import CachedEngine
from tokoban.systems.translation import translate as translate_module
from tokoban.systems.translation.engine import Precision, network_of, prepare_for_inference
from tokoban.systems.translation.model import EXTRA_LENGTH
from tokoban.systems.translation.stepper import FREE, TranslationStepper, forbidden_tokens
from tokoban.systems.translation.translate import Hypothesis, gnmt_penalty, translate
from tokoban.text.bpe import BOS, EOS, PAD, UNK

SOURCES = drawn_sources(10)
OURS = f"this translator's are 0 to {VOCABULARY - 1}"
WORDS = range(UNK + 1, VOCABULARY)
WAYS: dict[str, dict[str, Any]] = {
    "greedy": {"beam": 1},
    "beam": {"beam": 4, "nbest": 3},
    "wide beam": {"beam": 9, "length_penalty": 1.0, "nbest": 2},
    "prefixed": {"beam": 3, "forced_prefix": [9, 5]},
}


def forced_score_nats(source: Sequence[int], tokens: Sequence[int]) -> float:
    """What teacher forcing says of a translation and its end."""
    whole = [*tokens, EOS]
    logits = half_trained()(torch.tensor([[*source, EOS]]), torch.tensor([[BOS, *tokens]]))
    return logits[0].log_softmax(-1).gather(1, torch.tensor(whole)[:, None]).sum().item()


def assert_alike(one: list[list[Hypothesis]], other: list[list[Hypothesis]]) -> None:
    """The same words, and scores but for rounding."""
    for mine, others in zip(one, other, strict=True):
        assert [h.tokens for h in mine] == [h.tokens for h in others]
        assert [h.score for h in mine] == pytest.approx([h.score for h in others], abs=1e-10)


@pytest.mark.parametrize("way", WAYS)
def test_scores_are_those_of_teacher_forcing(way: str) -> None:
    options = WAYS[way]
    penalty = gnmt_penalty(options.get("length_penalty", 0.6))
    for source, found in zip(SOURCES, translate(half_trained(), SOURCES, **options), strict=True):
        assert len(found) == options.get("nbest", 1)
        for hypothesis in found:
            assert not {PAD, BOS, EOS, UNK} & set(hypothesis.tokens)
            assert hypothesis.score_nats == pytest.approx(
                forced_score_nats(source, hypothesis.tokens), abs=1e-9
            )
            length = len(hypothesis.tokens) + 1
            assert hypothesis.score == pytest.approx(hypothesis.score_nats / penalty(length))
        scores = [hypothesis.score for hypothesis in found]
        assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("way", WAYS)
def test_batch_order_and_neighbours_change_nothing(way: str) -> None:
    options = WAYS[way] | {"max_length": 9}
    expected = translate(half_trained(), SOURCES, **options)
    for batch_size in (1, 3):
        assert_alike(translate(half_trained(), SOURCES, batch_size=batch_size, **options), expected)
    order = random.Random(1).sample(range(len(SOURCES)), 7)
    some = translate(half_trained(), [SOURCES[number] for number in order], **options)
    assert_alike(some, [expected[number] for number in order])


def test_where_memory_is_short_fewer_are_translated_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    expected, sizes = translate(half_trained(), SOURCES), list[int]()
    read = CachedEngine.read

    def counting(self: CachedEngine, prompts: Sequence[Sequence[int]], **options: Any) -> Any:
        sizes.append(len(prompts))
        return read(self, prompts, **options)

    monkeypatch.setattr(CachedEngine, "read", counting)
    monkeypatch.setattr(translate_module, "MOST_BYTES", 4 * 5 * 20_000)  # 20 rows of 51 tokens
    assert_alike(translate(half_trained(), SOURCES), expected)
    assert max(sizes) <= 4
    assert sum(sizes) == len(SOURCES)


def test_a_beam_of_one_takes_the_most_probable_token_again_and_again() -> None:
    for source, (best,) in zip(SOURCES, translate(half_trained(), SOURCES, beam=1), strict=True):
        tokens: list[int] = []
        while True:
            logits = half_trained()(torch.tensor([[*source, EOS]]), torch.tensor([[BOS, *tokens]]))
            forbidden = [PAD, BOS, UNK] if tokens else [PAD, BOS, UNK, EOS]
            allowed = logits[0, -1].index_fill(0, torch.tensor(forbidden), -torch.inf)
            if (token := int(allowed.argmax())) == EOS:
                break
            tokens.append(token)
        assert best.tokens == tokens


@pytest.mark.parametrize("alpha", [0.0, 0.6, 2.0])
def test_a_wide_beam_finds_the_best_of_all_translations(alpha: float) -> None:
    penalty = gnmt_penalty(alpha)
    for source in SOURCES[:2]:
        candidates = [
            list(words) for n in range(1, 4) for words in itertools.product(WORDS, repeat=n)
        ]
        inputs = padded([[BOS, *words] for words in candidates])
        log_probs = half_trained()(
            torch.tensor([[*source, EOS]] * len(candidates)), inputs
        ).log_softmax(-1)
        wanted = padded([[*words, EOS] for words in candidates])
        nats = log_probs.gather(2, wanted[:, :, None])[:, :, 0].masked_fill(wanted == PAD, 0.0)
        scores = [
            float(nats[k].sum()) / penalty(len(words) + 1) for k, words in enumerate(candidates)
        ]
        best = max(range(len(candidates)), key=scores.__getitem__)
        ((found,),) = translate(
            half_trained(), [source], beam=350, length_penalty=alpha, max_length=4
        )
        assert found.tokens == candidates[best]
        assert found.score == pytest.approx(scores[best])


def test_the_penalty_is_gnmts() -> None:
    assert gnmt_penalty(0.6)(10) == pytest.approx(1.732862, abs=1e-6)
    assert gnmt_penalty(0.0)(7) == gnmt_penalty(3.0)(1) == 1.0


def test_a_prefix_is_kept_and_the_rest_is_the_best_after_it() -> None:
    prefix = [9, 5, 9]
    for beam in (1, 4):
        found = translate(half_trained(), SOURCES, beam=beam, forced_prefix=prefix)
        assert all(best.tokens[:3] == prefix for (best,) in found)
    own = translate(half_trained(), SOURCES[:4], beam=1)
    for source, (best,) in zip(SOURCES, own, strict=False):
        ((again,),) = translate(half_trained(), [source], beam=1, forced_prefix=best.tokens[:2])
        assert again.tokens == best.tokens


def test_a_translation_ends_where_it_has_no_more_room() -> None:
    lengths = [
        len(best.tokens)
        for (best,) in translate(half_trained(), SOURCES, max_length=4, length_penalty=3.0)
    ]
    assert max(lengths) == 3


@pytest.mark.parametrize("way", [way for way in WAYS if way != "prefixed"])
def test_no_translation_is_empty_where_there_is_room_for_a_token(way: str) -> None:
    model, sources = impatient(half_trained()), drawn_sources(9)
    for found in translate(model, sources, **WAYS[way]):
        assert all(hypothesis.tokens for hypothesis in found)
    shortest = translate(model, sources, beam=1, max_length=1)
    assert [best.tokens for (best,) in shortest] == [[]] * 9


def test_no_translation_is_longer_than_its_source_and_fifty() -> None:
    model = half_trained()
    stepper = TranslationStepper(
        CachedEngine(network_of(model)).read([[5, EOS]]),
        forced=torch.full((1, 1 + EXTRA_LENGTH), FREE),
        forbidden=forbidden_tokens(model),
    )
    assert stepper.max_length == 51
    log_probs = stepper.log_probs()
    # A translator that never ends of its own will.
    model.embedding.weight.data[EOS] -= 100.0
    try:
        lengths = [
            len(best.tokens) + 1 for (best,) in translate(model, SOURCES[:5], length_penalty=9.0)
        ]
    finally:
        model.embedding.weight.data[EOS] += 100.0
    assert torch.equal(stepper.log_probs(), log_probs)
    assert all(n <= len(source) + 50 for n, source in zip(lengths, SOURCES, strict=False))


def test_a_model_in_training_translates_without_dropout_and_stays_in_training() -> None:
    model = half_trained()
    expected = translate(model.eval(), SOURCES)
    model.transformer.encoder.input_dropout.p = 0.5
    try:
        assert_alike(translate(model.train(), SOURCES), expected)
        assert model.training
    finally:
        model.transformer.encoder.input_dropout.p = 0.0


@pytest.mark.parametrize(
    ("source", "options", "message"),
    [
        ([5] * MAX_POSITIONS, {}, "sentence 2 has 17 tokens; this translator reads at most 16"),
        ([5], {"beam": 0}, "beam is 0; expected at least 1"),
        ([5], {"nbest": 0}, "nbest is 0; expected at least 1"),
        ([5], {"batch_size": 0}, "batch_size is 0; expected at least 1"),
        ([5], {"beam": 2, "nbest": 3}, "nbest is 3; expected at most beam, which is 2"),
        ([5], {"length_penalty": -0.1}, "length_penalty is -0.1; expected 0 (none) to 100"),
        (
            [5],
            {"forced_prefix": [5, 6, 7], "max_length": 3},
            "sentence 1 has 1 token, so its translation has at most 3 with its end; "
            "the prefix has 3",
        ),
        (
            [5],
            {"forced_prefix": [5, VOCABULARY]},
            f"the forced prefix has token {VOCABULARY}; {OURS}",
        ),
        ([5], {"forced_prefix": [-1], "beam": 1}, f"the forced prefix has token -1; {OURS}"),
        ([5, VOCABULARY], {}, f"sentence 2 has token {VOCABULARY}; {OURS}"),
        (  # 4 bytes x (2 x 2 x 2 layers x width 12 x 51 + 8 x 11 tokens) x 10,000,001
            [5],
            {"beam": 10_000_000},
            "sentence 1 cannot be translated: 10,000,000 translations of up to 51 tokens at a time "
            "would take about 199 GB; expected so few that 4 GB suffice",
        ),
    ],
)
def test_what_cannot_be_translated_is_refused(
    source: list[int], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError) as refusal:
        translate(half_trained(), [[5], source], **options)
    assert str(refusal.value) == message


def stepper(width: int, *, max_length: int = 12) -> TranslationStepper:
    sources = [[*row, EOS] for row in SOURCES[:5]]
    engine = CachedEngine(network_of(half_trained()))
    return TranslationStepper(
        engine.read(sources, width=width, max_length=max_length),
        forced=torch.full((5 * width, max_length), FREE),
        forbidden=forbidden_tokens(half_trained()),
    )


def test_the_stepper_keeps_to_the_protocol() -> None:
    assert isinstance(stepper(1), Stepper)


def test_cached_steps_equal_whole_passes_after_any_parents() -> None:
    """With rows that move, are dropped, and share a source; at every step."""
    width, histories = 3, torch.full((15, 1), BOS)
    sources = torch.arange(5).repeat_interleave(width)
    generator = torch.Generator().manual_seed(1)
    under_test = stepper(width)
    for step in range(11):
        whole = half_trained()(padded([[*SOURCES[s], EOS] for s in sources.tolist()]), histories)
        expected = whole[:, -1].log_softmax(-1)
        expected[:, [PAD, BOS, UNK] if step else [PAD, BOS, UNK, EOS]] = -torch.inf
        assert torch.allclose(under_test.log_probs(), expected, rtol=0, atol=1e-10)
        groups = torch.arange(len(sources) // width)
        if step in (3, 7):
            groups = groups[groups != 1]
        within = torch.randint(0, width, (len(groups), width), generator=generator)
        parents = (groups[:, None] * width + within).flatten()
        actions = torch.randint(4, VOCABULARY, (len(parents),), generator=generator)
        actions[0] = EOS
        is_end = under_test.advance(parents, actions)
        assert is_end.tolist() == [True] + [False] * (len(parents) - 1)
        sources, histories = sources[parents], torch.cat([histories[parents], actions[:, None]], 1)


def test_searching_and_sampling_at_width_one_are_the_same() -> None:
    greedy = sample(stepper(1), num_rows=5, max_steps=12)
    beam = length_penalised_beam_search(stepper(1), num_searches=5, width=1, max_steps=12, end=EOS)
    assert greedy.is_finished.all()
    assert torch.equal(greedy.actions, beam.actions[:, 0])
    assert torch.allclose(greedy.scores_nats.double(), beam.scores_nats[:, 0], atol=1e-5)


@pytest.mark.parametrize("precision", ["bf16", "int8"])
def test_rounded_a_translation_is_worth_nearly_as_much(precision: Precision) -> None:
    model = copy.deepcopy(half_trained()).float()
    exact = [best.score for (best,) in translate(model, SOURCES)]
    # Without packed weights of bf16 this rounds the model itself.
    rounded = prepare_for_inference(model, torch.device("cpu"), precision=precision)
    found = [best.score for (best,) in translate(model, SOURCES, engine=rounded)]
    assert found != exact
    assert found == pytest.approx(exact, abs=0.2)
