"""The benchmark of attention writes its rows, slopes and picture."""

import json
from pathlib import Path

import pytest

from benchmarks import attention


def test_the_script_writes_rows_slopes_and_the_picture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(attention, "SHORTEST", 64)
    monkeypatch.setattr(attention, "elapsed_s", lambda call, device, min_run_time_s: 0.5)
    out, picture = tmp_path / "rows.json", tmp_path / "curves.svg"
    words = ["--window", "5", "--longest", "300", "--device", "cpu"]
    assert attention.main([*words, "--json", str(out), "--picture", str(picture)]) == 0
    written = json.loads(out.read_text())
    names = {row["name"] for row in written["rows"]}
    assert len(names) == 12
    assert {row["batch"] for row in written["rows"]} == {64, 128, 256}
    assert all(row["per_second"] == 2 * row["batch"] for row in written["rows"])
    assert set(written["slopes"]) == names
    assert written["slopes"]["local, forward"]["elapsed_s"] == pytest.approx(0, abs=1e-9)
    ratios = written["local_causal_times_as_fast_as_full_causal"]
    assert ratios["forward"] == {"64": 1.0, "128": 1.0, "256": 1.0}
    assert picture.read_text().count("local causal by a mask") == 1
    assert "1.0 at 256" in capsys.readouterr().out
