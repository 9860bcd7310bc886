"""POPGym's RepeatPrevious: say which suit was dealt so many steps ago.

Axes: B games, S cards.
"""

import torch
from gymnasium.spaces import MultiDiscrete
from jaxtyping import Float, Int64
from torch import Tensor

NUM_SUITS = 4
DECK_SIZE = 52


class RepeatPrevious:
    """After ``proroklab/popgym``'s repeat_previous.py; the return is 1 where every answer is right.

    POPGym counts the card in sight as the first: lag 4 asks for the one three steps before. Right
    and wrong answers are worth the same, plus or minus; until so many cards are seen there is
    nothing to win.
    """

    is_judged_at_once = True

    def __init__(self, lag: int) -> None:
        """POPGym's number of decks is 1, 2 or 3 for lags 4, 32 and 64: one, and one per 32."""
        if lag < 1:
            raise ValueError(f"repeat-previous needs a lag of at least 1, got {lag}")
        self.lag = lag
        self.num_cards = DECK_SIZE * (1 + lag // 32)
        self.observation_space = self.action_space = MultiDiscrete([NUM_SUITS])
        self.episode_steps = self.num_cards - 1

    def start(self, num_games: int, generator: torch.Generator) -> dict[str, Tensor]:
        """Deals shuffled decks."""
        return {"suits": shuffled(self.num_cards, num_games, generator) % NUM_SUITS}

    def observe(self, state: dict[str, Tensor], step: int) -> Int64[Tensor, "B 1"]:
        """The suit of the card that was dealt last."""
        return state["suits"][:, step, None]

    def play(
        self, state: dict[str, Tensor], actions: Int64[Tensor, "B 1"], step: int
    ) -> tuple[dict[str, Tensor], Float[Tensor, "B"]]:
        """Judges the answer; the cards are what they are."""
        asked = step + 1 - self.lag
        if asked < 0:
            return state, torch.zeros(len(actions), device=actions.device)
        is_right = actions[:, 0] == state["suits"][:, asked]
        return state, (2.0 * is_right - 1.0) / (self.num_cards - self.lag)

    def draw(self, state: dict[str, Tensor], step: int) -> Int64[Tensor, "1 S"]:
        """The cards so far, of the first game."""
        so_far = torch.arange(self.num_cards) <= step
        return torch.where(so_far, 2 + state["suits"][0].cpu(), 0)[None]


def shuffled(num_cards: int, num_games: int, generator: torch.Generator) -> Int64[Tensor, "B S"]:
    """A random order of the cards, numbered from 0, for each game."""
    keys = torch.rand(num_games, num_cards, generator=generator, device=generator.device)
    return keys.argsort(dim=1)
