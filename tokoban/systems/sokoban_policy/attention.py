"""The attention of the policy along a solution, for the attention page.

Axes: T positions (goal, start, a board per move), C channels, H rows, W columns.
"""

import torch
from jaxtyping import Float
from torch import Tensor

from tokoban.sokoban.board import Board, Direction
from tokoban.sokoban.formats import lurd
from tokoban.sokoban.simulation import bitboards
from tokoban.sokoban.simulation.tensor_boards import Plane
from tokoban.systems.sokoban_policy.episodes import FIRST_BOARD, Game
from tokoban.systems.sokoban_policy.fitting import MARGIN, fit
from tokoban.systems.sokoban_policy.model import SokobanPolicy
from tokoban.transformer import evaluating, record_attention
from tokoban.viewing.attention_page import AttentionPanel, AttentionView, TokenRow

_ARROWS = {
    Direction.UP: "↑",
    Direction.LEFT: "←",
    Direction.DOWN: "↓",
    Direction.RIGHT: "→",
}
# Each over those before it, as shades of red, green and blue.
_COLOURS = {
    Plane.WALL: (0.35, 0.39, 0.45),
    Plane.FLOOR: (0.93, 0.90, 0.84),
    Plane.GOAL: (0.85, 0.34, 0.29),
    Plane.BOX: (0.72, 0.49, 0.24),
    Plane.PLAYER: (0.25, 0.51, 0.77),
}
_BOX_ON_GOAL = (0.37, 0.60, 0.29)


_GUIDE = (
    "Each board attends to the goal, the first token, and to the boards before it; look for heads "
    "that read the goal, the board before, or the last push."
)


@torch.no_grad()
def attention(model: SokobanPolicy, board: Board, moves: str) -> AttentionView:
    """One panel; its tokens are the boards that the policy reads, one after each move of LURD.

    A board is labelled with the move that led to it. ``ValueError`` if the board does not fit the
    policy, or if the solution has more moves than it can read.
    """
    solution = lurd.parse(moves)
    if len(solution) > model.max_moves:
        raise ValueError(
            f"the solution has {len(solution)} moves; the policy has room for {model.max_moves}"
        )
    device = next(model.parameters()).device
    level = bitboards.pack([fit(board)], device=device, margin=MARGIN)
    game = Game(level, FIRST_BOARD + 1 + len(solution))
    for direction in solution:
        game.advance(torch.tensor([direction], device=level.boxes.device))
    boards = game.all_boards()
    with evaluating(model), record_attention(model) as record:
        model(boards)
    tokens = TokenRow(
        ["goal", "start", *(_ARROWS[direction] for direction in solution)],
        pictures=_pictures(bitboards.planes(boards)[0]),
    )
    panel = AttentionPanel("boards", record.stacked()[:, 0], tokens, tokens)
    return AttentionView([panel], _GUIDE)


def _pictures(planes: Float[Tensor, "T C H W"]) -> Float[Tensor, "T 3 H W"]:
    """A pixel for each square."""
    pictures = torch.zeros(len(planes), 3, *planes.shape[-2:])
    is_on = planes.bool().cpu()
    layers = [(is_on[:, plane], colour) for plane, colour in _COLOURS.items()]
    layers.insert(-1, (is_on[:, Plane.BOX] & is_on[:, Plane.GOAL], _BOX_ON_GOAL))
    for where, colour in layers:
        pictures = torch.where(where[:, None], torch.tensor(colour)[:, None, None], pictures)
    return pictures
