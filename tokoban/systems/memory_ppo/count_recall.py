"""POPGym's CountRecall: how often was a card of this kind dealt so far?

Axes: B games, S cards.
"""

import torch
from gymnasium.spaces import MultiDiscrete
from jaxtyping import Int64
from torch import Tensor

from tokoban.systems.memory_ppo.question_game import QuestionGame, Questions
from tokoban.systems.memory_ppo.repeat_previous import DECK_SIZE, shuffled

# Kinds of cards (colours, suits, ranks) and decks: POPGym's Easy, Medium and Hard.
_NUM_DECKS = {2: 1, 4: 2, 13: 4}


class CountRecall(QuestionGame):
    """After ``proroklab/popgym``'s count_recall.py; the return is 1 where every answer is right.

    Each step shows a card and asks for a kind; the card in sight counts. Right and wrong answers
    are worth the same, plus or minus.
    """

    def __init__(self, num_kinds: int) -> None:
        if num_kinds not in _NUM_DECKS:
            known = ", ".join(map(str, _NUM_DECKS))
            raise ValueError(f"count-recall is of {known} kinds of cards, got {num_kinds}")
        self.num_kinds = num_kinds
        self.num_cards = DECK_SIZE * _NUM_DECKS[num_kinds]
        shown = MultiDiscrete([num_kinds, num_kinds])  # the card's kind, and the one asked for
        super().__init__(self.num_cards - 1, num_questions=self.num_cards - 1, shown=shown)
        self.action_space = MultiDiscrete([self.num_cards // num_kinds + 1])

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
        answers = counts.gather(-1, seen[..., 1:])[..., 0]
        return Questions(seen, answers, torch.ones_like(answers, dtype=torch.bool))._asdict()
