"""What is shown of a solution are the boards that the policy reads, and its weights over them."""

import torch

from tokoban.sokoban.formats import parse_board
from tokoban.sokoban.render import tiles_rgb
from tokoban.systems.sokoban_policy.attention import attention
from tokoban.systems.sokoban_policy.fitting import fit
from tokoban.systems.sokoban_policy.model import SokobanPolicy
from tokoban.viewing.attention_page import TokenRow

BOARD = fit(parse_board("######\n#@   #\n# $. #\n#    #\n######"))
TILES = torch.from_numpy(tiles_rgb(8)).permute(0, 3, 1, 2) / 255  # of the letters # .$*@+


def panel(policy: SokobanPolicy, moves: str = "dR"):
    (found,) = attention(policy, BOARD, moves).panels
    return found


def test_a_board_is_called_by_the_move_that_led_to_it(policy: SokobanPolicy) -> None:
    tokens = panel(policy).queries
    assert isinstance(tokens, TokenRow)
    assert tokens.labels == ["goal", "start", "↓", "→"]


def test_the_pictures_are_the_boards(policy: SokobanPolicy) -> None:
    tokens = panel(policy).queries
    assert isinstance(tokens, TokenRow) and tokens.pictures is not None
    seen = []
    for picture in tokens.pictures:
        squares = picture.unfold(1, 8, 8).unfold(2, 8, 8).permute(1, 2, 0, 3, 4).flatten(0, 1)
        letters = ["# .$*@+"[(square == TILES).all((1, 2, 3)).int().argmax()] for square in squares]
        seen.append("".join(letters).replace("#", "").replace(" ", ""))
    # The one box on the goal and nobody, then the start, below it, and the box pushed home.
    assert seen == ["*", "@$.", "@$.", "@*"]


def test_a_position_looks_at_the_goal_itself_and_what_was_before(policy: SokobanPolicy) -> None:
    weights = panel(policy).weights
    assert weights.shape == (2, 3, 4, 4)
    assert torch.equal(weights, weights.tril())
    assert torch.allclose(weights.sum(-1), torch.ones(()))
    assert not policy.training
