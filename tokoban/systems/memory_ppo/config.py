"""The choices of one player: game, network and algorithm; presets are functions."""

from dataclasses import dataclass, replace
from typing import Annotated, Literal

from tokoban.training.config import check_fields, check_limits, heads_divide_width
from tokoban.training.limits import Between, Count, NotNegative, NumLayers, Positive, Share, Width

MemoryKind = Literal["transformer", "lstm", "gru", "none"]


@dataclass(frozen=True, kw_only=True)
class PpoConfig:
    """The number of updates is the run's; each iteration makes epochs x minibatches of them."""

    # The game
    env: str = "repeat-previous:4"  # of Gymnasium, or our own: repeat-previous:LAG,
    # flip-flop:STEPS, t-maze:LENGTH, t-maze:SHORTEST-LONGEST, collection:SIDE,
    # sokoban:SIDE
    num_games: Width = 64  # played at once
    num_steps: Annotated[int | None, Between(1, 2**16)] = None  # of each game between updates;
    # none: a whole episode where all are equally long, else 128

    # The network
    memory: MemoryKind = "transformer"  # what the player remembers by; none: it sees the present
    width: Width = 64  # of the vector that stands for a step
    num_layers: NumLayers = 2  # of the transformer
    num_heads: Count = 4  # of each attention
    rotary_base: float = 100.0  # the slowest rotary position turns by 1 / base a step, or nearly
    window: Annotated[int | None, Between(1, 2**16)] = None  # steps a transformer's layer sees, the
    # present one included; none: a whole episode where all are equally long, else 128

    # The algorithm
    discount: Share = 0.99  # gamma
    gae_lambda: Annotated[float | None, Between(0, 1)] = None  # of the advantages; none: 0.95, or
    # 0.5 where no action affects later rewards, which are then only noise
    clip_range: Positive = 0.2  # of the ratio of probabilities, around 1
    value_coef: NotNegative = 0.5  # weight of the value loss
    entropy_coef: NotNegative = 0.01  # weight of the entropy bonus
    epochs: Annotated[int, Between(1, 1000)] = 4  # times that each step is learned from
    minibatches: Count = 8  # of an epoch, among which whole games are dealt
    reward_scale: Positive = 1.0  # of what is learned from; metrics are never scaled

    evaluation_episodes: Annotated[int, Between(2, 100_000)] = 100  # of each evaluation

    def __post_init__(self) -> None:
        check_limits(self)
        if self.memory == "transformer":
            check_fields(self, heads_divide_width(self, is_rotary=True))
        if self.minibatches > self.num_games:
            raise ValueError(
                f"minibatches are of whole games: expected at most num_games = {self.num_games}, "
                f"got {self.minibatches}"
            )

    @property
    def updates(self) -> int:
        """The number of updates of the weights in one iteration."""
        return self.epochs * self.minibatches


def memory() -> PpoConfig:
    """Settings for games that ask for memory; the default."""
    return PpoConfig()


def maze() -> PpoConfig:
    """Corridors of 1 to 40 steps, for a transformer that then finds its way in far longer ones.

    With this large base five of a head's eight pairs of dimensions turn by less than a third of a
    full turn in the longest episode, so that attention finds a sign by its looks at any distance.
    """
    longest = 1500  # that it can be judged in: the time of such an episode, and its end
    return PpoConfig(
        env="t-maze:1-40",
        window=longest + 1 + longest // 4 + 1,
        rotary_base=1e8,
        gae_lambda=0.5,
    )


def cartpole() -> PpoConfig:
    """CartPole-v1 without a memory: a check that PPO itself is right."""
    return PpoConfig(env="CartPole-v1", memory="none", num_games=16, num_steps=128, minibatches=4)


def pendulum() -> PpoConfig:
    """Pendulum-v1 without a memory: the same, for continuous actions."""
    return replace(
        cartpole(),
        env="Pendulum-v1",
        num_steps=200,
        discount=0.9,
        entropy_coef=0.0,
        epochs=10,
        reward_scale=0.1,
    )


def tiny() -> PpoConfig:
    """A small player that learns for seconds, not enough: for tests."""
    return PpoConfig(
        env="t-maze:5", num_games=8, width=16, num_heads=2, minibatches=2, epochs=2,
        evaluation_episodes=8,
    )  # fmt: skip
