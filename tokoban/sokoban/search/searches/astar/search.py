"""A* over pushes on numbered squares: the fewest moves or pushes, or any solution; compiled.

An edge is a push: its cost is the walk to it plus one (fewest moves) or one. For any solution the
lower bound is weighted (Pohl, "Heuristic search viewed as path finding in a graph", 1970). The
search is that of Junghanns and Schaeffer 2001 without iterative deepening: their lower bound,
positions in a hash table, and deadlock rules (``pruning``). The open list is buckets of equal
totals, newest first. Axes as in ``ground``; T totals (cost so far and weighted lower bound).
"""

from functools import partial
from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Int32, Int64

from tokoban.compiling import entry, inner
from tokoban.sokoban.search.level.ground import NONE, UNREACHABLE, Ground
from tokoban.sokoban.search.measures.bounds import lower_bound_after, match_again
from tokoban.sokoban.search.outcome import Outcome
from tokoban.sokoban.search.rules.corrals import DEADLOCKED
from tokoban.sokoban.search.rules.patterns import NUM_PATTERNS
from tokoban.sokoban.search.rules.pruning import is_deadlocked_by_push, judge_position
from tokoban.sokoban.search.state.positions import Positions, add, bit_of, copy, slot_of
from tokoban.sokoban.search.state.single_pushes import single_pushes
from tokoban.sokoban.search.state.workspace import lay_out_position, least_of_area

# Entries of `Frontier.progress`.
LOWEST_BUCKET, NUM_EXPANSIONS, REACHED, HAS_DROPPED, CORRAL_FLOODS = range(5)

# Floods of corral searches: at first, and for each expansion.
_FIRST_CORRAL_FLOODS, _CORRAL_FLOODS_EACH = 1000, 1


class Problem(NamedTuple):
    """The constants of a search."""

    ground: Ground
    counts_moves: bool
    weight: int  # of the lower bound; 1 for the fewest moves or pushes
    is_matched: bool  # whether the lower bound is a matching; else each box to its nearest goal


class Frontier(NamedTuple):
    """All positions met, and the open ones in buckets of equal totals.

    A position whose cost improves is stored again; the old one keeps its row with cost NONE.
    """

    # The player is on the square after the push; for fewest pushes, on the least of its area.
    positions: Positions
    cost: Int32[np.ndarray, " P"]
    lower_bound: Int32[np.ndarray, " P"]  # on the pushes left
    next_open: Int32[np.ndarray, " P"]  # in the same bucket
    num_patterns: Int32[np.ndarray, " P"]  # that were known when it was met
    bucket: Int32[np.ndarray, " T"]  # newest open position of each total
    progress: Int64[np.ndarray, "5"]


@partial(inner, is_inlined=True)
@no_type_check
def _first_open(frontier):
    """The open position of least total, newest first; NONE when there is none."""
    progress, bucket = frontier.progress, frontier.bucket
    while progress[LOWEST_BUCKET] < len(bucket):
        position = bucket[progress[LOWEST_BUCKET]]
        if position == NONE:
            progress[LOWEST_BUCKET] += 1
        elif frontier.cost[position] == NONE:
            bucket[progress[LOWEST_BUCKET]] = frontier.next_open[position]
        else:
            return position
    return NONE


