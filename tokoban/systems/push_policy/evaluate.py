"""Greedy play and searches by a push policy, and its judgements of positions with exact labels.

Axes: P positions.
"""

import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

import numpy as np
from jaxtyping import Float32, Float64, Int64

from tokoban.sokoban.board import Board
from tokoban.sokoban.formats import Problem, read_levels
from tokoban.sokoban.search.searches.guided.search import GuidedOptions, SearchOrder
from tokoban.sokoban.sizes import MOST_SQUARES
from tokoban.systems.push_policy.config import PushPolicyConfig
from tokoban.systems.push_policy.guide import as_judge
from tokoban.systems.push_policy.held_out import (
    UNKNOWN,
    Judgements,
    Labelled,
    boards_of,
    judge_all,
    label_boards,
    recall_at_precision,
)
from tokoban.systems.push_policy.lockstep import MOST_GREEDY, Played, play_all
from tokoban.systems.push_policy.model import PushNet
from tokoban.training.config import Reads, check_limits
from tokoban.training.limits import Between, Seed
from tokoban.training.metrics import Interval, share, with_interval
from tokoban.training.spec import Trained

BUDGETS = (10, 30, 100, 300, 1000, 3000)  # evaluated positions
PRECISION = 0.999
_FEW_MOVES = 120  # after which an episode of DRC ends (Guez et al. 2019, arXiv:1901.03559)
_LOST_RECALL = "lost_recall_at_precision_0999"
_SEEMING = -10.0  # log-odds above which a position seems deadlocked enough to be searched
_SAMPLES = 300  # of the bootstrap


@dataclass(frozen=True, kw_only=True)
class PushEvaluation:
    """The levels, and how the policy searches them."""

    levels: Annotated[tuple[Path, ...], Reads()] = ()  # files of levels
    first: Annotated[int | None, Between(1)] = None  # only so many levels of all files together
    search: SearchOrder = "phs"  # the search of the `solved_at` metrics
    classical: bool = False  # lets the classical deadlock rules prune that search too
    most_evaluated: Annotated[int, Between(1, 10**9)] = BUDGETS[-1]  # positions that it may
    # evaluate in each level
    views: Annotated[int, Between(1, 8)] = 1  # of a board's eight symmetries, over which
    # judgements are averaged
    states: Annotated[int, Between(0, 10**4)] = 32  # sampled of each level that fits 8x8, and
    # labelled exactly; 0: none
    refute: Annotated[int, Between(0, 10**9)] = 0  # positions evaluated by a search of each that
    # seems deadlocked; 0: no search
    seed: Seed = 0  # of these samples and of the bootstrap

    def __post_init__(self) -> None:
        check_limits(self)


def evaluate(
    trained: Trained[PushPolicyConfig, PushNet], options: PushEvaluation
) -> dict[str, int | float]:
    """All metrics on the levels of the files; ``..._low`` and ``..._high`` are 95 % intervals.

    Levels that are invalid or too large for the network are reported on standard error and left
    out; ``invalid_levels`` is how many there were, if any.

    ``greedy_solve_rate`` is of play without search: each of at most 1,000 positions is evaluated
    once, and play makes the push to an unvisited position with the highest product of its
    probability and the probability that it leads to no deadlock;
    ``greedy_solve_rate_in_120_moves`` counts solutions of at most 120 moves. ``solved_at_N`` is the
    share of levels that the search solves with at most N evaluated positions (the last one before a
    solution needs no evaluation); an unsolved level counts in ``mean_evaluated`` with all its
    evaluated positions. ``optimal_share`` is the share of solutions with the fewest pushes, among
    those where these are known, if any. The other metrics are of labelled positions:
    ``top1_optimal_set`` and ``pushes_left_mae`` of solvable ones; ``lost_recall_at_precision_0999``
    is the recall, at a precision of 99.9 %, on the deadlocks that neither dead squares nor the
    freeze rule detect. The score there is the log-odds that the position is deadlocked plus the
    log-odds that its safest push leads to a deadlock; ``..._with_search`` counts as deadlocked only
    what a search of ``refute`` positions does not solve.

    Intervals of shares of levels are Wilson's, all others are by bootstrap over levels.
    """
    boards, problems = _read(options)
    print(*problems, sep="\n", end="\n" * bool(problems), file=sys.stderr)
    metrics = metrics_of(trained.model, boards, options)
    return metrics | ({"invalid_levels": len(problems)} if problems else {})


def _read(options: PushEvaluation) -> tuple[list[Board], list[Problem]]:
    """The levels to evaluate on, and the problems of the others."""
    if not options.levels:
        raise ValueError("no levels to evaluate on: give --levels FILES")
    boards: list[Board] = []
    problems: list[Problem] = []
    for path in options.levels:
        file = read_levels(path)
        problems += file.problems
        for level in file.levels:
            num_squares = len(level.board.inside())
            if num_squares <= MOST_SQUARES:
                boards.append(level.board)
                continue
            message = f"{num_squares:,} squares to reach; the network reads {MOST_SQUARES:,}"
            problems.append(Problem(message, level.source, level.line, level.number, level.title))
    boards = boards[: options.first]
    if not boards:
        raise ValueError("no level that the policy could be evaluated on")
    return boards, problems


