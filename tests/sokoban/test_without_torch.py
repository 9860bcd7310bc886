"""Players need no network: what solves, explains, rates and makes levels imports no torch."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SETTING = """\
import sys
UNWANTED = {"torch", "gymnasium", "matplotlib", "tensorboard", "tokenizers", "sacrebleu"}
"""
COMMANDS = """\
from pathlib import Path
from tokoban import cli
board = "########|#.@$  .#|#  $   #|########"
Path("levels.xsb").write_text(board.replace("|", "\\n"))
for words in (
    "solve levels.xsb --by astar --output solved.sok", "optimise solved.sok", "rate levels.xsb",
    "explain levels.xsb", "check levels.xsb --duplicates", "convert levels.xsb other.sok",
    "generate --levels 1 --seed 1 --boxes 2 --difficulty easy --output made.sok",
    "label levels.xsb --output labels",
):
    status = cli.main(words.split())
    assert status in (0, 1), (words, status)
    assert not UNWANTED & {*sys.modules}, (words, UNWANTED & {*sys.modules})
"""
API = """\
import tokoban
board = tokoban.Board.from_xsb("#######|#.$@$.#|#######")
answer = tokoban.solve(board)
assert tokoban.verify(board, answer.solution)
tokoban.optimise(board, answer.solution), tokoban.hint(board), tokoban.explain(board)
tokoban.rate(board), tokoban.generate(seed=1, num_boxes=2, difficulty="easy")
assert not UNWANTED & {*sys.modules}, UNWANTED & {*sys.modules}
"""


@pytest.mark.parametrize("code", [COMMANDS, API], ids=["commands", "functions"])
def test_levels_are_solved_explained_rated_made_and_labelled_without_torch(
    code: str, tmp_path: Path
) -> None:
    paths = [str(path) for path in sys.path if path]
    ended = subprocess.run(
        [sys.executable, "-c", SETTING + code],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert ended.returncode == 0, ended.stderr
