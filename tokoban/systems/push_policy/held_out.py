"""Exact labels of held-out levels, and the model's predictions for them.

Axes: N levels, P positions, W words of a position, T tokens.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Bool, Float32, Float64, Int16, Int32, Int64, UInt64

from tokoban.compiling import entry
from tokoban.sokoban.board import Board
from tokoban.sokoban.encoding.encoded import Encoded
from tokoban.sokoban.formats.packed import PackedLevels
from tokoban.sokoban.labels.items import label_in_memory
from tokoban.sokoban.labels.shards import Shard
from tokoban.sokoban.search.bitboard.labels import DEADLOCKED
from tokoban.sokoban.search.bitboard.levels import Levels, from_board
from tokoban.sokoban.search.bitboard.terrain import UNREACHABLE as TERRAIN_UNREACHABLE
from tokoban.sokoban.search.bitboard.terrain import empty_terrain, is_frozen, place_of
from tokoban.sokoban.search.bitboard.terrain import survey as survey_terrain
from tokoban.sokoban.search.level.ground import UNREACHABLE
from tokoban.sokoban.search.level.words import EMPTY, index, lowest
from tokoban.sokoban.search.searches.guided.guide import Guidance
from tokoban.systems.push_policy.guide import Judge, judged
from tokoban.systems.push_policy.positions import (
    BOXES,
    FLOOR,
    GOALS,
    NUM_WORDS,
    ZONE,
    fill_bounds,
    positions_of,
    results_of,
    tokens_of,
)
from tokoban.systems.push_policy.results import DEADLOCK_CLASS, Result

UNKNOWN = -1
_POSITIONS_AT_ONCE = 512
_UNREACHABLE = int(TERRAIN_UNREACHABLE)


class Labelled(NamedTuple):
    """Positions of levels, each once up to walks."""

    words: UInt64[np.ndarray, "P W"]
    classes: Int16[np.ndarray, " P"]  # of the pushes left
    level: Int64[np.ndarray, " P"]  # positions of one level are neighbours
    bound: Int32[np.ndarray, " P"]  # of the pushes left, by matching boxes and goals
    is_detected: Bool[np.ndarray, " P"]  # dead squares or the freeze rule find a deadlock

    @property
    def is_deadlocked(self) -> Bool[np.ndarray, " P"]:
        """Whether each position has no solution."""
        return self.classes == DEADLOCK_CLASS


def label_boards(
    boards: Sequence[Board], *, num_states: int, seed: int
) -> tuple[Labelled, Int32[np.ndarray, " N"]]:
    """Positions as ``tokoban label`` samples them, and the fewest pushes of each level.

    The latter are UNKNOWN for levels that do not fit 8x8, which give no positions, and for levels
    without solution; for all levels if no states are asked for.
    """
    numbers, levels = _in_words(boards)
    optima = np.full(len(boards), UNKNOWN, np.int32)
    if not numbers or num_states == 0:
        return _judge_rules(np.zeros((0, NUM_WORDS), np.uint64), np.zeros(0, np.int16)), optima
    shard = label_in_memory(levels, num_states=num_states, seed=seed)
    optima[numbers] = _optima(shard)
    return _judge_rules(*positions_of(shard)), optima


def _in_words(boards: Sequence[Board]) -> tuple[list[int], Levels]:
    """The levels that fit 8x8 and whose boxes and goals the player can reach, by number."""
    parts, numbers = [Levels(*[np.zeros(0, np.uint64)] * 4)], []
    for number, board in enumerate(boards):
        words = from_board(board) if board.boxes | board.goals <= board.inside() else None
        if words is not None and not board.is_solved:
            parts.append(words)
            numbers.append(number)
    return numbers, Levels(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _optima(shard: Shard) -> Int32[np.ndarray, " N"]:
    """The fewest pushes from each level's start, which is among its states."""
    found = np.full(len(shard.level_ends), UNKNOWN, np.int32)
    first = 0
    for level, last in enumerate(shard.level_ends.tolist()):
        is_start = shard.boxes[first:last] == shard.level_boxes[level]
        is_start &= (
            np.uint64(1) << shard.player[first:last].astype(np.uint64)
            == (shard.level_player[level])
        )
        left = shard.pushes_left[first:last][is_start]
        if len(left) and left[0] != DEADLOCKED:
            found[level] = left[0]
        first = last
    return found


def _judge_rules(words: UInt64[np.ndarray, "P W"], classes: Int16[np.ndarray, " P"]) -> Labelled:
    """Numbers the levels of positions, and asks the classical rules about each position."""
    is_first = np.ones(len(words), np.bool_)
    is_first[1:] = (words[1:, [FLOOR, GOALS]] != words[:-1, [FLOOR, GOALS]]).any(axis=1)
    bound, is_detected = np.zeros(len(words), np.int32), np.zeros(len(words), np.bool_)
    most = int(np.bitwise_count(words[:, BOXES]).max(initial=1))
    _ask_rules(
        words.copy(),
        empty_terrain(most),
        np.zeros((5, most + 1), np.int64),
        np.zeros((2, 64), np.int64),
        bound,
        is_detected,
    )
    return Labelled(words, classes, np.cumsum(is_first) - 1, bound, is_detected)


