"""The translators that decoding is compared with say what ours say."""

import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from benchmarks import data_size, decoding
from benchmarks.decoding import Contest, compare
from tests.benchmarks.test_scripts import check_file
from tests.systems.translation.half_trained import drawn_sources, half_trained
from tokoban.inference.packed import can_pack
from tokoban.systems.translation.config import toy
from tokoban.systems.translation.pairs import Pair, read_pairs
from tokoban.systems.translation.train import build_model
from tokoban.text.bpe import BOS, EOS

pytestmark = pytest.mark.skipif(not can_pack(), reason="this torch has no oneDNN")

SOURCES = [[5, 7, 11], [13], [17, 19, 23, 29, 31], [37, 41]]


def contest(*, pre_norm: bool = False) -> Contest:
    """Of drawn weights, which see nothing alike in any two tokens."""
    torch.manual_seed(7)
    model = build_model(replace(toy(), pre_norm=pre_norm))
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "norm" in name or "bias" in name:
                parameter.add_(torch.randn_like(parameter) / 3)
    return Contest(model.eval(), SOURCES, 9)


@pytest.mark.parametrize("pre_norm", [True, False], ids=["pre-norm", "post-norm"])
def test_ctranslate2_finds_its_translations_as_likely_as_we_do(pre_norm: bool) -> None:
    pytest.importorskip("ctranslate2")
    both, limit = contest(pre_norm=pre_norm), 6
    words = [[both.names[token] for token in source] for source in SOURCES]
    found = both.translator().translate_batch(
        words, beam_size=1, length_penalty=0, max_decoding_length=limit, return_scores=True
    )
    for source, each in zip(SOURCES, found, strict=True):
        said = [both.numbers[word] for word in each.hypotheses[0]]
        said += [EOS] * (len(said) < limit)
        logits = both.model(torch.tensor([[*source, EOS]]), torch.tensor([[BOS, *said[:-1]]]))
        scores_nats = logits.log_softmax(dim=-1)[0, range(len(said)), said]
        assert each.scores[0] == pytest.approx(scores_nats.sum().item(), rel=1e-3)


def test_ctranslate2_says_the_same() -> None:
    pytest.importorskip("ctranslate2")
    sources = drawn_sources(13)
    both = Contest(copy.deepcopy(half_trained()).float(), sources, None)
    expected = both.ours(None, 1, 3)
    assert len({token for tokens in expected for token in tokens}) > 4
    assert both.theirs(both.translator(), 1, 3) == expected


def test_a_difference_that_is_no_tie_is_counted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    both = contest()
    ours = both.ours(None, 4, 3)

    def theirs(*_: Any, **__: Any) -> list[list[int]]:
        return [[43], *ours[1:]]

    monkeypatch.setattr(both, "theirs", theirs)
    monkeypatch.setattr(both, "translator", lambda: None)
    assert compare(both, beam=4, alpha=0.0) == 1
    assert "3 of 4 alike, 1 of the others no tie (beam 4)" in capsys.readouterr().out


@pytest.mark.parametrize("beam", [1, 3])
def test_without_a_cache_the_same_is_reported(beam: int) -> None:
    both = contest()
    expected = both.ours(None, beam, 3)
    for engine in decoding.uncached(both.model).values():
        assert both.ours(engine, beam, 3) == expected


def test_decoding_writes_its_rows(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(decoding, "contest", lambda _: contest())
    out = tmp_path / "rows.json"
    argv = ["--case", "2", "3", "--rounds", "1", "--quick", "--json", str(out)]
    assert decoding.main(argv) == 0
    rows = check_file(out)
    assert {"beam 2: ours, int8", f"beam 2: {decoding.NO_CACHE}"} <= {row["name"] for row in rows}
    assert all(row["ratio_to_no_cache"] > 0 for row in rows)


def test_a_larger_text_holds_the_smaller_ones_and_files_keep_the_pairs(tmp_path: Path) -> None:
    for name, count in (("a", 7), ("b", 5)):
        pairs = [Pair(f"{name}{number}", f"{number}{name}") for number in range(count)]
        data_size.write_pairs(pairs, data_size.files(tmp_path, name, ("de", "en")))
    found = data_size.shuffled_pairs(tmp_path, ["a", "b"], ("de", "en"), seed=1)
    assert sorted(found) == sorted(
        [*read_pairs(tmp_path / "a.de.gz", tmp_path / "a.en.gz"), *pairs]
    )
    assert found == data_size.shuffled_pairs(tmp_path, ["a", "b"], ("de", "en"), seed=1)
    assert found != data_size.shuffled_pairs(tmp_path, ["a", "b"], ("de", "en"), seed=2)


def test_more_pairs_than_there_are_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data_size.write_pairs([Pair("x", "y")], data_size.files(tmp_path, "a", ("de", "en")))
    with pytest.raises(SystemExit):
        data_size.main([str(tmp_path), "--corpora", "a", "--sizes", "2"])
    assert "--sizes: 2 of 1 pairs" in capsys.readouterr().err
