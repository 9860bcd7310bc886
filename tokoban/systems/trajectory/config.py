"""The choices of one model of trajectories: environment, data, tokens, network; presets."""

from dataclasses import dataclass, replace
from typing import Annotated

from tokoban.systems.trajectory.discretise import Binning
from tokoban.systems.trajectory.layout import LayoutKind
from tokoban.systems.trajectory.policies import parse_mix
from tokoban.training.config import check_fields, check_limits, heads_divide_width
from tokoban.training.limits import Between, Count, NumLayers, Width


@dataclass(frozen=True, kw_only=True)
class TrajectoryConfig:
    """The data are collected anew by every training."""

    env: str = "Pendulum-v1"  # of Gymnasium; or graph:SEED, or sokoban
    max_steps: Annotated[int | None, Between(1, 10**6)] = None  # of an episode of Gymnasium;
    # none: the environment's own limit
    repeat: Annotated[int, Between(1, 1000)] = 1  # of Gymnasium: how often each action is done
    # before the next is chosen

    # The data
    mix: str = "random"  # who plays: POLICY+NOISE:SHARE,...; noise = share of random actions
    episodes: Annotated[int, Between(1, 10**7)] = 400  # to be collected
    data_seed: Annotated[int, Between(0, 2**31 - 1)] = 0  # of what is collected, and of the
    # windows' order
    best_share: Annotated[float, Between(above=0, most=1)] = 1.0  # of the episodes, those with the
    # highest returns; below 1: filtered behaviour cloning (%BC)

    # The tokens
    layout: LayoutKind = "plan"  # what is read: states, actions and rewards, to plan by; or actions
    # after a return or a goal that is asked for
    window: Annotated[int, Between(1, 256)] = 8  # transitions that are read together
    bins: Annotated[int, Between(2, 2**12)] = 64  # of a column: a number is read as the bin it
    # falls into
    binning: Binning = "quantile"  # bins with as many of the data each, or of one width
    discount: Annotated[float, Between(above=0, most=1)] = 0.97  # of returns-to-go; 1 in the layout
    # "return"

    # The network
    width: Annotated[int, Between(2, 2**16)] = 64  # of the vector that stands for a token
    num_layers: NumLayers = 2  # each attention and a feed-forward net
    num_heads: Count = 4  # of each attention

    batch_windows: Width = 32  # of a step

    def __post_init__(self) -> None:
        parse_mix(self.mix)
        check_limits(self)
        check_fields(
            self,
            ("discount", self.layout != "return" or self.discount == 1, _UNDISCOUNTED),
            heads_divide_width(self, is_rotary=True),
        )


_UNDISCOUNTED = "1 for the layout return, which subtracts each reward as it is"


def graph() -> TrajectoryConfig:
    """Random walks on a graph of 20 nodes, conditioned on the return: within a minute."""
    return TrajectoryConfig(
        env="graph:0",
        mix="random",
        episodes=5000,
        layout="return",
        window=10,
        bins=20,
        binning="uniform",
        discount=1.0,
        batch_windows=64,
    )


def plan() -> TrajectoryConfig:
    """The Trajectory Transformer: states, actions and rewards, planned by beam search."""
    return TrajectoryConfig()


def conditioned() -> TrajectoryConfig:
    """The decision transformer's way: actions given the return that is asked for."""
    return TrajectoryConfig(layout="return", discount=1.0)


def goal() -> TrajectoryConfig:
    """Actions given a state to come."""
    return TrajectoryConfig(layout="goal")


def sokoban() -> TrajectoryConfig:
    """One-box levels of 4 x 4 squares: the walls before all, then squares and moves.

    Nothing is discounted, since the time limit is part of the task.
    """
    return TrajectoryConfig(
        env="sokoban",
        mix="random:1,expert+0.3:2",
        episodes=6000,
        window=8,
        bins=40,
        binning="uniform",
        discount=1.0,
        num_layers=3,
        batch_windows=64,
    )


def tiny() -> TrajectoryConfig:
    """Walks on a graph that are learned within seconds, badly: for tests."""
    return replace(graph(), episodes=50, width=16, num_layers=1, num_heads=2, batch_windows=16)
