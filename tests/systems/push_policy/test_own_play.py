"""The positions that greedy play comes to, against the play itself by the plain rules."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
import torch

from tests.sokoban.brute_force import Shape, random_boards
from tests.sokoban.labels.play_of import packed
from tokoban.sokoban.board import Board
from tokoban.sokoban.labels.job import LabelConfig
from tokoban.sokoban.labels.samples import PlayedStates
from tokoban.sokoban.search.searches.guided.search import GuidedOptions
from tokoban.systems.push_policy import own_play
from tokoban.systems.push_policy.config import tiny
from tokoban.systems.push_policy.guide import as_judge
from tokoban.systems.push_policy.lockstep import play_all
from tokoban.systems.push_policy.model import PushNet

BOARDS = list(random_boards(Shape(5, 5, 2, is_closed=False), 40, seed=3))


def played_by(model: PushNet, boards: Sequence[Board], numbers: Sequence[int]) -> PlayedStates:
    _, play = own_play.own_play(model, LabelConfig(seed=5))
    states = play(packed(boards), np.array(numbers), lambda: False)
    assert states is not None
    return states


def trails(states: PlayedStates) -> list[list[tuple[int, int]]]:
    keys = list(zip(states.boxes.tolist(), states.player.tolist(), strict=True))
    ends = states.ends.tolist()
    return [keys[start:end] for start, end in zip([0, *ends], ends, strict=False)]


def test_all_of_lost_games_and_some_of_won_ones(
    random_net: PushNet, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge, greedy = as_judge(random_net), GuidedOptions(order="greedy")
    results = play_all(judge, BOARDS, greedy, max_evaluated=120)
    some = trails(played_by(random_net, BOARDS, range(len(BOARDS))))
    monkeypatch.setattr(own_play, "_KEPT_OF_SOLVED", 1)
    whole = trails(played_by(random_net, BOARDS, range(len(BOARDS))))
    num_won = 0
    for result, kept, trail, start in zip(results, some, whole, packed(BOARDS).boxes, strict=True):
        assert len(trail) == result.num_evaluated
        assert not trail or trail[0][0] == start
        for (before, _), (after, _) in pairwise(trail):
            left, come = before & ~after, after & ~before
            assert come in (left << 1, left >> 1, left << 8, left >> 8)
        if result.solution is None:
            assert kept == trail
        else:
            num_won += 1
            assert kept == [state for state in trail if state in kept]
            assert len(kept) in (len(trail) // 8, len(trail) // 8 + 1)
    assert 0 < num_won < len(BOARDS)


def test_a_level_is_played_as_it_is_alone(
    random_net: PushNet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(own_play, "_KEPT_OF_SOLVED", 2)  # most games are short
    together = trails(played_by(random_net, BOARDS, range(7, 7 + len(BOARDS))))
    for number in range(len(BOARDS)):
        assert trails(played_by(random_net, [BOARDS[number]], [7 + number])) == [together[number]]


def test_it_ends_when_it_must(random_net: PushNet) -> None:
    _, play = own_play.own_play(random_net, LabelConfig())
    assert play(packed(BOARDS), np.arange(len(BOARDS)), lambda: True) is None


def test_another_model_has_another_digest(random_net: PushNet) -> None:
    other = PushNet(tiny())
    models = (random_net, random_net, other)
    configs = [own_play.own_play(each, LabelConfig())[0] for each in models]
    assert configs[0] == configs[1] != configs[2]
    with pytest.raises(ValueError, match="expected a push policy"):
        own_play.own_play(torch.nn.Linear(1, 1), LabelConfig())
