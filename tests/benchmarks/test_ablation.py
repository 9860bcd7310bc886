"""The ablation of the portfolio: it goes on where it was killed, and its table."""

import json
from pathlib import Path

import pytest

from benchmarks import ablation
from tests.sokoban.search.searches.beam.test_pull_beam import PUZZLES

VARIANTS = ["whole", "fess alone", "without first-astar"]


@pytest.mark.slow
def test_a_killed_ablation_goes_on_and_compares_on_the_same_levels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    levels, out = tmp_path / "levels.xsb", tmp_path / "runs.jsonl"
    levels.write_text("\n\n".join(map(str, PUZZLES[:2])), encoding="utf-8")
    arguments = [str(levels), "--out", str(out), "--images", "2", "--variants", *VARIANTS]
    arguments += ["--time-limit", "10", "--hard-after", "0"]
    assert ablation.main(arguments) == 0
    whole = out.read_text(encoding="utf-8")
    rows = [json.loads(line) for line in whole.splitlines()[1:]]
    keys = [ablation.key_of(row) for row in rows]
    assert keys == [
        (variant, "levels.xsb", number, image)
        for variant in VARIANTS
        for number in (1, 2)
        for image in (0, 1)
    ]
    assert {row["answer"] for row in rows} == {"solved"}
    assert rows[0]["solver"] == "weighted-astar" and rows[4]["solver"] == "fess"
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(" | ")[:4] for line in lines[2:]] == [
        [f"| {variant}", "2", "4", "4"] for variant in VARIANTS
    ]
    # Killed while a line was written: that run alone is done again.
    out.write_text(whole[:-9], encoding="utf-8")
    assert ablation.main(arguments) == 0
    again = out.read_text(encoding="utf-8").splitlines()
    assert again[:-1] == whole.splitlines()[:-1]
    assert ablation.key_of(json.loads(again[-1])) == keys[-1]
    with pytest.raises(SystemExit, match="was begun with"):
        ablation.main([*arguments, "--time-limit", "20"])
