"""The evaluation of a network: the usual tests, then each neighbourhood at each cell, proved.

The usual tests, perfect batches and long games, are passed by networks that are wrong: what is rare
in random grids may never have been asked. The certificate asks everything; so it is the proof, and
not the usual tests, that ends a training run.
"""

import math
from dataclasses import asdict, dataclass
from decimal import ROUND_FLOOR, Context
from itertools import islice
from pathlib import Path
from typing import Annotated

import numpy as np
import torch

from tokoban.systems.life.attention_plot import (
    ATTENTION_METRICS,
    attention_matrix,
    attention_metrics,
    film_of_run,
)
from tokoban.systems.life.certificate import certify, margins
from tokoban.systems.life.config import LifeConfig
from tokoban.systems.life.dataset import RandomGames, random_grids
from tokoban.systems.life.model import LifeNet
from tokoban.systems.life.rules import Rule, parse_rule
from tokoban.systems.life.simulate import play
from tokoban.training.config import Writes, check_limits
from tokoban.training.limits import Between, Seed
from tokoban.training.run_directory import RunDirectory
from tokoban.training.spec import Trained
from tokoban.training.streams import Purpose

NUM_BATCHES = 200  # of the usual test: more than a million and a half cells of 16 x 16
SAFE_MARGIN = 1.0  # of a logit as the network runs, at which training ends
DENSITIES = (None, 0.0, 0.05, 0.5, 0.95, 1.0)  # of the surroundings; none: from 0 to 1

METRICS = ("share_before_error", "proved_share", *ATTENTION_METRICS)

_BATCH_GRIDS = 32
Number = Annotated[int, Between(0, 1_000_000)]


def validate(model: LifeNet, config: LifeConfig) -> dict[str, float]:
    """The usual test and the proof, both quick while they fail, and where the cells look."""
    num_right = batches_before_error(model, config, num_batches=NUM_BATCHES)
    return {
        "share_before_error": num_right / NUM_BATCHES,
        "proved_share": proved_share(model, parse_rule(config.rule)),
    } | _attention(model)


def proved_share(model: LifeNet, rule: Rule) -> float:
    """The share of cases that come before a margin of which ``SAFE_MARGIN`` is not proved."""
    num_proved = 0
    for _, proof in margins(model, rule, densities=(None,)):
        if not (proof.proved >= SAFE_MARGIN).all():
            break
        num_proved += len(proof.proved)
    return num_proved / (2**9 * model.side**2)


def batches_before_error(model: LifeNet, config: LifeConfig, *, num_batches: int) -> int:
    """The number of batches, sampled as in training but for tests, before the first wrong cell."""
    games = RandomGames(
        parse_rule(config.rule),
        side=config.side,
        num_grids=_BATCH_GRIDS,
        density=config.density,
        seed=config.data_seed,
    )
    drawn = games.batches(model.states.device, purpose=Purpose.TEST)
    with torch.inference_mode():
        for number, batch in enumerate(islice(drawn, num_batches)):
            if ((model(batch.grids) > 0) != batch.successors).any():
                return number
    return num_batches


def wrong_cells_of_games(
    model: LifeNet, rule: Rule, *, num_games: int, num_steps: int, seed: int
) -> int:
    """Cells in which the model's own games differ from the true ones, in all generations."""
    random = np.random.default_rng(seed)
    num_wrong = 0
    for first in range(0, num_games, _BATCH_GRIDS):
        num_grids = min(_BATCH_GRIDS, num_games - first)
        start = random_grids(num_grids, side=model.side, density=None, random=random)
        generations = play(model, start.to(model.states.device), rule)
        num_wrong += sum(each.num_wrong for each in islice(generations, num_steps))
    return num_wrong


@dataclass(frozen=True, kw_only=True)
class LifeEvaluation:
    """How long the usual tests are, and the film of a run."""

    batches: Number = NUM_BATCHES  # of the usual test
    games: Number = 100  # that are played on
    steps: Number = 100  # of each game
    seed: Seed = 0  # of games and surroundings
    film: Annotated[Path | None, Writes((".gif",))] = None  # where the cells looked, in the course
    # of the run that --weights names, whose weights were kept by --keep-every

    def __post_init__(self) -> None:
        check_limits(self)


def evaluate(
    trained: Trained[LifeConfig, LifeNet], options: LifeEvaluation
) -> dict[str, int | float]:
    """Tests on random grids, the attention of the cells, and the certificate.

    ``batches_before_error`` is the number of batches before the first wrong cell, at most
    ``batches``. ``wrong_cells`` is the number of wrong cells in ``games`` of ``steps`` steps each.
    ``neighbour_mass``, ``own_mass`` and ``far_mass`` are the mean shares of a cell's attention that
    go to its neighbours, to itself and to all others; ``least_neighbour_mass`` is that of the worst
    cell, and ``distance_to_mean`` the share that differs from the mean of the neighbours. The
    certificate covers each neighbourhood of each cell: ``cases`` in all, of which ``cases_wrong``
    are wrong with random far cells and ``cases_refuted`` with far cells chosen by an attack;
    ``cases_proved`` are right with all far cells as the network runs, ``cases_proved_exactly`` in
    exact arithmetic. A margin is the distance of a logit from 0 on the right side; a lower bound of
    it proves a case only if it is above 0.
    """
    model, config = trained.model, trained.config
    if options.film is not None:
        kept = RunDirectory(trained.weights.parent, system="life", config={}).kept
        film_of_run(model, kept, grids=_grids(model), film=options.film)
    rule = parse_rule(config.rule)
    metrics: dict[str, int | float] = {
        "batches": options.batches,
        "batches_before_error": batches_before_error(model, config, num_batches=options.batches),
        "games": options.games,
        "steps": options.steps,
        "wrong_cells": wrong_cells_of_games(
            model,
            rule,
            num_games=options.games,
            num_steps=options.steps,
            seed=options.seed,
        ),
    } | _attention(model)
    certificate = certify(model, rule, densities=DENSITIES, seed=options.seed)
    rounded = {
        name: rounded_down(value) if isinstance(value, float) else value
        for name, value in asdict(certificate).items()
    }
    rounded["largest_rounding_error"] = -rounded_down(-certificate.largest_rounding_error)
    return metrics | rounded


def rounded_down(bound: float) -> float:
    """A lower bound to four digits, never above ``bound``."""
    if not math.isfinite(bound):
        return bound
    return float(Context(prec=4, rounding=ROUND_FLOOR).create_decimal_from_float(bound))


def _attention(model: LifeNet) -> dict[str, float]:
    grids = _grids(model).to(model.states.device)
    return attention_metrics(attention_matrix(model, grids))


def _grids(model: LifeNet) -> torch.Tensor:
    random = np.random.default_rng(0)
    return random_grids(_BATCH_GRIDS, side=model.side, density=None, random=random)
