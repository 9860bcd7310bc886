"""Reranking by the translator of the other direction."""

from pathlib import Path

import pytest
import torch

import tokoban
from tokoban import cli, pretrained
from tokoban.inference.cached import CachedEngine
from tokoban.pretrained.channel import channel_of
from tokoban.systems.translation.channel import Channel
from tokoban.systems.translation.engine import network_of
from tokoban.systems.translation.model import Translator
from tokoban.systems.translation.texts import translate_texts
from tokoban.systems.translation.translate import gnmt_penalty
from tokoban.text.bpe import BOS, EOS
from tokoban.text.saved import tokenizer_of

TEXTS = [
    "Wo ist der nächste Bahnhof?",
    "Ich bin müde. Du auch?",
    "12:30",
    "Ein Hund spielt im Schnee, und zwei Kinder sehen ihm dabei zu.",
]


@pytest.fixture(scope="module")
def model() -> Translator:
    model, _ = pretrained.load("translation-de-en", system="translation")
    assert isinstance(model, Translator)
    return model


@pytest.fixture(scope="module")
def channel() -> Channel:
    channel = channel_of("translation-de-en")
    assert channel is not None
    return channel


def test_scores_are_those_of_teacher_forcing_both_ways(model: Translator, channel: Channel) -> None:
    found = translate_texts(model, [TEXTS[0]], nbest=4, channel=channel)
    tokenizer, penalty = tokenizer_of(channel.model), gnmt_penalty(0.6)
    source = tokenizer.encode(TEXTS[0])
    for one in found[0]:
        with torch.inference_mode():
            given = torch.tensor([[*tokenizer.encode(one.text), EOS]])
            logits = channel.model(given, torch.tensor([[BOS, *source]]))[0].log_softmax(1)
        nats = float(logits[range(len(source) + 1), [*source, EOS]].sum())
        assert one.channel_log_prob_nats == pytest.approx(nats, rel=1e-4)
        direct = one.log_prob_nats / penalty(len(one.tokens) + 1)
        assert one.score == pytest.approx(direct + 0.4 * nats / penalty(len(source) + 1), rel=1e-4)
    scores = [one.score for one in found[0]]
    assert scores == sorted(scores, reverse=True)


def test_a_channel_reorders_the_beam_and_the_best_are_kept(
    model: Translator, channel: Channel
) -> None:
    alone = translate_texts(model, TEXTS, nbest=4)
    reranked = translate_texts(model, TEXTS, nbest=4, channel=channel)
    for before, after in zip(alone, reranked, strict=True):
        assert {one.text for one in before} == {one.text for one in after}
    assert [some[:2] for some in reranked] == translate_texts(
        model, TEXTS, nbest=2, channel=channel
    )
    assert [(some[0].text, some[0].score) for some in reranked if not some[0].tokens] == [
        ("12:30", 0.0)
    ]


def test_each_is_reranked_as_alone_by_any_engine(model: Translator, channel: Channel) -> None:
    plain = Channel(channel.model, CachedEngine(network_of(channel.model)))
    together = translate_texts(model, TEXTS, nbest=3, channel=channel)
    for text, some in zip(TEXTS, together, strict=True):
        for other in (channel, plain):
            (alone,) = translate_texts(model, [text], nbest=3, channel=other)
            assert [one.text for one in alone] == [one.text for one in some]
            assert [one.score for one in alone] == pytest.approx(
                [one.score for one in some], rel=1e-4
            )


def test_what_the_channel_cannot_read_is_cut_off(model: Translator, channel: Channel) -> None:
    long = " ".join(["Hund"] * (channel.model.max_positions - 1))
    [[found]] = translate_texts(model, [long], beam=1, channel=channel)
    assert found.channel_log_prob_nats is not None


def test_other_weights_have_no_channel_unless_one_is_given(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert channel_of("runs/translation-de-en") is None
    assert channel_of("sokoban-8x8") is None
    words = ["translate", "Ich bin müde.", "--nbest", "2"]
    shown = []
    for more in ([], ["--channel", "translation-en-de"], ["--channel", "none"]):
        assert cli.main([*words, *more]) == 0
        shown.append(capsys.readouterr().out)
    assert shown[0] == shown[1] != shown[2]
    assert tokoban.translate([words[1]])[0].text == shown[0].split("\n")[0].split("\t")[2]
    for weights in ("translation-de-en", "sokoban-8x8"):
        assert cli.main([*words, "--channel", weights]) == 2
    refused = (
        "tokoban: --channel translation-de-en translates from de to en; expected from en to de\n"
    )
    assert capsys.readouterr().err.startswith(refused)
