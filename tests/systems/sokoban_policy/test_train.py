"""The two losses, and levels that are trained on."""

from dataclasses import replace
from typing import Literal

import pytest
import torch

from tests.crossings import Crossings
from tokoban.systems.sokoban_policy.config import tiny
from tokoban.systems.sokoban_policy.episodes import training_batches
from tokoban.systems.sokoban_policy.spec import SPEC
from tokoban.systems.sokoban_policy.train import make_system
from tokoban.training.gradients import set_gradients
from tokoban.training.state import initial_state


def test_a_batch_without_any_right_move_has_no_policy_loss_and_no_nan() -> None:
    system = make_system(tiny())
    model = system.initial_model()
    batch = next(system.train_batches(model, start_step=0))
    games = batch.games._replace(is_right=torch.zeros_like(batch.games.is_right))
    loss = system.loss(model, next(training_batches([games])))
    assert loss.metrics["policy_loss"] == 0.0
    assert torch.isfinite(loss.total)


def test_the_loss_is_the_probability_of_all_right_moves_together() -> None:
    system = make_system(tiny())
    model = system.initial_model()
    batch = next(system.train_batches(model, start_step=0))
    logits = model.eval()(batch.games.boards, used=batch.used).action_logits
    counts = batch.games.is_right.any(-1)
    right = (logits.softmax(-1) * batch.games.is_right).sum(-1)[counts]
    expected = -right.log().mean()
    torch.testing.assert_close(system.loss(model, batch).metrics["policy_loss"], expected.detach())


@pytest.mark.parametrize("labels", ["exact", "astar"])
def test_steps_wait_for_the_device_once_in_sixteen(labels: Literal["exact", "astar"]) -> None:
    system = make_system(replace(tiny(), labels=labels, num_levels=44, batch_games=16))
    model = system.initial_model()
    state = initial_state(model, replace(SPEC.presets["tiny"].run, ema_decay=0.9))
    average = state.average
    assert average is not None
    batches = system.train_batches(model, start_step=0)

    def step() -> None:
        metrics = set_gradients(system, model, batches, num_batches=1, uses_bf16=False)
        metrics["gradient_norm"] = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        state.optimizer.step()
        average.update_parameters(model)
        state.metrics.add(metrics)

    step()  # draws and labels what the next fifteen read
    with Crossings() as crossings:
        for _ in range(15):
            step()
    # AdamW keeps its count of steps on the CPU unless its parameters are on a GPU.
    own = len(list(model.parameters())) * ["_local_scalar_dense"]
    assert crossings.names == 15 * own
