"""The benchmarks of the push policy run on the baseline: learned, then measured."""

import json
from pathlib import Path

import pytest

from benchmarks import deadlocks, push_agreement, push_policy
from benchmarks.tiles.__main__ import main as learn_tiles
from tokoban.sokoban.labels.shards import to_bytes
from tokoban.systems.push_policy.dataset import random_levels

# With deadlocks that neither dead squares nor freezes show.
LEVELS = """; 1

########
##.   ##
#  $#  #
# @$.  #
# #$#  #
#  .   #
########
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("labels")
    (folder / "00000.safetensors").write_bytes(to_bytes(random_levels(seed=1, number=0), {}))
    (folder / "levels.xsb").write_text(LEVELS)
    weights = ["--output", str(folder / "w"), "--minutes", "0.001", "--table-bits", "8"]
    assert learn_tiles([str(folder), *weights]) == 0
    return folder


def test_the_matching_detects_nothing_beyond_itself(folder: Path) -> None:
    options = ["--weights", str(folder / "w"), "--json", str(folder / "d.json")]
    assert deadlocks.main([str(folder / "levels.xsb"), *options]) == 0
    rows = json.loads((folder / "d.json").read_text())["rows"]
    assert [row["among"] for row in rows] == ["all", "beyond matching"] * 2
    assert rows[0]["deadlocks"] >= rows[1]["deadlocks"] > 0
    assert rows[1]["recall"] == 0


def test_more_seconds_solve_no_fewer_levels(folder: Path) -> None:
    options = ["--weights", str(folder / "w"), "--json", str(folder / "c.json")]
    assert push_policy.main(["curve", str(folder / "levels.xsb"), *options]) == 0
    [row] = json.loads((folder / "c.json").read_text())["rows"]
    solved = [row[f"solved_within_{limit:g}_s"] for limit in push_policy.SECONDS]
    assert solved == sorted(solved) and row["high"] == 1


def test_the_policy_without_torch_is_held_against_torch(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "levels.xsb").write_text(LEVELS)
    assert push_agreement.main([str(tmp_path / "levels.xsb"), "--positions", "5"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["positions"], found["levels"], found["differing"]) == (5, 1, [])
    assert 0 < found["probability"] < 1e-5
