"""Play by a push policy, also in other processes, each of which loads the weights once."""

from dataclasses import dataclass
from functools import cache
from typing import Any

from tokoban.api.learning import Pretrained, load
from tokoban.sokoban.labels.job import LabelConfig, Play
from tokoban.sokoban.labels.samples import PlayedStates


@dataclass(frozen=True)
class PlayByName:
    """A ``Play`` that can be pickled."""

    name: str
    config: LabelConfig  # with the digest of the weights

    def __call__(self, *asked: Any) -> PlayedStates | None:
        """Plays by the weights of this name; raises ``ValueError`` if their digest differs."""
        return _loaded(self.name, self.config)(*asked)


def play_of(
    weights: Pretrained, config: LabelConfig, *, is_elsewhere: bool
) -> tuple[LabelConfig, Play]:
    """The play of weights, here or in other processes, and ``config`` with their digest."""
    from tokoban.systems.push_policy.own_play import own_play

    config, play = own_play(weights.model, config)
    if not is_elsewhere:
        return config, play
    if weights.name is None:
        raise ValueError("played_by has no name; expected what tokoban.load returns")
    return config, PlayByName(weights.name, config)


@cache
def _loaded(name: str, config: LabelConfig) -> Play:
    found, play = play_of(load(name, system="push"), config, is_elsewhere=False)
    if found != config:
        raise ValueError(
            f"the weights {name} of a worker are not those of the process that gives out the work"
        )
    return play