def metrics_of(
    model: PushNet, boards: Sequence[Board], options: PushEvaluation
) -> dict[str, int | float]:
    """All metrics of a model on some levels, as ``evaluate`` says."""
    judge = as_judge(model)
    labelled, optima = label_boards(boards, num_states=options.states, seed=options.seed)
    play = partial(play_all, judge, boards, num_views=options.views)
    playing = GuidedOptions(order="greedy")
    greedy = play(playing, max_evaluated=MOST_GREEDY)
    searching = GuidedOptions(order=options.search, is_classical=options.classical)
    searched = play(searching, max_evaluated=options.most_evaluated)
    metrics: dict[str, int | float] = {"levels": len(boards)}
    num_solved = sum(game.solution is not None for game in greedy)
    metrics |= share("greedy_solve_rate", num_solved, len(greedy))
    num_short = sum(
        game.solution is not None and game.solution.num_moves <= _FEW_MOVES for game in greedy
    )
    metrics |= share("greedy_solve_rate_in_120_moves", num_short, len(greedy))
    metrics |= _optimal("greedy_optimal_share", greedy, optima)
    metrics |= search_metrics(searched, options)
    metrics |= _optimal("optimal_share", searched, optima)
    if len(labelled.classes):
        found = judge_all(judge, labelled, num_views=options.views)
        metrics |= position_metrics(labelled, found, options.seed)
        if options.refute:
            seeming = np.flatnonzero(~labelled.is_deadlocked & (found.deadlocked > _SEEMING))
            # No search solves a deadlocked position, so those need none.
            games = play_all(
                judge,
                boards_of(labelled.words[seeming]),
                searching,
                max_evaluated=options.refute,
                num_views=options.views,
            )
            is_refuted = [game.solution is not None for game in games]
            scores = found.deadlocked.copy()
            scores[seeming[is_refuted]] = -np.inf
            name = f"{_LOST_RECALL}_with_search"
            metrics |= _lost_recall(name, labelled, scores, options.seed)
    return metrics


def search_metrics(searched: Sequence[Played], options: PushEvaluation) -> dict[str, float]:
    """The metrics of one search of each level: its successes and its evaluated positions."""
    metrics: dict[str, float] = {}
    for budget in BUDGETS:
        if budget <= options.most_evaluated:
            num_solved = sum(
                game.solution is not None and game.num_evaluated <= budget for game in searched
            )
            metrics |= share(f"solved_at_{budget}", num_solved, len(searched))
    counts = np.array([game.num_evaluated for game in searched], np.float64)
    samples = np.random.default_rng(options.seed).choice(counts, (_SAMPLES, len(counts)))
    for name, statistic in (("mean_evaluated", np.mean), ("median_evaluated", np.median)):
        ends = np.quantile(statistic(samples, axis=1), [0.025, 0.975])
        metrics |= with_interval(name, float(statistic(counts)), Interval(*ends.tolist()))
    return metrics


def _optimal(name: str, games: Sequence[Played], optima: np.ndarray) -> dict[str, float]:
    """The share of solutions with the fewest pushes, among those where they are known."""
    is_optimal = [
        game.solution.num_pushes == fewest
        for game, fewest in zip(games, optima.tolist(), strict=True)
        if game.solution is not None and fewest != UNKNOWN
    ]
    return share(name, sum(is_optimal), len(is_optimal)) if is_optimal else {}


def position_metrics(labelled: Labelled, found: Judgements, seed: int) -> dict[str, int | float]:
    """The metrics of labelled positions."""
    is_solvable = ~labelled.is_deadlocked
    metrics: dict[str, int | float] = {
        "positions": len(labelled.classes),
        "hidden_deadlocks": int((labelled.is_deadlocked & ~labelled.is_detected).sum()),
    }

    def mean_of(values: np.ndarray) -> Callable[[Float64[np.ndarray, " P"]], float]:
        return lambda weights: float((values * weights).sum() / (weights.sum() or math.nan))

    of_solvable = {
        "top1_optimal_set": mean_of(found.is_hit[is_solvable]),
        "pushes_left_mae": mean_of(found.pushes_error[is_solvable]),
    }
    for name, statistic in of_solvable.items():
        metrics |= bootstrapped(name, labelled.level[is_solvable], statistic, seed)
    return metrics | _lost_recall(_LOST_RECALL, labelled, found.deadlocked, seed)


def _lost_recall(
    name: str, labelled: Labelled, scores: Float32[np.ndarray, " P"], seed: int
) -> dict[str, float]:
    """The recall of these scores among the deadlocks that the classical rules do not detect."""
    is_tested = ~(labelled.is_deadlocked & labelled.is_detected)
    own, is_positive = scores[is_tested], labelled.is_deadlocked[is_tested]
    return bootstrapped(
        name,
        labelled.level[is_tested],
        lambda weights: recall_at_precision(own, is_positive, PRECISION, weights),
        seed,
    )


def bootstrapped(
    name: str,
    level: Int64[np.ndarray, " P"],
    statistic: Callable[[Float64[np.ndarray, " P"]], float],
    seed: int,
) -> dict[str, float]:
    """A statistic of weighted positions, with its interval by resampling levels.

    Bootstrap: Efron 1979; of clusters, since the positions of a level are alike.
    """
    rng = np.random.default_rng(seed)
    levels, own = np.unique(level, return_inverse=True)
    samples = []
    for _ in range(_SAMPLES if len(levels) > 1 else 0):
        counts = np.bincount(rng.integers(len(levels), size=len(levels)), minlength=len(levels))
        samples.append(statistic(counts[own].astype(np.float64)))
    finite = [sample for sample in samples if math.isfinite(sample)]
    ends = Interval(*np.quantile(finite, [0.025, 0.975]).tolist()) if finite else None
    return with_interval(name, statistic(np.ones(len(level))), ends)
