"""The loss: padding and unknown returns count for nothing, and nothing is seen that is to come."""

from dataclasses import replace
from typing import Any

import pytest
import torch

from tokoban.systems.trajectory import train
from tokoban.systems.trajectory.config import TrajectoryConfig, goal, graph, tiny
from tokoban.systems.trajectory.dataset import Windows
from tokoban.systems.trajectory.graphs import graph_of
from tokoban.systems.trajectory.layout import LayoutKind
from tokoban.systems.trajectory.model import TrajectoryTransformer


def small(**changes: object) -> TrajectoryConfig:
    return replace(tiny(), window=5, **changes)  # type: ignore[arg-type]


def batch_of(
    config: TrajectoryConfig,
) -> tuple[train.TrajectorySystem, TrajectoryTransformer, Windows]:
    system = train.make_system(config)
    torch.manual_seed(0)
    model = system.initial_model()
    model.double()
    return system, model, next(system.train_batches(model, start_step=0))


@pytest.mark.parametrize("layout", ["plan", "return", "goal"])
def test_padding_changes_no_loss(layout: LayoutKind) -> None:
    config = small(layout=layout)
    system, model, batch = batch_of(config)
    short = Windows(
        batch.prefix, batch.tokens[:, :3], batch.is_real[:, :3], batch.knows_return[:, :3]
    )
    padded = Windows(
        batch.prefix,
        torch.cat([batch.tokens[:, :3], batch.tokens[:, :2].flip(0) * 0], dim=1),
        torch.cat([batch.is_real[:, :3], torch.zeros(len(batch.tokens), 2, dtype=torch.bool)], 1),
        torch.cat(
            [batch.knows_return[:, :3], torch.ones(len(batch.tokens), 2, dtype=torch.bool)], 1
        ),
    )
    losses = [system.loss(model, each).total.item() for each in (short, padded)]
    assert losses[0] == pytest.approx(losses[1], abs=1e-6)


@pytest.mark.parametrize("layout", ["plan", "return", "goal"])
def test_no_token_that_is_to_come_is_seen(layout: LayoutKind) -> None:
    _, model, batch = batch_of(small(layout=layout))
    slots = list(model.layout.slots)
    tokens = batch.tokens[:, :, slots]
    with torch.no_grad():
        before = model(batch.prefix, tokens)
        changed = tokens.clone()
        changed[:, 3, 1] = (changed[:, 3, 1] + 1) % 20
        after = model(batch.prefix, changed)
    assert before[:, :3].equal(after[:, :3])
    is_earlier = model.target_slots < 1
    assert before[:, 3][:, is_earlier].equal(after[:, 3][:, is_earlier])
    assert not before[:, 3][:, ~is_earlier].equal(after[:, 3][:, ~is_earlier])


def test_a_return_that_is_not_known_has_no_weight() -> None:
    config = small(layout="plan")
    system, model, batch = batch_of(config)
    unknown = batch._replace(knows_return=torch.zeros_like(batch.knows_return))
    layout = model.layout
    other = unknown.tokens.clone()
    other[:, :, layout.to_go] = (other[:, :, layout.to_go] + 3) % 20
    losses = [
        system.loss(model, each).total.item() for each in (unknown, unknown._replace(tokens=other))
    ]
    assert losses[0] == losses[1]
    known = [
        system.loss(model, each).total.item() for each in (batch, batch._replace(tokens=other))
    ]
    assert known[0] != known[1]


@pytest.mark.parametrize("changes", [{"max_steps": 5}, {"repeat": 2}], ids=str)
@pytest.mark.parametrize("env", ["graph:0", "sokoban"])
def test_options_of_gymnasium_are_refused_for_our_own(env: str, changes: dict[str, Any]) -> None:
    told = f"^max_steps and repeat are for environments of Gymnasium, not for {env}$"
    with pytest.raises(ValueError, match=told):
        train.world_of(small(env=env, **changes))


def test_the_best_share_of_the_data_is_what_is_learned() -> None:
    everything, best = train.make_system(tiny()), train.make_system(replace(tiny(), best_share=0.1))
    assert best.trajectories.checksum() == everything.trajectories.best(0.1).checksum()
    assert len(best.trajectories.lengths) == 5


def test_what_contradicts_itself_is_refused() -> None:
    for changes, message in (
        ({"num_heads": 5}, "^num_heads is 5; expected a divisor of width .* with an even quotient"),
        ({"layout": "return"}, r"^discount is 0.97; expected 1 for the layout return.*$"),
        ({"mix": "x y"}, r"^mix: got 'x y'"),
    ):
        with pytest.raises(ValueError, match=message):
            replace(goal(), **changes)


@pytest.mark.slow
def test_walks_requested_the_best_return_are_the_shortest() -> None:
    """Trained on random walks alone, seed 0 of the graphs; about 20 seconds of one core."""
    from tokoban.systems.trajectory.acting import acting, make_policy
    from tokoban.systems.trajectory.rollouts import play

    config = graph()
    system = train.make_system(config)
    torch.manual_seed(0)
    model = system.initial_model()
    batches = system.train_batches(model, start_step=0)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    for step in range(500):
        optimizer.param_groups[0]["lr"] = 3e-3 * min(1, (step + 1) / 50) * (1 - step / 500)
        optimizer.zero_grad()
        system.loss(model, next(batches)).total.backward()
        optimizer.step()
    world, seeds = train.world_of(config), range(19)
    how = replace(acting(config), target="shortest")
    policy = make_policy(model.eval(), config, how, world, seeds=seeds)
    returns = play(world, policy, seeds).returns()
    walked = graph_of(world)
    assert walked is not None
    starts = walked.starts(seeds)
    assert int((returns == -walked.distances[starts]).sum()) >= 18
