"""The model's game goes on from its own answers; every cell that differs is counted."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

import pytest
import torch

from tokoban.systems.life import evaluate
from tokoban.systems.life.config import tiny
from tokoban.systems.life.dataset import RandomGames
from tokoban.systems.life.evaluate import batches_before_error, wrong_cells_of_games
from tokoban.systems.life.model import LifeNet
from tokoban.systems.life.rules import Rule, parse_rule, step
from tokoban.systems.life.simulate import Generation, play
from tokoban.systems.life.train import build_model

LIFE, HIGH_LIFE = parse_rule("B3/S23"), parse_rule("B36/S23")


def player_of(rule: Rule, *, side: int) -> LifeNet:
    """A network that is replaced by the rule itself."""
    model = build_model(replace(tiny(), side=side))
    model.forward = lambda grids: step(grids, rule).float() - 0.5  # type: ignore[method-assign]
    return model


def test_the_model_goes_on_from_its_own_answers() -> None:
    start = torch.rand(3, 7, 7, generator=torch.manual_seed(5)) < 0.6
    grids = true_grids = start
    played = list(islice(play(player_of(HIGH_LIFE, side=7), start, LIFE), 11))
    for generation in played:
        grids, true_grids = step(grids, HIGH_LIFE), step(true_grids, LIFE)
        assert torch.equal(generation.grids, grids)
        assert torch.equal(generation.true_grids, true_grids)
        assert generation.num_wrong == (grids ^ true_grids).sum()
    assert played[-1].num_wrong > 0


def test_right_and_wrong_players_are_distinguished() -> None:
    chosen = replace(tiny(), side=7)
    right, wrong = player_of(LIFE, side=7), player_of(HIGH_LIFE, side=7)
    assert batches_before_error(right, chosen, num_batches=5) == 5
    assert batches_before_error(wrong, chosen, num_batches=5) == 0
    games = {"num_games": 35, "num_steps": 3, "seed": 1}
    assert wrong_cells_of_games(right, LIFE, **games) == 0
    assert wrong_cells_of_games(wrong, LIFE, **games) > 0


def test_every_wrong_cell_of_every_game_and_step_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    def play(model: LifeNet, start: torch.Tensor, rule: Rule) -> Iterator[Generation]:
        while True:
            yield Generation(start, ~start)

    monkeypatch.setattr(evaluate, "play", play)
    model = player_of(LIFE, side=7)
    wrong = wrong_cells_of_games(model, LIFE, num_games=35, num_steps=3, seed=1)
    assert wrong == 35 * 3 * 7 * 7


def test_the_usual_test_is_not_of_the_grids_that_were_trained_on() -> None:
    seen: list[torch.Tensor] = []

    def recorded(grids: torch.Tensor) -> torch.Tensor:
        seen.append(grids)
        return step(grids, LIFE).float() - 0.5

    model = player_of(LIFE, side=7)
    model.forward = recorded  # type: ignore[method-assign]
    batches_before_error(model, replace(tiny(), side=7), num_batches=2)
    games = RandomGames(LIFE, side=7, num_grids=32, density=None, seed=0)
    for rank in range(8):
        trained = next(games.batches(torch.device("cpu"), rank=rank))
        assert not torch.equal(trained.grids, seen[0])
    assert not torch.equal(seen[0], seen[1])