@partial(inner, is_inlined=True)
@no_type_check
def _add_push(state, row, box, direction, end):
    """Stores the position after a push, unless it is deadlocked or known for no higher cost."""
    problem, frontier, scratch, pruning, parent = state
    ground, positions = problem.ground, frontier.positions
    place = end * 4 + ground.zone[end, box]
    if not scratch.may_move[row] or ground.lower_bound[place] == UNREACHABLE:
        return True
    words = scratch.words
    copy(positions.boxes[parent], words)
    words[box >> 6] ^= bit_of(box)
    words[end >> 6] ^= bit_of(end)
    cost, player = np.int64(frontier.cost[parent]) + 1, box
    if problem.counts_moves:
        cost += scratch.steps[ground.neighbours[box, direction ^ 2]]
    else:
        player = least_of_area(ground.neighbours, scratch, box)
    key = positions.boxes_key[parent] ^ ground.keys[0, box] ^ ground.keys[0, end]
    slot = slot_of(positions, words, key, player, ground.keys[1, player])
    known = positions.slots[slot]
    if known == NONE:
        if is_deadlocked_by_push(
            ground, pruning, words, scratch.boxes, scratch.is_blocked, end, player
        ):
            return True
        lower_bound = lower_bound_after(
            ground, problem.is_matched, scratch.places, row, place, scratch.matching, scratch.path
        )
        if lower_bound == UNREACHABLE:
            return True
    elif frontier.cost[known] > cost:
        lower_bound = np.int64(frontier.lower_bound[known])
    else:
        return True
    total = cost + problem.weight * lower_bound
    if total >= len(frontier.bucket):
        frontier.progress[HAS_DROPPED] = 1
        return True
    if known != NONE:
        frontier.cost[known] = NONE
    position = add(positions, slot, words, key, player, parent)
    frontier.cost[position] = cost
    frontier.lower_bound[position] = lower_bound
    frontier.next_open[position] = frontier.bucket[total]
    frontier.num_patterns[position] = pruning.patterns.progress[NUM_PATTERNS]
    frontier.bucket[total] = position
    frontier.progress[LOWEST_BUCKET] = min(frontier.progress[LOWEST_BUCKET], total)
    return True


_push_each = single_pushes(_add_push)


@partial(inner, is_inlined=True)
@no_type_check
def _expand(problem, frontier, scratch, pruning, position):
    """Adds the positions after the pushes of ``position``, unless it is deadlocked."""
    ground, words = problem.ground, frontier.positions.boxes[position]
    player, progress = np.int64(frontier.positions.player[position]), frontier.progress
    if problem.counts_moves:
        num_regions = lay_out_position(ground, words, player, scratch, scratch.steps)
    else:
        num_regions = lay_out_position(ground, words, player, scratch)
    max_floods = _FIRST_CORRAL_FLOODS + _CORRAL_FLOODS_EACH * progress[NUM_EXPANSIONS]
    max_floods -= progress[CORRAL_FLOODS]
    # A push leads into no other area of a pattern without the pushed box, so patterns tried when
    # the position was met need not be tried again.
    since = np.int64(frontier.num_patterns[position])
    verdict, num_floods = judge_position(
        ground, words, player, scratch, pruning, num_regions, since, max_floods
    )
    progress[CORRAL_FLOODS] += num_floods
    if verdict == DEADLOCKED:
        return
    # Pushes around a corral come first without loss in pushes, but perhaps by a longer walk.
    if problem.counts_moves:
        scratch.may_move[:] = True
    match_again(ground.pushes, problem.is_matched, scratch.places, scratch.matching, scratch.path)
    state = (problem, frontier, scratch, pruning, position)
    _push_each(state, ground.neighbours, scratch.boxes, scratch.is_blocked, scratch.area, 1)


@entry
@no_type_check
def search(problem, frontier, scratch, pruning, max_expansions):
    """Goes on with the search; returns why it stopped, with the figures in ``progress``."""
    positions, progress = frontier.positions, frontier.progress
    while True:
        position = _first_open(frontier)
        if position == NONE:
            return Outcome.TOO_LONG if progress[HAS_DROPPED] else Outcome.EXHAUSTED
        if frontier.lower_bound[position] == 0:
            progress[REACHED] = position
            return Outcome.SOLVED
        if progress[NUM_EXPANSIONS] >= max_expansions:
            return Outcome.BUDGET_SPENT
        if positions.num_known[0] + 4 * len(scratch.boxes) > len(frontier.cost):
            return Outcome.STORE_FULL
        frontier.bucket[progress[LOWEST_BUCKET]] = frontier.next_open[position]
        progress[NUM_EXPANSIONS] += 1
        _expand(problem, frontier, scratch, pruning, position)
