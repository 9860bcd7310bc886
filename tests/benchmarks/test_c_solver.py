"""The search in C, with which ours is compared, has the same answers."""

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import c_solver
from tests.sokoban.brute_force import Shape, random_boards
from tests.sokoban.search.test_pull_beam import PUZZLES
from tokoban.sokoban.board import Board
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.search.bitboard.levels import Levels, from_bitboards
from tokoban.sokoban.simulation.bitboards import pack

NEEDS_CC = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler is installed")


def num_in_reach(board: Board) -> tuple[int, int]:
    """Of goals and of boxes."""
    inside = board.inside()
    return len(board.goals & inside), len(board.boxes & inside)


@NEEDS_CC
def test_both_find_the_same_pushes(tmp_path: Path) -> None:
    boards = [
        board
        for shape in (Shape(6, 6, 4, is_closed=True), Shape(5, 6, 4, is_closed=True))
        for board in random_boards(shape, 200, seed=3)
    ]
    boards = [board for board in [*boards, *PUZZLES] if num_in_reach(board) == (4, 4)]
    # So little room that both arrays grow.
    program = c_solver.compile_peer(tmp_path, "-DFIRST_NODES=8", "-DFIRST_SLOTS=2")
    levels = from_bitboards(pack(boards))
    peer_s, pushes_of_peer = c_solver.run_peer(program, levels, 2)
    here_s, pushes = c_solver.run_here(levels, 2)
    assert len(peer_s) == len(here_s) == 2
    assert np.array_equal(pushes, pushes_of_peer)
    assert (pushes > 3).sum() > 20 and (pushes == -1).sum() > 20


@NEEDS_CC
@pytest.mark.parametrize(
    "drawing", ["#####|#@$.#|#####", "#######|#@$$--#|#$$--.#|#-...##|#####-#|#-$-#.#|#######"]
)
def test_levels_of_other_numbers_of_boxes_are_refused_in_one_sentence(
    drawing: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    levels = from_bitboards(pack([parse_board(drawing)]))
    with pytest.raises(SystemExit, match="ended with code 1"):
        c_solver.run_peer(c_solver.compile_peer(tmp_path), levels, 1)
    sentence = "push_astar: not four boxes and goals in reach, or others beyond it: level 1\n"
    assert capfd.readouterr().err == sentence


@NEEDS_CC
def test_levels_with_other_pushes_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    four = "#######|#@$$.-#|#-$$..#|#---.-#|#######"
    file = tmp_path / "levels.xsb"
    file.write_text("\n\n".join([four.replace("|", "\n")] * 3) + "\n")
    command = [str(file), "--turns", "1", "--passes", "1"]
    assert c_solver.main(command) == 0
    run_here = c_solver.run_here

    def run_otherwise(levels: Levels, passes: int) -> Any:
        seconds, pushes = run_here(levels, passes)
        return seconds, pushes + np.array([0, 1, 0])

    monkeypatch.setattr(c_solver, "run_here", run_otherwise)
    assert c_solver.main(command) == 1
    assert capsys.readouterr().out.endswith("not the same pushes in levels [2]\n")
