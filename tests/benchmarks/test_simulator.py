"""The ways of stepping that are timed all play the same games."""

from typing import Any

import torch

from benchmarks.simulator import draw_levels, play_posted, repeated, ways
from tokoban.sokoban.simulation import bitboards, tensor_boards, wide_bitboards
from tokoban.sokoban.simulation.tensor_boards import Plane

CPU = torch.device("cpu")
LEVELS = draw_levels(11, seed=1)


def boxes_and_player(boards: Any) -> torch.Tensor:
    """[B, 2, 8, 8]: what a step changes, of the squares inside the ring."""
    if isinstance(boards, torch.Tensor):
        return boards[:, [Plane.BOX, Plane.PLAYER], 1:-1, 1:-1]
    for rules in (bitboards, wide_bitboards):
        if type(boards).__module__ == rules.__name__:
            return rules.planes(boards)[:, [Plane.BOX, Plane.PLAYER]].bool()
    return tensor_boards.planes(boards)[:, [Plane.BOX, Plane.PLAYER], 1:-1, 1:-1]


def test_all_ways_play_the_same_games() -> None:
    actions = torch.randint(4, (23, 13), generator=torch.Generator().manual_seed(1))
    results = {}
    for way in ways():
        boards = repeated(way.boards(LEVELS, CPU), len(LEVELS), 13)
        after = way.play(boards, actions)
        results[way.name] = boxes_and_player(after if way.play is play_posted else after[0])
    first = next(iter(results.values()))
    assert len(results) >= 9
    for name, result in results.items():
        assert torch.equal(result, first), name
