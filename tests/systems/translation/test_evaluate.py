"""Scores by pencil, on both scales; the papers' text from the raw one; files, and complaints."""

import gzip
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from tokoban.systems.translation import evaluate
from tokoban.systems.translation.config import TranslationConfig
from tokoban.systems.translation.corpus import Data, load_data
from tokoban.systems.translation.evaluate import bits_per_byte, lowercased_tokenised, score_texts
from tokoban.systems.translation.model import Translator
from tokoban.systems.translation.pairs import Pair, read_lines
from tokoban.systems.translation.texts import num_tokens, translate_texts
from tokoban.training.spec import Trained

pytestmark = pytest.mark.usefixtures("short")

REFERENCES = ["Ein Mann, der läuft.", "Zwei Hunde sind im Schnee."]
BOTH = ("bleu", "bleu_lowercased_tokenised")
ALL = (*BOTH, "chrf")


def test_the_reference_itself_has_all_points_and_silence_none() -> None:
    perfect = score_texts(REFERENCES, REFERENCES, language="de")
    silent = score_texts(["", ""], REFERENCES, language="de")
    assert [perfect[name] for name in ALL] == pytest.approx([100.0] * 3)
    assert [silent[name] for name in ALL] == [0.0] * 3
    assert (perfect["exact_match"], silent["exact_match"]) == (1.0, 0.0)


def test_bleu_is_the_pencil_sum() -> None:
    """5 of 6 words, 4 of 5 pairs, 3 of 4 triples and 2 of 3 runs of four are the reference's."""
    metrics = score_texts(["a b c d e f"], ["a b c d e g"], language="en")
    assert [metrics[name] for name in BOTH] == pytest.approx([100 * (1 / 3) ** 0.25] * 2)
    assert metrics["exact_match"] == 0.0


def test_only_the_papers_scale_forgives_case_and_quotes() -> None:
    metrics = score_texts(["er sagt „ja“ zu ihr"], ['Er sagt "Ja" zu ihr'], language="de")
    assert metrics["bleu_lowercased_tokenised"] == pytest.approx(100.0)
    assert float(metrics["bleu"]) < 70


def test_each_scale_has_its_signature() -> None:
    metrics = score_texts(REFERENCES, REFERENCES, language="de")
    for name, part in {
        "signature": "case:mixed|eff:no|tok:13a|smooth:exp|version:",
        "signature_bleu_lowercased_tokenised": "case:mixed|eff:no|tok:none|smooth:exp|version:",
        "signature_chrf": "nc:6|nw:0|",
    }.items():
        assert part in str(metrics[name])


def test_lower_case_comes_before_the_words() -> None:
    """Moses keeps the full stop of "Bart.", an abbreviation, and parts that of "bart."."""
    assert lowercased_tokenised(["Er hat einen Bart."], language="de") == ["er hat einen bart ."]


@pytest.mark.parametrize("language", ["de", "en"])
@pytest.mark.parametrize("name", ["test_2016_flickr", "test_2017_flickr", "test_2017_mscoco"])
def test_the_papers_references_are_made_from_the_raw_ones(
    language: str, name: str, shared_data: Path
) -> None:
    folder = shared_data / "multi30k"
    raw = read_lines(folder / f"{name}.{language}.gz")
    papers = read_lines(folder / "tok" / f"{name}.lc.norm.tok.{language}.gz")
    assert lowercased_tokenised(raw, language=language) == papers


@pytest.fixture
def data(small_config: TranslationConfig) -> Data:
    return load_data(replace(small_config, num_examples=100, num_validation=3))


def test_nll_of_one_that_knows_nothing_is_the_logarithm_of_the_vocabulary(
    translator: Translator, data: Data, small_config: TranslationConfig
) -> None:
    """Equal logits, and so as many nats for every token, padded or not."""
    before = translator.embedding.weight.detach().clone()
    with torch.no_grad():
        translator.embedding.weight.zero_()
        metrics = evaluate.validate(translator, data, small_config)
        translator.embedding.weight.copy_(before)
    assert metrics["nll"] == pytest.approx(math.log(small_config.vocabulary_size))


