"""What is shown of a solution are the boards that the policy reads, and its weights over them."""

import torch

from tokoban.sokoban.formats import parse_board
from tokoban.systems.sokoban_policy.attention import attention
from tokoban.systems.sokoban_policy.fitting import fit
from tokoban.systems.sokoban_policy.model import SokobanPolicy
from tokoban.viewing.attention_page import TokenRow

BOARD = fit(parse_board("######\n#@   #\n# $. #\n#    #\n######"))
# Hundredths of red, green and blue.
LETTERS = {(72, 49, 24): "$", (85, 34, 29): ".", (25, 51, 77): "@", (37, 60, 29): "*"}
WALL, BOX, GOAL, PLAYER, DONE = ["585d73", "b77d3d", "d9574a", "4082c4", "5e994a"]


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
        pixels = [tuple(pixel) for pixel in picture.flatten(1).T.mul(100).round().int().tolist()]
        seen.append("".join(LETTERS.get(pixel, "") for pixel in pixels))
    # The one box on the goal and nobody, then the start, below it, and the box pushed home.
    assert seen == ["*", "@$.", "@$.", "@*"]


def test_a_position_looks_at_the_goal_itself_and_what_was_before(policy: SokobanPolicy) -> None:
    weights = panel(policy).weights
    assert weights.shape == (2, 3, 4, 4)
    assert torch.equal(weights, weights.tril())
    assert torch.allclose(weights.sum(-1), torch.ones(()))
    assert not policy.training
