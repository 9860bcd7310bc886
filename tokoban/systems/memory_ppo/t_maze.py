"""The passive T-maze: a sign at the start says which way to turn at the far end of a corridor.

Axes: B games, H rows, W columns.
"""

import torch
from gymnasium.spaces import MultiDiscrete
from jaxtyping import Float, Int64
from torch import Tensor

_RIGHT, _UP, _LEFT, _DOWN = range(4)


class TMaze:
    """After Bakker (2001): a step that does not lead forward costs 1 / length, the goal brings 1.

    The corridor is ``length`` steps long, or in each game from ``length`` to ``longest``, drawn
    evenly: what is learned at the near far ends is there already when a distant one is reached.

    Who has turned has turned, and nothing happens any more: the best return is 1, and a guess at
    the far end brings 0.5. The corridor looks the same everywhere. There is a quarter more time
    than the longest corridor needs. (In the maze of arXiv 2307.03864 there is none to spare, so
    that a policy which still explores never sees the far end of a long corridor: that measures
    something else.)
    """

    is_judged_at_once = False

    def __init__(self, length: int, longest: int | None = None) -> None:
        if length < 1:
            raise ValueError(f"t-maze needs a corridor of at least 1 step, got {length}")
        self.shortest, self.longest = length, length if longest is None else longest
        if self.longest < length:
            raise ValueError(f"t-maze:{length}-{longest}: the longest corridor comes last")
        # Whether at the far end; and a side, of the goal at the start, else of the player.
        self.observation_space = MultiDiscrete([2, 3])
        self.action_space = MultiDiscrete([4])
        self.episode_steps = self.longest + 1 + self.longest // 4

    def start(self, num_games: int, generator: torch.Generator) -> dict[str, Tensor]:
        """Starts at the near end; the goal is on either side."""
        device = generator.device
        goal = torch.randint(2, (num_games,), generator=generator, device=device) * 2 - 1
        nowhere = torch.zeros_like(goal)
        length = torch.full_like(goal, self.longest)
        if self.shortest < self.longest:
            bounds = self.shortest, self.longest + 1
            length = torch.randint(*bounds, (num_games,), generator=generator, device=device)
        return {"goal": goal, "length": length, "place": nowhere, "side": nowhere}

    def observe(self, state: dict[str, Tensor], step: int) -> Int64[Tensor, "B 2"]:
        """The sign is seen before the first step alone."""
        is_far = (state["place"] == state["length"]).long()
        side = state["goal"] if step == 0 else state["side"]
        return torch.stack([is_far, side + 1], dim=-1)

    def play(
        self, state: dict[str, Tensor], actions: Int64[Tensor, "B 1"], step: int
    ) -> tuple[dict[str, Tensor], Float[Tensor, "B"]]:
        """Walks, where there is no wall, until the player has turned."""
        action, before, side = actions[:, 0], state["place"], state["side"]
        length = state["length"]
        has_turned = side != 0
        along = (action == _RIGHT).long() - (action == _LEFT).long()
        across = (action == _UP).long() - (action == _DOWN).long()
        place = torch.where(has_turned, before, (before + along).clamp(min=0))
        place = place.minimum(length)
        turns = ~has_turned & (before == length) & (across != 0)
        rewards = -(place <= before).float() / length
        rewards = torch.where(turns, (across == state["goal"]).float(), rewards)
        side = torch.where(turns, across, side)
        return state | {"place": place, "side": side}, rewards.masked_fill(has_turned, 0.0)

    def draw(self, state: dict[str, Tensor], step: int) -> Int64[Tensor, "H W"]:
        """The maze of the first game, as wide as the longest corridor."""
        end = int(state["length"][0])
        picture = torch.zeros(3, self.longest + 1, dtype=torch.int64)
        picture[1, :end] = 1
        picture[:, end] = 1
        picture[1 - state["goal"][0], end] = 2
        picture[1 - state["side"][0], state["place"][0]] = 3
        return picture
