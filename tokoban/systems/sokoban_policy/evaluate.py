"""The post's validation table, and beyond it: the set of optimal moves, greedy play, lengths.

Axes: B levels, T positions, A actions.
"""

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import torch
from torch import Tensor

from tokoban.sokoban.formats import Problem, read_levels
from tokoban.sokoban.puzzles.random_levels import GeneratedLevel
from tokoban.sokoban.search.combine import solver
from tokoban.sokoban.simulation.distances import one_box_tables
from tokoban.sokoban.sizes import MAX_LEVELS
from tokoban.sokoban.symmetry import SYMMETRIES
from tokoban.systems.sokoban_policy import solve
from tokoban.systems.sokoban_policy.config import (
    BEAM_WIDTH,
    MAX_BEAM_WIDTH,
    VALIDATION_SEED,
    SokobanPolicyConfig,
)
from tokoban.systems.sokoban_policy.dataset import generate_levels, replay_entries
from tokoban.systems.sokoban_policy.episodes import FIRST_BOARD, UNSOLVABLE_BIN, Episodes, places
from tokoban.systems.sokoban_policy.fitting import fit
from tokoban.systems.sokoban_policy.handcrafted import HandcraftedEntry
from tokoban.systems.sokoban_policy.model import SokobanPolicy
from tokoban.systems.sokoban_policy.solve import Play
from tokoban.training import processes
from tokoban.training.config import Reads, check_limits
from tokoban.training.limits import Between
from tokoban.training.metrics import is_in_top_k, share
from tokoban.training.spec import Trained

_BATCH_GAMES = 512

# Shares among the metrics, and what each is a share of.
_SHARES = {
    "solvability_accuracy": "levels",
    "top1_policy": "plan_moves",
    "top2_policy": "plan_moves",
    "top1_optimal_set": "plan_moves",
    "top1_steps_left": "plan_boards",
    "top2_steps_left": "plan_boards",
    "beam_solve_rate": "solvable_levels",
    "greedy_solve_rate": "solvable_levels",
    "beam_optimal_share": "beam_solved",
    "greedy_optimal_share": "greedy_solved",
}

METRICS = (
    "levels",
    "solvable_levels",
    *(f"{name}{end}" for name in _SHARES for end in ("", "_low", "_high")),
    *(f"{way}_mean_{what}" for way in ("beam", "greedy") for what in ("moves", "excess")),
    "optimal_share",
    "optimal_mean_moves",
    "beam_width",
)


def metrics_of(
    model: SokobanPolicy, levels: Sequence[GeneratedLevel], play: Play
) -> dict[str, float]:
    """All metrics, as ``evaluate`` says, on levels that fit; each process counts its share."""
    mine = levels[processes.rank() :: processes.world_size()]
    counts = _supervised_counts(model, mine)
    counts |= _play_counts(model, mine, play)
    totals = processes.sum_over_processes(counts)
    metrics: dict[str, float] = {
        "levels": totals["levels"],
        "solvable_levels": totals["solvable_levels"],
    }
    for name, base in _SHARES.items():
        metrics |= share(name, totals[name], totals[base])
    for way in ("beam", "greedy"):
        metrics[f"{way}_mean_moves"] = _ratio(totals[f"{way}_moves"], totals[f"{way}_solved"])
        metrics[f"{way}_mean_excess"] = _ratio(totals[f"{way}_excess"], totals[f"{way}_solved"])
    metrics["optimal_share"] = metrics["beam_optimal_share"]
    metrics["optimal_mean_moves"] = _ratio(totals["optimal_moves"], totals["solvable_levels"])
    metrics["beam_width"] = float(play.width)
    return metrics


def _supervised_counts(model: SokobanPolicy, levels: Sequence[GeneratedLevel]) -> dict[str, float]:
    """The policy's agreement with A*'s solutions and with the exact tables along them."""
    counts = dict.fromkeys(
        (name for name, base in _SHARES.items() if base in ("levels", "plan_moves", "plan_boards")),
        0.0,
    ) | {"plan_moves": 0.0, "plan_boards": 0.0}
    entries = [
        HandcraftedEntry.from_level(replace(level, board=fit(level.board)))
        for level in levels
        if len(level.solution or ()) <= model.max_moves
    ]
    # A longer solution has no place in the sequence; its start still counts for solvability.
    entries += [
        HandcraftedEntry(fit(level.board), (), (), is_solved=True)
        for level in levels
        if len(level.solution or ()) > model.max_moves
    ]
    for first in range(0, len(entries), _BATCH_GAMES):
        batch = entries[first : first + _BATCH_GAMES]
        games = replay_entries(batch, model.max_positions, symmetries=SYMMETRIES[:1]).trimmed()
        for name, count in _agreements(model, games.map(lambda x: x.to(model.mask.device))).items():
            counts[name] += count
    return counts


