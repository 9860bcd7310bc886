"""The compiled loops answer as torch does: every view, any boards side by side, any network."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from tokoban.sokoban.board import Board
from tokoban.sokoban.search.level.ground import Squares, build_ground
from tokoban.sokoban.search.searches.guided.guide import boxes_and_zones
from tokoban.systems.push_policy import config, guide
from tokoban.systems.push_policy.batches import Boards, collated
from tokoban.systems.push_policy.model import PushNet
from tokoban.systems.push_policy.positions import CAN_PUSH
from tokoban.systems.push_policy.tokens import Tokens

# Four squares, a room with inner walls, and one that is wider than a block of rows.
DRAWINGS = (
    "######|#@$ .#|######",
    "########|#  .  ##|#@$ $  #|#  #.  #|###    #|########",
    "##############|#   #  .  .  #|# $  $  # @  #|#      #     #|#  #####  ####|##############",
)
NETWORKS = {
    "as shipped": config.PushPolicyConfig(),
    "without attention": replace(config.tiny(), attention_every=0),
    "looped, of odd widths": replace(config.tiny(), loops=3, width=20, hidden_width=7),
    "raw inputs": replace(config.tiny(), inputs="raw"),
}


@pytest.fixture(scope="module")
def boards() -> Boards:
    tokens, features = [], []
    for drawing in DRAWINGS:
        board = Board.from_xsb(drawing)
        squares = Squares(board)
        tokens.append(Tokens(squares, build_ground(board, squares)))
        features.append(tokens[-1].features(*boxes_and_zones(squares, [board, board]))[0])
    return collated(tokens, features)


def network(name: str) -> PushNet:
    torch.manual_seed(3)
    model = PushNet(NETWORKS[name]).eval()
    for parameter in model.parameters():  # also what is the same in all networks at first
        torch.nn.init.normal_(parameter, std=0.2)
    return model


@pytest.mark.parametrize("name", NETWORKS)
def test_compiled_loops_are_torch(name: str, boards: Boards) -> None:
    model = network(name)
    is_legal = boards.features[:, :, CAN_PUSH : CAN_PUSH + 4] != 0
    is_square = boards.is_square.numpy()
    for view in range(8):
        with torch.inference_mode():
            expected = guide._judged_by_torch(model, boards, is_legal, view)
        found = guide._judged_compiled(guide._packed(model), guide.seen(boards, view), view)
        np.testing.assert_allclose(found.policy, expected.policy, atol=1e-5)
        np.testing.assert_allclose(found.values, expected.values, atol=1e-5)
        deadlocks = found.push_deadlocks[is_square], expected.push_deadlocks[is_square]
        np.testing.assert_allclose(*deadlocks, atol=1e-5)


def test_changed_weights_are_read_anew(boards: Boards) -> None:
    model = network("without attention")
    bounds = np.zeros(len(boards.features), np.int32)
    before = guide.judged(model, boards, bounds).log_policy
    with torch.no_grad():
        model.push.weight.mul_(2)
    assert (guide.judged(model, boards, bounds).log_policy != before).any()
