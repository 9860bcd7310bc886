"""The choices of one push policy: its network and its examples; presets are functions."""

from dataclasses import dataclass
from typing import Annotated

from tokoban.sokoban.encoding.features import Inputs
from tokoban.training.config import check_network_of_squares
from tokoban.training.limits import Between, Count, NotNegative, NumLayers, Seed, Share, Width

HIDDEN_VALUE = 64  # width inside the network's head of the pushes left


@dataclass(frozen=True, kw_only=True)
class PushPolicyConfig:
    """Boards have any shape, with up to 1,024 squares that the player could ever reach."""

    # The network
    inputs: Inputs = "bounds"  # raw: goals, boxes and the player; augmented: instead of the player
    # the squares that it reaches, and the legal pushes; bounds: also after which of these the lower
    # bound of the pushes left (the cheapest matching of boxes and goals) falls or is infinite
    width: Annotated[int, Between(4, 2**12)] = 64  # of the vector of a square
    hidden_width: Annotated[int, Between(1, 2**14)] = 64  # inside each net that reads neighbours
    num_blocks: NumLayers = 6  # that differ; each reads the neighbours of every square
    attention_every: Annotated[int, Between(0, 1000)] = 2  # every so many blocks attend to all
    # squares; 0: none does
    num_heads: Count = 4  # of each attention

    # The examples
    labels: tuple[str, ...] = ()  # folders of `tokoban label`; none: small random levels
    data_seed: Seed = 0  # of the order of the positions and of their symmetries
    large_share: Share = 0.0  # of batches, those of levels beyond 8x8; all of them read as many
    # squares as other batches, so these have fewer positions
    batch_positions: Width = 64  # of a batch; several are accumulated to one step
    value_weight: NotNegative = 0.1  # of the loss of the number of pushes left; the losses of the
    # pushes, and of what each leads to, have the weight 1

    def __post_init__(self) -> None:
        check_network_of_squares(self)

    def attends(self, block: int) -> bool:
        """Whether the block of this number attends to all squares."""
        return self.attention_every > 0 and (block + 1) % self.attention_every == 0


def base() -> PushPolicyConfig:
    """The network of the shipped ``sokoban-push``."""
    return PushPolicyConfig()


def tiny() -> PushPolicyConfig:
    """Trains within seconds, badly: for tests."""
    return PushPolicyConfig(
        width=16, hidden_width=16, num_blocks=2, num_heads=2, batch_positions=16
    )
