"""The rounds of beams: how wide they are, and which positions a layer keeps."""

from collections import Counter
from typing import TypeVar

import numpy as np
import pytest

from tokoban.sokoban.board import Board
from tokoban.sokoban.formats.level import Solution
from tokoban.sokoban.search.level.one_box import Step
from tokoban.sokoban.search.pauses import found_by
from tokoban.sokoban.search.searches.beam import rounds as beam_rounds
from tokoban.sokoban.search.searches.beam.beam import Beam

BeamT = TypeVar("BeamT", bound=Beam)


def begun_midway(search: BeamT, best_path: list[Step], part: int) -> BeamT:
    """The beam at a taught round, which begins after so many quarters of the path."""
    rounds = search._rounds
    rounds._best_path, rounds._most_on_goals = best_path, 99
    rounds._work_of, rounds._num_rounds = [1, 0], [0, 2 * part]
    rounds.current = rounds._next()
    assert rounds.current.prefix == best_path[: len(best_path) * part // 4]
    search._begin_round()
    return search


def finish(search: Beam, board: Board) -> None:
    Solution.of(board, found_by(search, 1 << 12).directions)  # which replays it


def test_each_width_of_taught_rounds_comes_as_often_as_it_is_narrow() -> None:
    widenings = [beam_rounds._widening(turn) for turn in range(40)]
    assert widenings[:13] == [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 2]
    assert Counter(widenings) == {0: 27, 1: 9, 2: 3, 3: 1}


@pytest.mark.parametrize("seed", [0, 3])
def test_the_next_best_and_the_best_of_each_kind_are_expanded_by_turns(seed: int) -> None:
    draw = np.random.default_rng(5)
    count = 47
    badness = draw.integers(11, size=count)
    kind = draw.integers(1, 5, size=count)
    score = kind << beam_rounds.BADNESS_BITS | badness
    key = draw.integers(1 << 64, size=count, dtype=np.uint64)
    drawn = [int(one) for one in key]
    for _ in range(seed):
        drawn = [one * 0x9E3779B97F4A7C15 % 2**64 for one in drawn]
    best = sorted(range(count), key=lambda i: (int(badness[i]), drawn[i] >> 48))
    of_kinds = [[i for i in best if kind[i] == one] for one in range(1, 5)]
    in_turn: list[int] = []
    for rank in range(count):
        at_rank = [of_kind[rank] for of_kind in of_kinds if rank < len(of_kind)]
        in_turn += sorted(at_rank, key=best.index)
    expected = dict.fromkeys(i for pair in zip(best[:14], in_turn[:14], strict=True) for i in pair)
    assert beam_rounds.in_order(score, key, 7, seed).tolist() == list(expected)
    assert beam_rounds.in_order(score, key, count, seed).tolist() == list(range(count))
