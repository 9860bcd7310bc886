"""Another solver beside ours: what it writes is replayed, and what it did not solve is given up."""

from pathlib import Path

import pytest

from benchmarks.players_levels import run_festival
from tokoban.sokoban.formats.xsb import parse_board

BOARD = parse_board("#####\n#@$.#\n#####")


def program(folder: Path, written: str) -> Path:
    path = folder / "festival"
    path.write_text(f"#!/bin/sh\n(cat level.sok; printf '{written}') > solved.sok\n")
    path.chmod(0o755)
    return path


def test_its_answer_is_replayed(tmp_path: Path) -> None:
    binary = program(tmp_path, "Solution\\nR\\n\\nSolver: Festival 3.1\\n")
    row = run_festival("a.sok", 3, BOARD, binary=binary, limit_s=10)
    assert (row.answer, row.number, row.boxes, row.moves, row.pushes) == ("solved", 3, 1, 1, 1)
    assert 0 < row.elapsed_s < 1
    row = run_festival("a.sok", 3, BOARD, binary=program(tmp_path, ""), limit_s=10)
    assert (row.answer, row.moves) == ("gave up", None)
    with pytest.raises(RuntimeError, match=r"a.sok 3: .*solved.sok"):
        run_festival("a.sok", 3, BOARD, binary=program(tmp_path, "Solution\\nL\\n"), limit_s=10)
