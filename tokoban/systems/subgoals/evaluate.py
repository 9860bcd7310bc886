"""Levels solved by a higher policy over a lower one, and by the push policy alone."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Literal

import numpy as np

from tokoban.sokoban.board import Board
from tokoban.sokoban.encoding.tokens import Tokens
from tokoban.sokoban.formats.level import Solution
from tokoban.sokoban.instructions import benchmark
from tokoban.systems.subgoals.config import SubgoalsConfig
from tokoban.systems.subgoals.dataset import NUM_BOXES
from tokoban.systems.subgoals.model import SubgoalNet
from tokoban.systems.subgoals.play import Lower, exactly, play_all, read
from tokoban.systems.subgoals.stretches import Stretches
from tokoban.systems.subgoals.train import held_out
from tokoban.training.config import check_limits
from tokoban.training.limits import Between
from tokoban.training.metrics import auc, share
from tokoban.training.spec import Trained

LOWER, FLAT = "sokoban-8x8", "sokoban-push"  # shipped weights


@dataclass(frozen=True, kw_only=True)
class SubgoalsEvaluation:
    """Which levels, and who carries the subgoals out."""

    levels: Annotated[int, Between(3, 10_000)] = 300  # of those that its training held out
    lower: Literal["rollout", "push", "search"] = "rollout"  # rollout: of the policy of one box;
    # push: greedy play of the push policy; search: an exact one
    most_evaluated: Annotated[int, Between(1, 10**6)] = 100  # positions, by the network

    def __post_init__(self) -> None:
        check_limits(self)


def evaluate(
    trained: Trained[SubgoalsConfig, SubgoalNet], options: SubgoalsEvaluation
) -> dict[str, float]:
    """For each number of boxes: the shares of levels solved, with and without a higher policy.

    ``greedy`` and ``by_search`` are by the most probable subgoals and by best-first search within
    ``most_evaluated`` positions; ``flat_greedy`` and ``flat_by_search`` are by the push policy
    alone, whose greedy play evaluates at most 1,000. ``one_at_a_time`` is the share of levels that
    can be solved by subgoals that all end on goals, ``..._by_search`` the share of these that the
    search solves. ``extra_pushes`` are those of greedy play beyond the fewest, as a share of these;
    ``refused`` is the share of subgoals in the search that the lower policy refuses. ``safe_auc``
    is the area under the ROC curve of the second pointer at the start: pairs of a box and a square
    that can be executed and keep the level solvable, against those to refuse.
    """
    chosen = benchmark.some_of(held_out(trained.config), options.levels)
    metrics: dict[str, float] = {}
    for num_boxes in NUM_BOXES:
        boards = [board for board in chosen if len(board.boxes) == num_boxes]
        found = _measured(trained, boards, options)
        metrics |= {f"boxes_{num_boxes}_{name}": value for name, value in found.items()}
    return metrics


def _measured(
    trained: Trained[SubgoalsConfig, SubgoalNet],
    boards: Sequence[Board],
    options: SubgoalsEvaluation,
) -> dict[str, float]:
    most = options.most_evaluated
    lower = lower_policy(trained, options.lower)
    stretches = [Stretches(board) for board in boards]
    fewest = [each.pushes_left[0] for each in stretches]
    play = partial(play_all, trained.model, boards, lower, most_evaluated=most)
    greedy, searched = play(is_greedy=True), play()
    solved = {
        number: Solution.of(game.start, game.moves).num_pushes
        for number, game in enumerate(greedy)
        if game.moves is not None
    }
    needed = sum(fewest[number] for number in solved)
    num_commands = sum(game.num_commands for game in searched)
    metrics = {
        **share("greedy", len(solved), len(boards)),
        **share("by_search", sum(game.moves is not None for game in searched), len(boards)),
        "extra_pushes": sum(solved.values()) / needed - 1 if needed else float("nan"),
        **share("refused", sum(game.num_refused for game in searched), num_commands),
        "safe_auc": _safe_auc(trained.model, boards, stretches),
    }
    for name, budget in (("flat_greedy", None), ("flat_by_search", most)):
        flat = trained.players[FLAT](boards, budget)
        metrics |= share(name, sum(moves is not None for moves in flat), len(boards))
    simple = [each.can_be_solved_one_at_a_time() for each in stretches]
    of_simple = sum(game.moves is not None for game in itertools.compress(searched, simple))
    return {
        **metrics,
        **share("one_at_a_time", sum(simple), len(boards)),
        **share("one_at_a_time_by_search", of_simple, sum(simple)),
        "levels": len(boards),
    }


def _safe_auc(model: SubgoalNet, boards: Sequence[Board], stretches: Sequence[Stretches]) -> float:
    scores: list[float] = []
    are_safe: list[bool] = []
    for board, each in zip(boards, stretches, strict=True):
        tokens, known = Tokens.of(board), {*each.subgoals(each.safe(0))}
        squares, number = tokens.squares.squares, tokens.squares.number
        logits = read(model, [(tokens, board)])[0].safe[0].tolist()
        for box, target in itertools.product(board.boxes, {*squares} - board.boxes):
            scores.append(logits[number[box]][number[target]])
            are_safe.append((box, target) in known)
    is_safe = np.array(are_safe, np.bool_)
    return auc(np.array(scores)[is_safe], np.array(scores)[~is_safe])


def lower_policy(trained: Trained[SubgoalsConfig, SubgoalNet], name: str) -> Lower:
    """The lower policy of ``SubgoalsEvaluation.lower``."""
    if name == "search":
        return exactly
    policy = trained.players[FLAT if name == "push" else LOWER]
    return lambda boards: policy(boards, None)
