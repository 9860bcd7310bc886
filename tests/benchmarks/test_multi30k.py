"""The contest of translators, on a handful of words in both spellings."""

import gzip
import json
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest

from benchmarks import multi30k
from tokoban import cli
from tokoban.systems.translation import number_words

SIZES = {"train": 60, "val": 5, **dict.fromkeys(multi30k.TESTS, 4)}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Numbers in words where captions would be, and again in lower case."""
    folder = tmp_path_factory.mktemp("data")
    (folder / "tok").mkdir()
    for place, (name, size) in enumerate(SIZES.items()):
        pairs = number_words.examples(size, seed=place)
        for language in ("de", "en"):
            lines = "".join(f"{getattr(pair, language)}\n" for pair in pairs)
            for path, text in (
                (folder / f"{name}.{language}.gz", lines),
                (folder / "tok" / f"{name}.lc.norm.tok.{language}.gz", lines.lower()),
            ):
                path.write_bytes(gzip.compress(text.encode()))
    return folder


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few weights, two tests, and no processes or threads, each of which imports torch."""

    def run_here(_contest: multi30k.Contest, _job: multi30k.Job, words: Sequence[str]) -> None:
        assert cli.main(words) == 0

    monkeypatch.setattr(multi30k.Contest, "command", run_here)
    in_turn = SimpleNamespace(map=map)
    monkeypatch.setattr(multi30k, "ThreadPoolExecutor", lambda _: nullcontext(in_turn))
    monkeypatch.setattr(multi30k, "RECIPES", {"small-steps": ("--preset", "toy")})
    monkeypatch.setattr(multi30k, "BEAM", 1)
    monkeypatch.setattr(multi30k, "TESTS", multi30k.TESTS[1:])


@pytest.fixture
def words(data: Path, tmp_path: Path) -> list[str]:
    """Two steps of each training, one seed."""
    common = ["--steps", "2", "--seeds", "7", "--device", "cpu", "--at-once", "1"]
    return [str(data), "--folder", str(tmp_path / "runs"), *common]


@pytest.mark.slow
def test_diversified_ones_learn_from_translations_of_both_languages(
    data: Path, words: list[str], small: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = tmp_path / "runs"
    words += ["--text", "papers", "--precision", "bf16"]
    words += ["--found", *(str(data / f"train.{name}.gz") for name in ("de", "en"))]
    assert multi30k.main(words) == 0
    rows = [json.loads(path.read_text()) for path in runs.glob("*/test_*.json")]
    assert len(rows) == 2 * len(multi30k.TESTS)
    assert all("tok:none" in row["signature"] and row["sentences"] == 4 for row in rows)
    printed = capsys.readouterr().out
    assert "en-de, test_2017_mscoco" in printed

    tok = data / "tok"
    config = json.loads((runs / "papers-small-steps-en-de-7-diversified/config.json").read_text())
    german, english = (str(tok / f"train.lc.norm.tok.{name}.gz") for name in ("de", "en"))
    to_german, to_english = (str(runs / f"papers-found-0.{name}") for name in ("de", "en"))
    assert config["config"]["train_source"] == [english, to_english, english]
    assert config["config"]["train_target"] == [german, german, to_german]
    assert config["config"]["dropout"] == 0.2
    assert [config["run"][name] for name in ("seed", "steps", "precision")] == [7, 2, "bf16"]
    assert len(Path(to_german).read_text().split("\n")) == SIZES["train"] + 1

    written = {path: path.stat().st_mtime_ns for path in runs.glob("*/*.*")}
    assert multi30k.main(words) == 0
    assert {path: path.stat().st_mtime_ns for path in runs.glob("*/*.*")} == written
    assert printed.endswith(capsys.readouterr().out)
    assert multi30k.main([*words, "--steps", "3"]) == 2
    assert "en-de-7-diversified.command: of other options; take another" in capsys.readouterr().err