def test_bits_per_byte_of_one_that_knows_nothing_is_a_pencil_sum(
    translator: Translator, small_config: TranslationConfig
) -> None:
    """Equal logits: each token, and each end, costs the logarithm of the vocabulary."""
    pairs = [Pair("zwei  Äpfel", "two apples"), Pair("halb vier", "éé\n")]
    tokens = num_tokens(translator, ["two apples", "éé"])
    before = translator.embedding.weight.detach().clone()
    with torch.no_grad():
        translator.embedding.weight.zero_()
        found = bits_per_byte(translator, pairs)
        alone = bits_per_byte(translator, pairs[:1])
        with_a_longer_one = bits_per_byte(translator, [*pairs, Pair("drei", "x " * 10_000)])
        nothing = bits_per_byte(translator, [Pair("drei " * 10_000, "x")])
        translator.embedding.weight.copy_(before)
    bits = math.log2(small_config.vocabulary_size)
    assert found == pytest.approx(bits * (sum(tokens) + 2) / (10 + 1 + 4 + 1))
    assert alone == pytest.approx(bits * (tokens[0] + 1) / (10 + 1))
    assert with_a_longer_one == found
    assert math.isnan(nothing)


def test_validation_scores_are_those_of_its_translations(
    translator: Translator, data: Data, small_config: TranslationConfig
) -> None:
    metrics = evaluate.validate(translator, data, small_config)
    sources, references = zip(*data.validation_pairs, strict=True)
    found = [best.text for (best,) in translate_texts(translator, sources, beam=1)]
    expected = score_texts(found, references, language="en")
    assert metrics["bleu"] == pytest.approx(expected["bleu"])
    assert metrics["exact_match"] == expected["exact_match"]


def test_processes_that_share_the_work_answer_what_one_would(
    translator: Translator,
    data: Data,
    small_config: TranslationConfig,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    alone = evaluate.validate(translator, data, small_config)
    shares: list[dict[str, float]] = []
    texts: list[object] = []

    def gather(said: object) -> list[object]:
        texts.append(said)
        return texts

    def add_up(counts: dict[str, float]) -> dict[str, float]:
        shares.append(counts)
        return {name: sum(share[name] for share in shares) for name in counts}

    monkeypatch.setattr(evaluate.processes, "sum_over_processes", add_up)
    monkeypatch.setattr(evaluate.processes, "gather_objects", gather)
    for world_size in (2, 9):
        shares.clear()
        texts.clear()
        monkeypatch.setattr(evaluate.processes, "world_size", lambda size=world_size: size)
        for rank in range(world_size):
            monkeypatch.setattr(evaluate.processes, "rank", lambda rank=rank: rank)
            together = evaluate.validate(translator, data, small_config)
        assert together == pytest.approx(alone, rel=1e-5)


def _measured(
    model: Translator, config: TranslationConfig, **options: Any
) -> dict[str, float | str]:
    asked = evaluate.TranslationEvaluation(**options)
    return evaluate.evaluate(Trained(model, config, Path("x")), asked)


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """Two sentences and their translations, one file of them gzip."""
    paths = {"source": tmp_path / "x.de.gz", "reference": tmp_path / "x.en"}
    paths["source"].write_bytes(gzip.compress("zwei Äpfel\nhalb vier\n".encode()))
    paths["reference"].write_text("two apples\nhalf past three\n")
    return paths


def test_sentences_of_files_are_measured(
    translator: Translator, small_config: TranslationConfig, files: dict[str, Path], tmp_path: Path
) -> None:
    output = tmp_path / "found.en"
    metrics = _measured(translator, small_config, **files, output=output, beam=3, batch_size=1)
    found = read_lines(output)
    expected = score_texts(found, read_lines(files["reference"]), language="en")
    assert found == [
        x.text for (x,) in translate_texts(translator, read_lines(files["source"]), beam=3)
    ]
    assert {name: metrics[name] for name in expected} == expected
    assert (metrics["sentences"], metrics["beam"]) == (2.0, 3.0)
    assert float(metrics["sentences_per_second"]) > 0


def test_without_files_the_embedded_task_is_measured(
    translator: Translator, small_config: TranslationConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evaluate, "NUM_TEST_EXAMPLES", 5)
    assert _measured(translator, small_config)["sentences"] == 5.0


def test_what_cannot_be_measured_is_refused(
    translator: Translator, small_config: TranslationConfig, files: dict[str, Path], tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match="--source and --reference go together; only one of"):
        _measured(translator, small_config, source=files["source"])
    with pytest.raises(ValueError, match="give --source and --reference: these weights learned f"):
        other = replace(small_config, train_source=("x",), train_target=("y",))
        _measured(translator, other)
    files["reference"].write_text("two apples\n")
    with pytest.raises(ValueError, match=r"x\.de\.gz has 2 lines and .*x\.en has 1; expected"):
        _measured(translator, small_config, **files)
    for path in files.values():
        path.write_text("")
    with pytest.raises(ValueError, match=r"x\.de\.gz: has no sentence"):
        _measured(translator, small_config, **files)
    for path in files.values():
        path.write_text("zwei " * 10_000)
    with pytest.raises(ValueError, match=r"sentence 1 has \d+ tokens; this translator reads at m"):
        _measured(translator, small_config, **files)
