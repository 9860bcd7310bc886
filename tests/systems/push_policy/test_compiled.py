"""The compiled loops answer as torch does: every view, any boards side by side, any network."""

import json
import re
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest
import torch

import tokoban
from tokoban.sokoban.board import Board
from tokoban.sokoban.encoding.encoded import Encoded, collated
from tokoban.sokoban.encoding.features import IS_FLOOR
from tokoban.sokoban.encoding.tokens import Tokens
from tokoban.sokoban.search.level.ground import Squares, build_ground
from tokoban.sokoban.search.searches.guided.guide import boxes_and_zones
from tokoban.systems.push_policy import config, torch_judge
from tokoban.systems.push_policy.compiled import CompiledNet, shapes
from tokoban.systems.push_policy.guide import as_judge
from tokoban.systems.push_policy.model import PushNet
from tokoban.systems.push_policy.torch_judge import TorchJudge
from tokoban.training.checkpoint import save_weights

# Four squares, a room with inner walls, and one that is wider than a block of rows.
DRAWINGS = (
    "######|#@$ .#|######",
    "########|#  .  ##|#@$ $  #|#  #.  #|###    #|########",
    "##############|#   #  .  .  #|# $  $  # @  #|#      #     #|#  #####  ####|##############",
)
NETWORKS = {
    "as shipped": config.PushPolicyConfig(),
    "without attention": replace(config.tiny(), attention_every=0),
    "of odd widths": replace(config.tiny(), width=20, hidden_width=7),
    "raw inputs": replace(config.tiny(), inputs="raw"),
}


@pytest.fixture(scope="module")
def boards() -> Encoded:
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
def test_compiled_loops_are_torch(name: str, boards: Encoded) -> None:
    model = network(name)
    compiled, by_torch = as_judge(model), TorchJudge(model)
    assert isinstance(compiled, CompiledNet)
    is_square = boards.features[:, :, IS_FLOOR] != 0
    for view in range(8):
        found, expected = compiled.judge(boards, view), by_torch.judge(boards, view)
        np.testing.assert_allclose(found.policy, expected.policy, atol=1e-5)
        np.testing.assert_allclose(found.values, expected.values, atol=1e-5)
        deadlocks = found.push_deadlocks[is_square], expected.push_deadlocks[is_square]
        np.testing.assert_allclose(*deadlocks, atol=1e-5)
    for number in range(len(boards.features)):
        one = Encoded(*(array[number : number + 1] for array in boards))
        if not NETWORKS[name].attention_every:
            with pytest.raises(ValueError, match="no attention to record"):
                compiled.attention(one)
            continue
        count = int(is_square[number].sum())
        expected_weights = by_torch.attention(one)[:, :, :count, :count]
        np.testing.assert_allclose(compiled.attention(one), expected_weights, atol=1e-5)


def test_a_judge_is_known_without_its_weights_being_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    by_torch = TorchJudge(network("as shipped"))
    monkeypatch.setattr(torch_judge, "_state_of", lambda model: pytest.fail("copied"))
    assert as_judge(by_torch) is by_torch


@pytest.mark.parametrize("name", NETWORKS)
def test_the_weights_are_named_and_shaped_as_those_of_torch(name: str) -> None:
    state = network(name).state_dict()
    assert dict(shapes(NETWORKS[name])) == {x: tuple(tensor.shape) for x, tensor in state.items()}


def test_loaded_weights_are_those_of_torch_and_strangers_are_refused(
    boards: Encoded, tmp_path: Path
) -> None:
    path, model = tmp_path / "push.safetensors", network("as shipped")
    state = model.state_dict()

    def save(changed: dict[str, torch.Tensor]) -> None:
        metadata = {"system": "push", "config": json.dumps(asdict(model.config))}
        save_weights(path, {**state, **changed}, metadata)

    save({})
    loaded = tokoban.load(str(path)).model
    assert isinstance(loaded, CompiledNet)
    for found, expected in zip(
        loaded.judge(boards, 3), as_judge(model).judge(boards, 3), strict=True
    ):
        np.testing.assert_array_equal(found, expected)
    save({"push.bias": state["push.bias"].bfloat16()})  # numpy has no such numbers
    assert isinstance(tokoban.load(str(path)).model, PushNet)
    for changed, complaint in (
        ({"push.bias": torch.zeros(7)}, "'push.bias' has the shape (7,); its config asks for (4,)"),
        ({"push.bias": torch.zeros(4, dtype=torch.int64)}, "'push.bias' is of type I64"),
        ({"more": torch.zeros(4)}, "'more' is not of this model"),
        ({"push.bias": torch.full((4,), torch.nan)}, "some weights are NaN or above 1,000,000"),
    ):
        save(changed)
        with pytest.raises(ValueError, match=re.escape(complaint)):
            tokoban.load(str(path))