def _agreements(model: SokobanPolicy, games: Episodes) -> dict[str, float]:
    """The counts of one batch of solutions."""
    with torch.inference_mode():
        answers = model(games.boards, used=places(games.is_used))
    starts = games.boards.at((slice(None), FIRST_BOARD))
    tables = one_box_tables(starts)
    says_unsolvable = answers.steps_left_logits[:, FIRST_BOARD].argmax(-1) == UNSOLVABLE_BIN
    is_unsolvable = tables.distance(starts) < 0
    has_move = games.is_right.any(-1)
    is_optimal = tables.is_optimal(games.boards)[has_move]  # [M, 4]
    logits = answers.action_logits[has_move].float()
    labels = games.is_right[has_move].int().argmax(-1)
    best = logits.argmax(-1)
    in_set = is_optimal.gather(1, best.clamp(max=3).unsqueeze(1))[:, 0] & (best < 4)
    has_bin = games.steps_left_bin >= 0
    bins, steps_left = games.steps_left_bin[has_bin], answers.steps_left_logits[has_bin].float()
    return {
        "solvability_accuracy": _count(says_unsolvable == is_unsolvable),
        "top1_policy": _count(is_in_top_k(logits, labels, k=1)),
        "top2_policy": _count(is_in_top_k(logits, labels, k=2)),
        "top1_optimal_set": _count(in_set),
        "top1_steps_left": _count(is_in_top_k(steps_left, bins, k=1)),
        "top2_steps_left": _count(is_in_top_k(steps_left, bins, k=2)),
        "plan_moves": float(len(labels)),
        "plan_boards": float(len(bins)),
    }


def _play_counts(
    model: SokobanPolicy, levels: Sequence[GeneratedLevel], play: Play
) -> dict[str, float]:
    """The metrics of beam search and greedy play on the solvable levels."""
    solvable = [level for level in levels if level.solution is not None]
    optimum = [len(level.solution or ()) for level in solvable]
    starts = solve.pack([fit(level.board) for level in solvable], model.mask.device)
    beam = solve.by_beam(model, starts, play)
    greedy = solve.by_rollout(model, starts, play)
    counts = {
        "levels": float(len(levels)),
        "solvable_levels": float(len(solvable)),
        "optimal_moves": float(sum(optimum)),
    }
    for way, solutions in {"beam": beam, "greedy": greedy}.items():
        pairs = [
            (len(p), best) for p, best in zip(solutions, optimum, strict=True) if p is not None
        ]
        counts[f"{way}_solve_rate"] = counts[f"{way}_solved"] = float(len(pairs))
        counts[f"{way}_optimal_share"] = float(sum(moves == best for moves, best in pairs))
        counts[f"{way}_moves"] = float(sum(moves for moves, _ in pairs))
        counts[f"{way}_excess"] = float(sum(moves - best for moves, best in pairs))
    return counts


def _count(is_so: Tensor) -> float:
    return float(is_so.sum())


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else math.nan


@dataclass(frozen=True, kw_only=True)
class SokobanEvaluation:
    """The levels to evaluate on, and how the policy plays."""

    levels: Annotated[Path | None, Reads()] = None  # one-box levels to evaluate on
    generated: Annotated[int | None, Between(2, MAX_LEVELS)] = None  # or so many generated ones,
    # half of them solvable; without either, the 4000 or so validation levels of the weights' own
    # training, which takes minutes
    seed: Annotated[int | None, Between(0)] = None  # of the generated levels
    beam: Annotated[int, Between(1, MAX_BEAM_WIDTH)] = BEAM_WIDTH  # width of the beam search

    def __post_init__(self) -> None:
        check_limits(self)
        if self.levels is not None and self.generated is not None:
            raise ValueError("give --levels or --generated, not both")
        if self.seed is not None and self.generated is None:
            raise ValueError("--seed is for levels that --generated asks for")


def evaluate(
    trained: Trained[SokobanPolicyConfig, SokobanPolicy], options: SokobanEvaluation
) -> dict[str, float]:
    """The metrics on the levels asked for, or else on the validation levels of the training.

    Levels of a file that are invalid, or do not fit the policy, are reported on standard error and
    left out; ``invalid_levels`` among the metrics is how many there were, if any.

    ``solvability_accuracy`` is of levels. ``top1_policy`` and ``top2_policy`` compare, as the post
    does, with the move of one A* solution at each of its positions (solutions longer than
    ``max_moves`` are left out), ``top1_steps_left`` and ``top2_steps_left`` with the moves left;
    ``top1_optimal_set`` counts any move of a shortest solution. Solve rates are shares of the
    solvable levels, within ``max_moves``; the reference rules replay each solution.
    ``..._mean_excess`` are moves beyond the fewest; ``optimal_share`` is that of beam search.
    ``..._low`` and ``..._high`` are Wilson's 95 % interval of each share.
    """
    model, config = trained.model, trained.config
    problems: list[Problem] = []
    if options.levels is not None:
        levels, problems = _read(options.levels)
        if processes.rank() == 0:
            print(*problems, sep="\n", end="\n" * bool(problems), file=sys.stderr)
        if not levels:
            raise ValueError(f"{options.levels}: no level that the policy could be measured on")
    elif options.generated is not None:
        seed = VALIDATION_SEED if options.seed is None else options.seed
        levels = generate_levels(options.generated, seed=seed)
    else:
        levels = generate_levels(config.num_validation_levels, seed=VALIDATION_SEED)
    metrics = metrics_of(model, levels, Play(width=options.beam))
    return metrics | ({"invalid_levels": float(len(problems))} if problems else {})


def _read(path: Path) -> tuple[list[GeneratedLevel], list[Problem]]:
    """The levels of a file that fit the policy with A*'s solutions, and problems of the others."""
    file = read_levels(path)
    problems = list(file.problems)
    levels: list[GeneratedLevel] = []
    for level in file.levels:
        try:
            board = fit(level.board)
        except ValueError as error:
            found = Problem(str(error), level.source, level.line, level.number, level.title)
            problems.append(found)
            continue
        answer = solver.solve(board)
        levels.append(
            GeneratedLevel(
                board, answer.solution.directions if answer.solution is not None else None
            )
        )
    return levels, problems
