"""The attention of the policy along a solution, for the attention page.

Axes: T positions (goal, start, a board per move), C channels, H rows, W columns.
"""

import torch
from jaxtyping import Float
from torch import Tensor

from tokoban.sokoban.board import Board, Direction
from tokoban.sokoban.formats import lurd
from tokoban.sokoban.render import tiles_rgb
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
_SQUARE_PX = 8

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


def _pictures(planes: Float[Tensor, "T C H W"]) -> Float[Tensor, "T 3 _ _"]:
    """The boards as levels are drawn; that of the goal has no player."""
    is_on = planes.long().cpu()
    goal, box, player = is_on[:, Plane.GOAL], is_on[:, Plane.BOX], is_on[:, Plane.PLAYER]
    kinds = (1 + goal + 2 * box + 4 * player) * (1 - is_on[:, Plane.WALL])
    squares = torch.from_numpy(tiles_rgb(_SQUARE_PX))[kinds] / 255  # [T, H, W, px, px, 3]
    return squares.permute(0, 5, 1, 3, 2, 4).flatten(4).flatten(2, 3)
