"""Luck is read as skill: what conditioning on a return does in a world of chance, shown.

Arm 0 pays 1 for sure. Arm 1 pays 2 in one case of four, else nothing: 0.5 in the mean.
"""

import torch

from tokoban.systems.trajectory.config import TrajectoryConfig
from tokoban.systems.trajectory.dataset import sizes, table
from tokoban.systems.trajectory.environments import Spec
from tokoban.systems.trajectory.imitate import Imitator
from tokoban.systems.trajectory.layout import Layout, LayoutKind
from tokoban.systems.trajectory.model import TrajectoryTransformer
from tokoban.systems.trajectory.plan import Planner, generators
from tokoban.systems.trajectory.rollouts import History
from tokoban.systems.trajectory.stepper import PlanConfig
from tokoban.systems.trajectory.train import TrajectorySystem
from tokoban.systems.trajectory.trajectories import Trajectories

SPEC = Spec("arms", (1,), (2,), (), (0.0,), (1.0,))


def pulls(num_pulls: int = 4000) -> Trajectories:
    generator = torch.Generator().manual_seed(0)
    arms = torch.randint(2, (num_pulls, 1), generator=generator).float()
    is_lucky = torch.rand(num_pulls, generator=generator) < 0.25
    return Trajectories(
        "arms",
        torch.zeros(num_pulls, 1),
        arms,
        torch.where(arms[:, 0] == 0, 1.0, 2.0 * is_lucky),
        torch.ones(num_pulls, dtype=torch.int64),
        torch.ones(num_pulls, dtype=torch.bool),
        torch.zeros(num_pulls, 0),
        torch.zeros(num_pulls, 1),
    )


def learned(kind: LayoutKind) -> TrajectoryTransformer:
    config = TrajectoryConfig(
        layout=kind, window=1, bins=5, binning="uniform", discount=1.0, width=8, num_layers=1,
        num_heads=1, batch_windows=256,
    )  # fmt: skip
    data = pulls()
    system = TrajectorySystem(config, SPEC, data)
    torch.manual_seed(0)
    layout = Layout(kind, 1, 1)
    model = TrajectoryTransformer(
        layout, sizes=sizes(SPEC), num_bins=5, width=8, num_layers=1, num_heads=1
    )
    model.bins.fit(table(data, discount=1.0), sizes(SPEC), binning="uniform")
    batches = system.train_batches(model, start_step=0)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-2)
    for _ in range(100):
        optimizer.zero_grad()
        system.loss(model, next(batches)).total.backward()
        optimizer.step()
    return model.eval()


def start() -> History:
    none = torch.zeros(1, 0)
    return History(SPEC, none, None, torch.zeros(1, dtype=torch.bool), [torch.zeros(1, 1)])


def test_requested_the_highest_return_it_takes_the_arm_that_pays_less() -> None:
    model = learned("return")
    lucky = Imitator(model, 0, targets=torch.tensor([2.0]))(start())
    sure = Imitator(model, 0, targets=torch.tensor([1.0]))(start())
    assert (lucky.item(), sure.item()) == (1, 0)


def test_planning_by_expected_returns_takes_the_better_one() -> None:
    plan = PlanConfig(horizon=1, keep=2, expansion=1, num_past=0, top_p=None, discount=1.0)
    assert Planner(learned("plan"), plan, generators([0], seed=0))(start()).item() == 0
