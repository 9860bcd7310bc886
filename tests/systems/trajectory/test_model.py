"""The network's own laws: what tells tokens apart, and what is never said."""

import torch

from tests.systems.trajectory.models import random_model


def test_every_bin_of_every_column_has_a_vector_of_its_own() -> None:
    model = random_model("Pendulum-v1")
    num_columns, num_bins = model.layout.num_columns, model.bins.num_bins
    tokens = torch.arange(num_bins)[:, None].expand(-1, num_columns)
    vectors = model.embed(tokens, range(num_columns)).flatten(0, 1)
    assert len(vectors.unique(dim=0)) == num_columns * num_bins


def test_a_bin_that_a_column_does_not_use_is_impossible() -> None:
    model = random_model("CartPole-v1")
    columns = torch.tensor([model.layout.actions[0], model.layout.states[0]])
    with torch.no_grad():
        chances = model.logits(torch.randn(3, 2, 12).double(), columns).softmax(-1)
    assert (chances[:, 0, :2] > 0).all() and not chances[:, 0, 2:].any()  # two actions
    assert (chances[:, 1] > 0).all()


def test_a_goal_is_no_state_of_the_past() -> None:
    model = random_model("Pendulum-v1", "goal")
    tokens = torch.tensor([[3, 5, 7]])
    goal = model.embed_prefix(tokens) - model.embed(tokens, model.layout.states)
    torch.testing.assert_close(goal, model.goal.expand(1, 3, -1))
    assert model.goal.abs().max() > 0.1
