"""Reranking by the translator of the other direction and by a language model."""

from dataclasses import replace

import pytest
import torch

import tokoban
from tokoban import cli, pretrained
from tokoban.inference.cached import CachedEngine
from tokoban.pretrained.reranking import reranker_of
from tokoban.systems.translation import reranking
from tokoban.systems.translation.engine import network_of
from tokoban.systems.translation.model import Translator
from tokoban.systems.translation.reranking import Reranker
from tokoban.systems.translation.texts import Translation, translate_texts
from tokoban.systems.translation.translate import gnmt_penalty
from tokoban.text.bpe import BOS, EOS
from tokoban.text.saved import tokenizer_of

pytestmark = pytest.mark.usefixtures("shipped_once")

TEXTS = ["Das Haus hat 24 Zimmer.", "Ich bin müde. Du auch?", "12:30", "Ein Hund spielt."]


@pytest.fixture(scope="module")
def model() -> Translator:
    model, _ = pretrained.load("translation-de-en", system="translation")
    assert isinstance(model, Translator)
    return model


@pytest.fixture(scope="module")
def reranker() -> Reranker:
    reranker = reranker_of("translation-de-en")
    assert reranker is not None
    return reranker


def test_scores_are_those_of_teacher_forcing(model: Translator, reranker: Reranker) -> None:
    [found] = translate_texts(model, TEXTS[:1], nbest=4, reranker=reranker)
    tokenizer, penalty = tokenizer_of(reranker.channel), gnmt_penalty(0.6)
    source = tokenizer.encode(TEXTS[0])
    for one in found:
        given = torch.tensor([[*tokenizer.encode(one.text), EOS]])
        with torch.inference_mode():
            logits = reranker.channel(given, torch.tensor([[BOS, *source]]))[0].log_softmax(1)
        channel = float(logits[range(len(source) + 1), [*source, EOS]].sum())
        [language] = reranker.language_model([one.text])
        assert one.channel_log_prob_nats == pytest.approx(channel, rel=1e-4)
        lengths = penalty(len(one.tokens) + 1), penalty(len(source) + 1)
        direct = (one.log_prob_nats + 0.2 * language) / lengths[0]
        assert one.score == pytest.approx(direct + 0.4 * channel / lengths[1], rel=1e-4)
    scores = [one.score for one in found]
    assert scores == sorted(scores, reverse=True)


def test_the_beam_is_reordered_and_the_best_are_kept(model: Translator, reranker: Reranker) -> None:
    texts = [TEXTS[0], TEXTS[2], TEXTS[3]]  # of one sentence each
    alone = translate_texts(model, texts, nbest=4)
    reranked = translate_texts(model, texts, nbest=4, reranker=reranker)
    assert [{one.text for one in some} for some in alone] == [
        {one.text for one in some} for some in reranked
    ]
    assert [some[:2] for some in reranked] == translate_texts(
        model, texts, nbest=2, reranker=reranker
    )
    assert [(one.text, one.score, one.channel_log_prob_nats) for one in reranked[1]] == [
        ("12:30", 0.0, 0.0)
    ]
    with pytest.raises(ValueError, match="nbest is 6; expected at most beam, which is 4"):
        translate_texts(model, texts, nbest=6, reranker=reranker)


def test_each_is_reranked_as_alone_by_any_engine(
    model: Translator, reranker: Reranker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reranking, "_ROWS_AT_ONCE", 5)
    plain = replace(reranker, engine=CachedEngine(network_of(reranker.channel)))
    together = translate_texts(model, TEXTS, nbest=3, reranker=reranker)
    for text, some in zip(TEXTS, together, strict=True):
        [alone] = translate_texts(model, [text], nbest=3, reranker=plain)
        assert [one.text for one in alone] == [one.text for one in some]
        scores = [one.score for one in some]
        assert [one.score for one in alone] == pytest.approx(scores, rel=1e-4)


def test_what_is_too_long_for_the_channel_is_cut_off(reranker: Reranker) -> None:
    long = " ".join(["Hund"] * reranker.channel.max_positions)
    one = Translation(long, long, 0.0, [1], [1], 0.0)
    [[found]] = reranker.reranked([[one]], length_penalty=0.6)
    assert found.channel_log_prob_nats is not None and found.channel_log_prob_nats < 0


def test_a_lost_number_is_worse_than_any_score_and_units_are_those_of_the_source(
    reranker: Reranker,
) -> None:
    source = "Das sind 250 g und 3.000 mAh."
    lost, kept = "That is 25 g.", "Xyz 250G, 3,000 MAH, 5 KB, 250 Grams"
    some = [Translation(source, text, 0.0, [1], [1], 0.0) for text in (lost, kept)]
    [found] = reranker.reranked([some], length_penalty=0.6)
    assert found[0].score < found[1].score
    assert [one.text for one in found] == ["Xyz 250g, 3,000 mAh, 5 KB, 250 Grams", lost]


def test_a_lost_currency_is_worse_than_any_score_and_better_than_a_lost_number(
    reranker: Reranker,
) -> None:
    texts = ("He has 14 dollars.", "He has €14.", "He has $9.")
    found = [Translation("Er hat 14 $.", text, 0.0, [7], [7], 0.0) for text in texts]
    good = [replace(each, score=-1e6 * (each is found[0])) for each in found]
    [some] = reranker.reranked([good[::-1]], length_penalty=0.6)
    assert [each.text for each in some] == list(texts)


def test_a_changed_time_is_worse_than_any_score(reranker: Reranker) -> None:
    source, changed, kept = "Bis halb fünf!", "Until half past five!", "Xyz half past four q"
    some = [Translation(source, text, 0.0, [1], [1], 0.0) for text in (changed, kept)]
    [found] = reranker.reranked([some], length_penalty=0.6)
    assert [one.text for one in found] == [kept, changed] and found[0].score < found[1].score


def test_shipped_weights_alone_are_reranked(capsys: pytest.CaptureFixture[str]) -> None:
    for weights in ("runs/translation-de-en", "sokoban-8x8", "translation-de-fr"):
        assert reranker_of(weights) is None
    words = ["translate", TEXTS[0], "--nbest", "4"]
    shown = []
    for more in ([], ["--no-reranking"]):
        assert cli.main([*words, *more]) == 0
        shown.append([line.split("\t") for line in capsys.readouterr().out.splitlines()])
    assert [text for *_, text in shown[0]] != [text for *_, text in shown[1]]
    assert {text for *_, text in shown[0]} == {text for *_, text in shown[1]}
    assert tokoban.translate([TEXTS[0]])[0].text == shown[0][0][2]
