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
from tokoban.sokoban.search.level.flood import flood, flood_rest
from tokoban.sokoban.search.level.ground import NONE, UNREACHABLE, Ground
from tokoban.sokoban.search.measures.bounds import lower_bound_after, match_all
from tokoban.sokoban.search.outcome import Outcome
from tokoban.sokoban.search.rules.corrals import DEADLOCKED, PUSH_THESE
from tokoban.sokoban.search.rules.few_boxes import is_deadlocked_now
from tokoban.sokoban.search.rules.patterns import NUM_PATTERNS
from tokoban.sokoban.search.rules.pruning import is_deadlocked_by_push, judge_corrals
from tokoban.sokoban.search.state.positions import (
    Positions,
    add,
    bit_of,
    copy,
    list_boxes,
    slot_of,
)

# Entries of `Frontier.progress`.
LOWEST_BUCKET, NUM_EXPANSIONS, REACHED, HAS_DROPPED, CORRAL_FLOODS = range(5)

# Floods of corral searches: at first, and for each expansion.
_FIRST_CORRAL_FLOODS, _CORRAL_FLOODS_EACH = 1000, 1


class Problem(NamedTuple):
    """The constants of a search."""

    ground: Ground
    counts_moves: bool
    weight: int  # of the lower bound; 1 for the fewest
    is_matched: bool  # whether the lower bound is of a matching, or of each box to its next goal


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
def _add_push(problem, frontier, scratch, pruning, parent, row, end, beside, cost):
    """Stores the position after box ``row`` of ``parent`` is pushed to ``end``, unless it is
    deadlocked or known for no higher cost. The scratch has that box moved on the floor already, and
    the player is at its side ``beside``."""
    ground, positions = problem.ground, frontier.positions
    box = np.int64(scratch.boxes[row])
    place = end * 4 + ground.zone[end, box]
    if ground.lower_bound[place] == UNREACHABLE:
        return
    words = scratch.words
    copy(positions.boxes[parent], words)
    words[box >> 6] ^= bit_of(box)
    if is_deadlocked_now(pruning.few_boxes, words, end, beside):
        return
    player = box
    if not problem.counts_moves:
        scratch.last_mark[0] += 1
        mark = scratch.last_mark[0]
        player = flood(
            ground.neighbours, scratch.is_blocked, box, scratch.marks, mark, scratch.waiting
        )
    words[end >> 6] ^= bit_of(end)
    key = positions.boxes_key[parent] ^ ground.keys[0, box] ^ ground.keys[0, end]
    slot = slot_of(positions, words, key, player, ground.keys[1, player])
    known = positions.slots[slot]
    if known == NONE:
        scratch.boxes[row] = end
        is_deadlocked = is_deadlocked_by_push(
            ground, pruning, words, scratch.boxes, scratch.is_blocked, end, player
        )
        scratch.boxes[row] = box
        if is_deadlocked:
            return
        lower_bound = lower_bound_after(
            ground, problem.is_matched, scratch.places, row, place, scratch.matching, scratch.path
        )
        if lower_bound == UNREACHABLE:
            return
    elif frontier.cost[known] > cost:
        lower_bound = np.int64(frontier.lower_bound[known])
    else:
        return
    total = cost + problem.weight * lower_bound
    if total >= len(frontier.bucket):
        frontier.progress[HAS_DROPPED] = 1
        return
    if known != NONE:
        frontier.cost[known] = NONE
    position = add(positions, slot, words, key, player, parent)
    frontier.cost[position] = cost
    frontier.lower_bound[position] = lower_bound
    frontier.next_open[position] = frontier.bucket[total]
    frontier.num_patterns[position] = pruning.patterns.progress[NUM_PATTERNS]
    frontier.bucket[total] = position
    frontier.progress[LOWEST_BUCKET] = min(frontier.progress[LOWEST_BUCKET], total)


