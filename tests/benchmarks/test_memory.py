"""The benchmark of memories, on two runs of a few steps."""

import json
from pathlib import Path

import pytest

from benchmarks import memory
from tokoban import cli


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("runs")
    paths = [str(folder / seed) for seed in ("1", "2")]
    for seed, path in zip(("1", "2"), paths, strict=True):
        words = ["--preset", "tiny", "--memory", "none", "--seed", seed, "--steps", "4"]
        assert cli.main(["train", "ppo", *words, "--device", "cpu", "--output", path]) == 0
    return paths


def test_every_run_is_judged_and_each_kind_summed_up(
    runs: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "rows.json"
    words = ["--episodes", "3", "--json", str(out)]
    assert memory.main([*runs, *words]) == 0
    rows = json.loads(out.read_text())["rows"]
    assert [(row["env"], row["memory"], row["seed"]) for row in rows] == [
        ("t-maze:5", "none", 1),
        ("t-maze:5", "none", 2),
    ]
    assert [row["env_steps"] for row in rows] == [8 * 7, 8 * 7]
    assert capsys.readouterr().out.startswith("t-maze:5 none: 2 seed(s), mean return ")
