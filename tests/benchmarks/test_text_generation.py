"""The benchmark of writing checks that both ways write the same, and says how they compare."""

import json
from pathlib import Path

import pytest

from benchmarks import text_generation
from tokoban.systems.gpt.config import GptConfig

SMALL = GptConfig(num_layers=1, width=8, context_length=23, vocabulary_size=65, positions="rotary")


def test_the_script_writes_rows_and_how_many_times_as_fast_the_cache_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(text_generation, "sizes", lambda num_tokens: {"small": SMALL})
    out, words = tmp_path / "rows.json", ["--tokens", "13", "--texts", "4", "--device", "cpu"]
    assert text_generation.main([*words, "--json", str(out)]) == 0
    written = json.loads(out.read_text())
    names = [f"small, 13 tokens, {way}" for way in (text_generation.PLAIN, text_generation.CACHED)]
    assert [(row["name"], row["batch"]) for row in written["rows"]] == [(name, 4) for name in names]
    assert all(row["num_unexplained"] == 0 for row in written["rows"])
    plain, cached = written["rows"]
    ratio = cached["per_second"] / plain["per_second"]
    assert written["times_as_fast"][f"{names[1]}, batch 4"] == pytest.approx(ratio)
    assert "times as fast: small, 13 tokens" in capsys.readouterr().err
