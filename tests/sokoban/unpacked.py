"""Boards back from words."""

from tokoban.sokoban.board import Board
from tokoban.sokoban.simulation import tensor_boards
from tokoban.sokoban.simulation.bitboards import Bitboards
from tokoban.sokoban.simulation.tensor_boards import TensorBoards
from tokoban.sokoban.simulation.wide_bitboards import WideBitboards


def to_board(boards: Bitboards | WideBitboards, row: tuple[int, ...] = (0,)) -> Board:
    """One board of a batch, of the size of the words."""
    words = (boards.walls, boards.goals, boards.boxes, boards.player_words)
    return tensor_boards.to_board(TensorBoards(*map(boards.cells, words)), row)
