"""The rows and the file that all benchmarks share."""

import json
from pathlib import Path

from benchmarks.harness import Report, parser


def test_the_file_says_where_and_of_what_commit_and_has_a_ratio_in_each_row(tmp_path: Path) -> None:
    words = ["--device", "cpu", "--json", str(tmp_path / "rows.json")]
    options = parser(None, num_threads=1).parse_args(words)
    report = Report(options, unit="steps", posted=("theirs", "theirs, compiled"))
    report.add("theirs", batch=3, per_second=20.0)
    report.add("ours", batch=3, per_second=70.0, first_call_s=0.5, peak_bytes=None)
    written = json.loads((tmp_path / "rows.json").read_text())
    assert {"hardware", "commit", "rows"} <= set(written)
    required = ["name", "device", "batch", "per_second", "ratio_to_posted"]
    assert [list(row)[:5] for row in written["rows"]] == [required, required]
    assert [row["ratio_to_posted"] for row in written["rows"]] == [1.0, 3.5]
    assert written["rows"][1]["first_call_s"] == 0.5
    assert "peak_bytes" not in written["rows"][1]
