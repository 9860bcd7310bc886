"""The search in C, with which ours is compared, has the same answers."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from benchmarks import c_solver
from tests.sokoban.brute_force import Shape, random_boards
from tests.sokoban.search.searches.beam.test_pull_beam import PUZZLES
from tokoban.sokoban.board import Board
from tokoban.sokoban.search.bitboard.levels import from_bitboards
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
