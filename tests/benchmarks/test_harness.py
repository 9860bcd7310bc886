"""The clock, the rows and the file that all benchmarks share."""

import json
import time
from argparse import Namespace
from pathlib import Path

import pytest
import torch

from benchmarks.harness import Report, parser, profile, quantity, timed

CPU = torch.device("cpu")


def options(*argv: str) -> Namespace:
    return parser(None, num_threads=1).parse_args(["--device", "cpu", *argv])


def report_to(path: Path, *, posted: tuple[str, ...] = ("theirs", "theirs, compiled")) -> Report:
    return Report(options("--json", str(path)), unit="steps", posted=posted)


def test_the_file_says_where_and_of_what_commit_and_has_a_ratio_in_each_row(tmp_path: Path) -> None:
    report = report_to(tmp_path / "rows.json")
    report.add("theirs", batch=3, per_second=20.0)
    report.add("ours", batch=3, per_second=70.0, first_call_s=0.5, peak_bytes=None)
    written = json.loads((tmp_path / "rows.json").read_text())
    assert {"hardware", "commit", "rows"} <= set(written)
    required = ["name", "device", "batch", "per_second", "ratio_to_posted"]
    assert [list(row)[:5] for row in written["rows"]] == [required, required]
    assert [row["ratio_to_posted"] for row in written["rows"]] == [1.0, 3.5]
    assert written["rows"][1]["first_call_s"] == 0.5
    assert "peak_bytes" not in written["rows"][1]


def test_the_ratio_is_to_the_best_of_the_posts_rows_on_the_same_device_and_batch() -> None:
    report = Report(options(), unit="steps", posted=("theirs", "theirs, compiled"))
    report.add("ours", batch=3, per_second=600.0)
    report.add("theirs, compiled", batch=3, per_second=60.0)
    report.add("theirs", batch=3, per_second=20.0)
    report.add("theirs", batch=5, per_second=7.0)
    report.add("ours", batch=5, per_second=70.0)
    report.add("ours", batch=7, per_second=70.0)
    report.add("ours", batch=3, per_second=70.0, device=torch.device("cuda"))
    ratios = [row["ratio_to_posted"] for row in report.rows()]
    assert ratios == [10.0, 1.0, pytest.approx(1 / 3), 1.0, 10.0, None, None]


def test_what_is_cut_short_leaves_what_it_had_measured(tmp_path: Path) -> None:
    report = report_to(tmp_path / "rows.json")
    for number in range(1, 4):
        report.add("ours", batch=number, per_second=1.0)
        assert len(json.loads((tmp_path / "rows.json").read_text())["rows"]) == number


def test_a_note_stands_beside_the_rows(tmp_path: Path) -> None:
    report_to(tmp_path / "rows.json").note(copy_bytes_per_s=3.0)
    assert json.loads((tmp_path / "rows.json").read_text())["copy_bytes_per_s"] == 3.0


def test_the_table_goes_to_standard_output_or_the_file_does(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for argv in ((), ("--json", "-")):
        report = Report(options(*argv), unit="steps", posted=("theirs",))
        report.add("theirs", batch=1024, per_second=2e6)
        report.add("ours", batch=1024, per_second=5e8)
        report.finish()
    table, text = capsys.readouterr().out.split("\n{", 1)
    assert "1,024         500 M        250  ours" in table
    assert [row["name"] for row in json.loads("{" + text)["rows"]] == ["theirs", "ours"]


@pytest.mark.parametrize("threads", ["0", "-1"])
def test_no_threads_are_refused(threads: str) -> None:
    with pytest.raises(ValueError, match=f"--threads is {threads}; expected at least 1"):
        Report(options("--threads", threads), unit="steps", posted=())


def test_a_file_in_no_folder_is_refused_before_the_work(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no folder"):
        report_to(tmp_path / "nowhere" / "rows.json")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (5.0, "5"),
        (999.0, "999"),
        (1e3, "1 k"),
        (183.4e6, "183 M"),
        (2.5e11, "250 G"),
        (4e12, "4 T"),
    ],
)
def test_quantities_have_three_digits(value: float, text: str) -> None:
    assert quantity(value) == text


@pytest.mark.parametrize("once_s", [0.0, 0.02])
def test_the_first_call_is_timed_apart(once_s: float) -> None:
    calls: list[int] = []

    def call() -> str:
        time.sleep(0.05 if not calls else once_s)
        calls.append(1)
        return f"answer {len(calls)}"

    timing = timed(call, CPU, min_run_time_s=0.05)
    assert timing.answer == "answer 1"
    assert timing.first_s >= 0.05
    assert once_s <= timing.median_s < 0.05
    assert len(calls) >= 3


def test_a_profile_says_what_share_of_the_time_each_operation_has() -> None:
    matrix = torch.ones(97, 97)
    figures = profile(lambda: (matrix @ matrix).exp(), CPU, top=3)
    shares = {operation["name"]: operation["share"] for operation in figures["operations"]}
    assert {"aten::mm", "aten::exp"} <= set(shares)
    assert 0 < sum(shares.values()) <= 1.001
    assert list(shares.values()) == sorted(shares.values(), reverse=True)
