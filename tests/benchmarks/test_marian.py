"""The benchmark of Marian writes its rows."""

from pathlib import Path

import pytest

from benchmarks import marian
from tests.benchmarks.test_scripts import check_file


@pytest.mark.parametrize("device", ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
def test_the_script_writes_its_rows(device: str, tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    out = tmp_path / "rows.json"
    words = ["--quick", "--device", device, "--sentences", "2", "--json", str(out)]
    assert marian.main(words) == 0
    rows = check_file(out)
    assert len(rows) == 8
    assert all(row["same"] == 1 for row in rows if "fp32" in row["name"])