@entry
@no_type_check
def _ask_rules(words, terrain, matchings, rows, bound, is_detected):
    for position in range(len(words)):
        own = words[position]
        if (
            position == 0
            or own[FLOOR] != words[position - 1, FLOOR]
            or (own[GOALS] != words[position - 1, GOALS])
        ):
            survey_terrain(terrain, own[FLOOR], own[GOALS])
        rest, player = own[BOXES], lowest(own[ZONE])
        while rest != EMPTY:
            box = lowest(rest)
            rest ^= box
            place = place_of(terrain, index(box), player)
            reaches_goal = False
            for goal in range(terrain.pushes.shape[1]):
                reaches_goal |= terrain.pushes[place, goal] < _UNREACHABLE
            if not reaches_goal or is_frozen(terrain, own[BOXES], box):
                is_detected[position] = True
        bound[position] = fill_bounds(terrain, own, matchings, rows)


def boards_of(words: UInt64[np.ndarray, "P W"]) -> list[Board]:
    """Positions as boards, the player on the first square of the zone."""
    zones = words[:, ZONE]
    first = zones & (~zones + np.uint64(1))
    packed = PackedLevels.of(~words[:, FLOOR], words[:, GOALS], words[:, BOXES], first)
    return [packed.board(row) for row in range(len(words))]


@dataclass(frozen=True)
class Judgements:
    """Judgements of labelled positions."""

    is_hit: Bool[np.ndarray, " P"]  # whether its likeliest push is optimal
    pushes_error: Float32[np.ndarray, " P"]  # of the pushes left; 0 where deadlocked
    deadlocked: Float32[np.ndarray, " P"]  # log-odds


def judge_all(judge: Judge, labelled: Labelled, *, num_views: int = 1) -> Judgements:
    """Judges labelled positions in batches, each of boards of similar size."""
    count = len(labelled.classes)
    found = Judgements(
        np.zeros(count, np.bool_), np.zeros(count, np.float32), np.zeros(count, np.float32)
    )
    order = np.argsort(np.bitwise_count(labelled.words[:, FLOOR]), kind="stable")
    for first in range(0, count, _POSITIONS_AT_ONCE):
        rows = order[first : first + _POSITIONS_AT_ONCE]
        classes, bounds = labelled.classes[rows], labelled.bound[rows]
        words, unturned = labelled.words[rows], np.zeros(len(rows), np.int64)
        num_tokens = int(np.bitwise_count(words[:, FLOOR]).max())
        boards = Encoded(*tokens_of(words, unturned, num_tokens))
        infinite = np.where(bounds >= _UNREACHABLE, UNREACHABLE, bounds).astype(np.int32)
        guidance = judged(judge, boards, infinite, num_views=num_views)
        best = guidance.log_policy.reshape(len(rows), -1).argmax(axis=1)
        results = results_of(words, unturned, num_tokens).reshape(len(rows), -1)
        found.is_hit[rows] = results[np.arange(len(rows)), best] == Result.OPTIMAL
        error = np.abs(guidance.pushes_left - bounds - 2 * classes)
        found.pushes_error[rows] = np.where(classes == DEADLOCK_CLASS, 0, error)
        found.deadlocked[rows] = _deadlock_scores(guidance)
    return found


def _deadlock_scores(guidance: Guidance) -> Float32[np.ndarray, " P"]:
    """The log-odds that each position is deadlocked, and that even its safest push leads to such.

    Both judgements are of the same fact; their sum ranks better than each.
    """
    is_legal = np.isfinite(guidance.log_policy)
    safest = np.where(is_legal, guidance.push_deadlocks, 1).min(axis=(1, 2), initial=1)
    own, after = (
        np.clip(p.astype(np.float64), 1e-9, 1 - 1e-7) for p in (guidance.deadlocked, safest)
    )
    return (np.log(own / (1 - own)) + np.log(after / (1 - after))).astype(np.float32)


def recall_at_precision(
    scores: Float32[np.ndarray, " P"],
    is_positive: Bool[np.ndarray, " P"],
    precision: float,
    weights: Float64[np.ndarray, " P"] | None = None,
) -> float:
    """The highest recall of any threshold of the scores with at least this precision.

    0 where no threshold has it, NaN where nothing is positive.
    """
    order = np.argsort(-scores, kind="stable")
    scores, is_positive = scores[order], is_positive[order]
    own = np.ones(len(scores)) if weights is None else weights[order]
    positives, all_ = np.cumsum(own * is_positive), np.cumsum(own)
    if not len(scores) or positives[-1] == 0:
        return float("nan")
    is_threshold = np.append(scores[1:] != scores[:-1], True)
    is_precise = is_threshold & (all_ > 0) & (positives >= precision * all_)
    return float((positives[is_precise] / positives[-1]).max(initial=0.0))
