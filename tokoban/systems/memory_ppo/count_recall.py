"""POPGym's CountRecall: how often was a card of this kind dealt so far?

Axes: B games, S cards.
"""

import torch
from gymnasium.spaces import MultiDiscrete
from jaxtyping import Float, Int64
from torch import Tensor

from tokoban.systems.memory_ppo.repeat_previous import DECK_SIZE, shuffled

# Kinds of cards (colours, suits, ranks) and decks: POPGym's Easy, Medium and Hard.
_NUM_DECKS = {2: 1, 4: 2, 13: 4}


class CountRecall:
    """After ``proroklab/popgym``'s count_recall.py; the return is 1 where every answer is right.

    Each step shows a card and asks for a kind; the card in sight counts. Right and wrong answers
    are worth the same, plus or minus.
    """

    is_judged_at_once = True

    def __init__(self, num_kinds: int) -> None:
        if num_kinds not in _NUM_DECKS:
            known = ", ".join(map(str, _NUM_DECKS))
            raise ValueError(f"count-recall is of {known} kinds of cards, got {num_kinds}")
        self.num_kinds = num_kinds
        self.num_cards = DECK_SIZE * _NUM_DECKS[num_kinds]
        self.observation_space = MultiDiscrete([num_kinds, num_kinds])
        self.action_space = MultiDiscrete([self.num_cards // num_kinds + 1])
        self.episode_steps = self.num_cards - 1

    def start(self, num_games: int, generator: torch.Generator) -> dict[str, Tensor]:
        """Two shuffled decks, one to deal from and one to ask from."""
        dealt, asked = (
            shuffled(self.num_cards, num_games, generator) % self.num_kinds for _ in range(2)
        )
        return self.dealt(torch.stack([dealt, asked], dim=-1))

    def dealt(self, seen: Int64[Tensor, "B S 2"]) -> dict[str, Tensor]:
        """The episodes in which these cards are seen and these kinds asked for."""
        kinds = torch.arange(self.num_kinds, device=seen.device)
        counts = (seen[..., :1] == kinds).long().cumsum(1)  # of each kind, up to each step
        return {"seen": seen, "answers": counts.gather(-1, seen[..., 1:])[..., 0]}

    def observe(self, state: dict[str, Tensor], step: int) -> Int64[Tensor, "B 2"]:
        """The card's kind, and the one asked for."""
        return state["seen"][:, step]

    def play(
        self, state: dict[str, Tensor], actions: Int64[Tensor, "B 1"], step: int
    ) -> tuple[dict[str, Tensor], Float[Tensor, "B"]]:
        """Judges the answer; the cards are what they are."""
        is_right = actions[:, 0] == state["answers"][:, step]
        return state, (2.0 * is_right - 1.0) / self.episode_steps

    def draw(self, state: dict[str, Tensor], step: int) -> Int64[Tensor, "2 S"]:
        """The cards and the questions so far, of the first game."""
        so_far = torch.arange(self.num_cards) <= step
        return torch.where(so_far[:, None], 1 + state["seen"][0].cpu(), 0).T.contiguous()
