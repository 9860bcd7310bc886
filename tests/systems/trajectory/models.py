"""Models of random weights, small and in double precision."""

import gymnasium
import torch

from tokoban.systems.trajectory.collect import collect
from tokoban.systems.trajectory.dataset import sizes, table
from tokoban.systems.trajectory.layout import Layout, LayoutKind
from tokoban.systems.trajectory.model import TrajectoryTransformer
from tokoban.systems.trajectory.worlds import make_world


def random_model(
    env: str, kind: LayoutKind = "plan", *, seed: int = 0, num_bins: int = 23
) -> TrajectoryTransformer:
    """With bins for random play; of strong opinions, so that no two plans are worth the same."""
    torch.manual_seed(seed)
    world = make_world(env, max_steps=20 if env in gymnasium.registry else None)
    spec = world.spec
    layout = Layout(kind, len(spec.state_sizes), len(spec.action_sizes), len(spec.context_sizes))
    model = TrajectoryTransformer(
        layout,
        sizes=sizes(spec),
        num_bins=num_bins,
        width=12,
        num_layers=2,
        num_heads=2,
    )
    data = collect(world, "random", num_episodes=5, seed=0)
    model.bins.fit(table(data, discount=0.9), sizes(spec), binning="quantile")
    with torch.no_grad():
        model.heads.mul_(3.0)
    return model.double().eval()
