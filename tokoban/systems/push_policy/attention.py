"""The attention of the push policy along a solution, for the attention page.

Axes: L layers, N heads, F floor squares, C channels, H rows and W columns of the board.
"""

import torch
from jaxtyping import Float
from torch import Tensor

from tokoban.sokoban import rules
from tokoban.sokoban.board import Board
from tokoban.sokoban.formats import lurd
from tokoban.sokoban.render import render_rgb
from tokoban.sokoban.search.level.ground import Squares
from tokoban.sokoban.search.searches.guided.guide import boxes_and_zones
from tokoban.sokoban.wording import counted
from tokoban.systems.push_policy.guide import NetworkGuide
from tokoban.systems.push_policy.policy import PushPolicy
from tokoban.viewing.attention_page import (
    MOST_WEIGHTS,
    AttentionPanel,
    AttentionView,
    TokenGrid,
    spread,
)

_GUIDE = (
    "Each floor square attends to all others; look for heads in which a box reads the goals, or "
    "the squares that the player reaches."
)


def attention(model: object, start: Board, moves: str) -> AttentionView:
    """A panel for the start and one after each push of a solution in LURD; walls attend to nothing.

    Of more than a page holds: the first, the last and evenly spaced ones between. Raises
    ``ValueError`` for a board of which not even two fit, and for a network without attention.
    """
    guide, squares = PushPolicy(model).guide(start)
    boards = [start]
    for board in rules.play(start, lurd.parse(moves))[1:]:
        if board.boxes != boards[-1].boxes:
            boards.append(board)
    first = _weights(guide, squares, start)
    most = MOST_WEIGHTS // first.numel()
    if most < 2:
        raise ValueError(f"{start.height}x{start.width} squares are too many for a page")
    panels = []
    for number in spread(len(boards), most):
        picture = torch.from_numpy(render_rgb(boards[number])).permute(2, 0, 1) / 255
        tokens = TokenGrid(start.height, start.width, picture=picture)
        name = f"after {counted(number, 'push')}" if number else "start"
        weights = _weights(guide, squares, boards[number]) if number else first
        panels.append(AttentionPanel(name, weights, tokens, tokens))
    return AttentionView(panels, _GUIDE)


def _weights(guide: NetworkGuide, squares: Squares, board: Board) -> Float[Tensor, "L N HW HW"]:
    """The weights of every attention over the board; walls attend to nothing."""
    layers = torch.from_numpy(guide.attention(*boxes_and_zones(squares, [board])))
    cells = torch.tensor([row * board.width + column for row, column in squares.squares])
    weights = torch.zeros(*layers.shape[:2], board.height * board.width, board.height * board.width)
    weights[:, :, cells[:, None], cells] = layers
    return weights
