"""Sokoban as numbers: the plain rules, levels that are never in the training, and an expert."""

from dataclasses import replace

import torch

from tokoban.sokoban import rules
from tokoban.sokoban.board import Board
from tokoban.sokoban.canonical import canonical_form
from tokoban.systems.trajectory.collect import collect
from tokoban.systems.trajectory.environments import FIRST_TRAINING_SEED, World
from tokoban.systems.trajectory.levels import (
    LATE,
    MAX_STEPS,
    SIDE,
    SokobanLevelsEnv,
    expert,
    is_solved,
    shortest,
)
from tokoban.systems.trajectory.rollouts import play
from tokoban.systems.trajectory.worlds import make_world


def boards_of(world: World) -> list[Board]:
    assert isinstance(world.environment, SokobanLevelsEnv)
    return world.environment.boards


def test_the_expert_solves_every_level_in_the_fewest_moves_and_the_rules_agree() -> None:
    world = make_world("sokoban")
    seeds = range(13)
    played = play(world, expert(world), seeds)
    fewest = shortest(seeds)
    assert played.returns().tolist() == [-moves for moves in fewest]
    world.reset(seeds)
    for board, moves in zip(boards_of(world), played.actions.split(fewest), strict=True):
        assert rules.play(board, moves[:, 0].int().tolist())[-1].is_solved


def test_numbers_tell_the_whole_board() -> None:
    world = make_world("sokoban")
    states = world.reset([3, 5])
    for row, board in enumerate(boards_of(world)):
        kinds = world.contexts()[row].view(SIDE, SIDE)
        for place in range(SIDE * SIDE):
            above, left = divmod(place, SIDE)
            square = (above + 1, left + 1)
            expected = 0 if square in board.walls else 2 if square in board.goals else 1
            assert kinds[above, left] == expected
            assert (square == board.player) == (states[row, 0] == place)
            assert (square in board.boxes) == (states[row, 1] == place)


def test_who_does_not_solve_it_is_cut_off() -> None:
    world = make_world("sokoban")
    world.reset([0])
    steps = [world.step(torch.zeros(1, 1)) for _ in range(MAX_STEPS)]
    assert [bool(step.is_truncated) for step in steps] == [False] * (MAX_STEPS - 1) + [True]
    assert sum(float(step.rewards) for step in steps) == -MAX_STEPS + LATE


def test_no_level_of_the_evaluation_is_trained_on_nor_an_image_of_one() -> None:
    world = make_world("sokoban")
    world.reset(range(279))  # there are no more
    evaluated = {canonical_form(board) for board in boards_of(world)}
    assert len(evaluated) == 279
    # Every third of 2,381: forms take their time.
    world.reset(range(FIRST_TRAINING_SEED, FIRST_TRAINING_SEED + 2381, 3))
    assert len(set(boards_of(world))) == 794
    assert not evaluated & {canonical_form(board) for board in boards_of(world)}


def test_solved_is_what_the_moves_solve_whatever_is_reported_of_them() -> None:
    world, seeds = make_world("sokoban"), [5, 2, 7]
    played = play(world, expert(world), seeds)
    assert is_solved(played, seeds).tolist() == [True] * 3
    # The last move of the second is left out, and its end is claimed.
    is_kept = torch.ones(len(played.rewards), dtype=torch.bool)
    is_kept[played.ends[1] - 1] = False
    cut = replace(
        played,
        observations=played.observations[is_kept],
        actions=played.actions[is_kept],
        rewards=played.rewards[is_kept],
        lengths=played.lengths - torch.tensor([0, 1, 0]),
    )
    assert cut.is_terminated.all()
    assert is_solved(cut, seeds).tolist() == [True, False, True]
    assert is_solved(played, [7, 2, 5]).tolist() != [True] * 3


def test_the_walls_are_kept_with_each_episode() -> None:
    data = collect(make_world("sokoban"), "random:1,expert+0.5:1", num_episodes=6, seed=0)
    assert data.contexts.shape == (6, SIDE * SIDE)
    assert (data.contexts == 2).sum(1).tolist() == [1] * 6
