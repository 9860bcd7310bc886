"""What the commands say of boxes and goals that the player can never reach."""

import json
from pathlib import Path

import numpy as np
import pytest

from tokoban import cli
from tokoban.sokoban.labels.shards import read_shard

# A corridor that can be solved, with what lies elsewhere.
DECORATED = "#####--|#@$.#-*|#####--"
ONLY_DECORATION = "######|#@-#*#|######"
UNSOLVABLE = [
    "#######|#@$.#$#|#####.#|#######",
    "#####---|#@-#-$.|#####---",
    "########|#@.-#$-#|########",
    "########|#@$-#.-#|########",
]


def test_the_commands_answer_for_levels_with_enclosed_boxes(
    tmp_path: Path, random_weights: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, out = tmp_path / "levels.xsb", tmp_path / "out.json"
    drawings = [DECORATED, *UNSOLVABLE, ONLY_DECORATION]
    path.write_text("\n\n".join(drawing.replace("|", "\n") for drawing in drawings))

    def answered(command: str, *words: str) -> list[str]:
        assert cli.main([command, str(path), *words, "--json", str(out)]) in (0, 1)
        return [found["status"] for found in json.loads(out.read_text())]

    weights = ["--weights", str(random_weights)]
    given_up = answered("solve", *weights, "--by", "beam")
    assert given_up[1:-1] == ["gave up"] * len(UNSOLVABLE)
    assert answered("explain") == ["solvable", *["deadlocked"] * len(UNSOLVABLE), "solvable"]
    assert cli.main(["explain", "--check", str(out)]) == 0
    labels = tmp_path / "labels"
    assert cli.main(["label", str(path), "--output", str(labels), "--states", "4"]) == 0
    manifest = json.loads((labels / "manifest.json").read_text())
    assert manifest["levels"]["unsolvable"] == len(UNSOLVABLE)
    shard = read_shard(labels / "00000.safetensors")
    assert shard.is_consistent
    assert np.diff(shard.level_ends)[: len(UNSOLVABLE)].tolist() == [0] * len(UNSOLVABLE)
    capsys.readouterr()
    assert cli.main(["check", str(path), "--duplicates"]) == 0
    assert capsys.readouterr().out == "6 good levels, 0 solutions, 0 problems, 0 duplicates\n"
