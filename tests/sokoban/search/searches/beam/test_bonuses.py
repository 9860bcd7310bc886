"""Bonuses learnt from rounds, by hand."""

import numpy as np

from tokoban.sokoban.search.searches.beam.rounds import Bonuses


def test_bonuses_grow_where_rounds_fail_and_fade_afterwards() -> None:
    bonuses = Bonuses(np.array([True, False, False]))
    assert bonuses.of_square.tolist() == [0, 0, 0]
    # The goal is empty in one of two positions, and a box is left on the square beside it in both.
    bonuses.learn(np.array([[True, True, False], [False, True, False]]))
    assert bonuses.of_square.tolist() == [4, -4, 0]
    # Nothing is wrong in the next round, so 0.7 of the blame is left: 0.7 * 4 = 2.8 for each.
    bonuses.learn(np.array([[True, False, False]]))
    assert bonuses.of_square.tolist() == [3, -3, 0]