@partial(inner, is_inlined=True)
@no_type_check
def _push_all(problem, frontier, scratch, pruning, position, is_bound):
    """Adds the positions after each push; if ``is_bound``, only of the boxes around a corral."""
    neighbours, is_blocked, boxes = problem.ground.neighbours, scratch.is_blocked, scratch.boxes
    for row in range(len(boxes)):
        if is_bound and not pruning.may_move[row]:
            continue
        box = boxes[row]
        for direction in range(4):
            behind = neighbours[box, direction ^ 2]
            beyond = np.int64(neighbours[box, direction])
            if scratch.area[behind] != 1 or is_blocked[beyond]:
                continue
            cost = np.int64(frontier.cost[position]) + 1
            if problem.counts_moves:
                cost += scratch.steps[behind]
            is_blocked[box] = False
            is_blocked[beyond] = True
            _add_push(
                problem, frontier, scratch, pruning, position, row, beyond, direction ^ 2, cost
            )
            is_blocked[beyond] = False
            is_blocked[box] = True


@partial(inner, is_inlined=True)
@no_type_check
def _expand(problem, frontier, scratch, pruning, position):
    """Adds the positions after the pushes of ``position``, unless it is deadlocked."""
    ground, positions = problem.ground, frontier.positions
    boxes, is_blocked = scratch.boxes, scratch.is_blocked
    area, waiting = scratch.area, scratch.waiting
    player = np.int64(positions.player[position])
    list_boxes(positions.boxes[position], boxes)
    for row in range(len(boxes)):
        is_blocked[boxes[row]] = True
        scratch.places[row] = boxes[row] * 4 + ground.zone[boxes[row], player]
    area[:] = 0
    if problem.counts_moves:
        flood(ground.neighbours, is_blocked, player, area, 1, waiting, scratch.steps)
    else:
        flood(ground.neighbours, is_blocked, player, area, 1, waiting)
    num_regions = flood_rest(ground.neighbours, is_blocked, area, 1, waiting)
    words, progress = positions.boxes[position], frontier.progress
    num_floods = pruning.corral_search.num_floods
    floods_before = num_floods[0]
    allowed = _FIRST_CORRAL_FLOODS + _CORRAL_FLOODS_EACH * progress[NUM_EXPANSIONS]
    max_floods = floods_before + allowed - progress[CORRAL_FLOODS]
    # A push leads into no other area of a pattern without the box that is pushed, so those that
    # were tried when the position was met need not be tried again.
    since = np.int64(frontier.num_patterns[position])
    verdict = judge_corrals(
        ground, pruning, words, boxes, is_blocked, area, num_regions, player, since, max_floods
    )
    progress[CORRAL_FLOODS] += num_floods[0] - floods_before
    if verdict != DEADLOCKED:
        # Pushes around a corral come first without loss in pushes, but perhaps by a longer walk.
        is_bound = verdict == PUSH_THESE and not problem.counts_moves
        match_all(ground, problem.is_matched, scratch.places, scratch.matching, scratch.path)
        _push_all(problem, frontier, scratch, pruning, position, is_bound)
    for box in boxes:
        is_blocked[box] = False


@partial(entry, makes_arrays=True)
@no_type_check
def list_moves(neighbours, positions, chain, player, moves):
    """Writes all moves through the positions of ``chain``, each one push after the one before.

    ``moves`` has space for F moves a push, and ``player`` stands on a square of the first position.
    Every walk is a shortest one. Returns how many moves there are.
    """
    num_floor = len(neighbours) - 1
    is_blocked = np.ones(num_floor + 1, np.bool_)
    marks, steps, waiting = np.zeros((3, num_floor + 1), np.int32)
    count = 0
    for i in range(1, len(chain)):
        before, after = positions.boxes[chain[i - 1]], positions.boxes[chain[i]]
        box, beyond = 0, 0
        for square in range(num_floor):
            word, bit = square >> 6, bit_of(square)
            is_blocked[square] = before[word] & bit != 0
            if before[word] & ~after[word] & bit:
                box = square
            if after[word] & ~before[word] & bit:
                beyond = square
        push = 0
        while neighbours[box, push] != beyond:
            push += 1
        behind = neighbours[box, push ^ 2]
        flood(neighbours, is_blocked, behind, marks, i, waiting, steps)
        while player != behind:
            move = 0
            ahead = neighbours[player, move]
            while marks[ahead] != i or steps[ahead] != steps[player] - 1:
                move += 1
                ahead = neighbours[player, move]
            moves[count] = move
            count += 1
            player = ahead
        moves[count] = push
        count += 1
        player = box
    return count


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
