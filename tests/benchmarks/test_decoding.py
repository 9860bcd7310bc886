"""Decoding is timed and written beside its peers."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from benchmarks import decoding
from benchmarks.decoding import Contest
from tests.benchmarks.test_scripts import check_file
from tokoban.inference.packed import can_pack
from tokoban.systems.translation.config import toy
from tokoban.systems.translation.train import build_model

pytestmark = pytest.mark.skipif(not can_pack(), reason="this torch has no oneDNN")

SOURCES = [[5, 7, 11], [13], [17, 19, 23, 29, 31], [37, 41]]


def contest() -> Contest:
    """Of drawn weights, which see nothing alike in any two tokens."""
    torch.manual_seed(7)
    small = replace(toy(), width=16, hidden_width=32, num_layers=1, num_decoder_layers=1)
    model = build_model(small)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "norm" in name or "bias" in name:
                parameter.add_(torch.randn_like(parameter) / 3)
    return Contest(model.eval(), SOURCES, 9)


def test_decoding_writes_its_rows(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(decoding, "contest", lambda _: contest())
    out = tmp_path / "rows.json"
    argv = ["--case", "2", "3", "--rounds", "1", "--quick", "--json", str(out)]
    assert decoding.main(argv) == 0
    rows = check_file(out)
    assert {"beam 2: ours, int8", f"beam 2: {decoding.NO_CACHE}"} <= {row["name"] for row in rows}
    assert all(row["ratio_to_no_cache"] > 0 for row in rows)
