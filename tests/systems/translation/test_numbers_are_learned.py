"""The embedded task is learned, and the metric is that of a new user's three commands."""

import json
from pathlib import Path

import pytest

from tokoban import cli


@pytest.mark.slow
def test_numbers_and_dates_are_translated_without_fault(tmp_path: Path) -> None:
    run, metrics = str(tmp_path / "run"), tmp_path / "metrics.json"
    train = ["train", "translation", "--preset", "numbers", "--device", "cpu", "--output", run]
    assert cli.main(train) == 0
    evaluate = ["evaluate", "translation", "--weights", run, "--device", "cpu"]
    assert cli.main([*evaluate, "--json", str(metrics)]) == 0
    assert json.loads(metrics.read_text())["exact_match"] > 0.98
