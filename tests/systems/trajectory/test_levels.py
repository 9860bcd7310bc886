"""Sokoban as numbers: the plain rules, levels that are never in the training, and an expert."""

import torch

from tokoban.sokoban import rules
from tokoban.systems.trajectory.collect import collect
from tokoban.systems.trajectory.environments import FIRST_TRAINING_SEED, World
from tokoban.systems.trajectory.levels import LATE, MAX_STEPS, SIDE, SokobanWorld
from tokoban.systems.trajectory.rollouts import play


def test_the_expert_solves_every_level_in_the_fewest_moves_and_the_rules_agree() -> None:
    world = SokobanWorld()
    assert isinstance(world, World)
    seeds = range(13)
    played = play(world, world.expert(), seeds)
    shortest = world.shortest(seeds)
    assert played.returns().tolist() == [-moves for moves in shortest]
    world.reset(seeds)
    for board, moves in zip(world.boards, played.actions.split(shortest), strict=True):
        assert rules.play(board, moves[:, 0].int().tolist())[-1].is_solved


def test_numbers_tell_the_whole_board() -> None:
    world = SokobanWorld()
    states = world.reset([3, 5])
    for row, board in enumerate(world.boards):
        kinds = world.contexts()[row].view(SIDE, SIDE)
        for place in range(SIDE * SIDE):
            above, left = divmod(place, SIDE)
            square = (above + 1, left + 1)
            expected = 0 if square in board.walls else 2 if square in board.goals else 1
            assert kinds[above, left] == expected
            assert (square == board.player) == (states[row, 0] == place)
            assert (square in board.boxes) == (states[row, 1] == place)


def test_who_does_not_solve_it_is_cut_off() -> None:
    world = SokobanWorld()
    world.reset([0])
    steps = [world.step(torch.zeros(1, 1)) for _ in range(MAX_STEPS)]
    assert [bool(step.is_truncated) for step in steps] == [False] * (MAX_STEPS - 1) + [True]
    assert sum(float(step.rewards) for step in steps) == -MAX_STEPS + LATE


def test_no_level_of_the_evaluation_is_trained_on() -> None:
    world = SokobanWorld()
    world.reset(range(100))
    evaluated = set(world.boards)
    world.reset(range(FIRST_TRAINING_SEED, FIRST_TRAINING_SEED + 1000))
    assert not evaluated & set(world.boards)


def test_the_walls_are_kept_with_each_episode() -> None:
    data = collect(SokobanWorld(), "random:1,expert+0.5:1", num_episodes=6, seed=0)
    assert data.contexts.shape == (6, SIDE * SIDE)
    assert (data.contexts == 2).sum(1).tolist() == [1] * 6
