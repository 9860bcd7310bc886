"""Squeaky wheel optimisation: bonuses that a search learns from the rounds in which it got stuck.

After Joslin and Clements, "Squeaky wheel optimization" (JAIR 10, 1999): whatever a round handled
badly gets a higher priority in the next one. If a round packs boxes in an order that shuts off some
goals, these goals gain a bonus, and the next round tends to fill them earlier.
Axes as in ``ground``, and K positions.
"""

import numpy as np
from jaxtyping import Bool, Float64, Int64

# The bonus of a goal that was empty in all the best positions of a round; the penalty of a square
# without a goal that held a box in all of them; and the share of both that the next round keeps.
_GOAL, _SQUARE, _KEPT = 8, 4, 0.7


class Bonuses:
    """What a box on each square is worth: above 0 on goals, below 0 on other squares.

    Floats are only added and multiplied one by one, so every machine has the same bonuses.
    """

    def __init__(self, is_goal: Bool[np.ndarray, " F"]) -> None:
        self._is_goal = is_goal
        self._blame: Float64[np.ndarray, " F"] = np.zeros(len(is_goal))
        self.of_square: Int64[np.ndarray, " F"] = np.zeros(len(is_goal), np.int64)

    def learn(self, is_box: Bool[np.ndarray, "K F"]) -> None:
        """Updates the bonuses after a round; ``is_box`` has the boxes of its best positions."""
        share = is_box.sum(axis=0) / len(is_box)
        self._blame = _KEPT * self._blame + np.where(self._is_goal, 1 - share, share)
        bonus = np.where(self._is_goal, _GOAL, -_SQUARE) * self._blame
        self.of_square = np.rint(bonus).astype(np.int64)
