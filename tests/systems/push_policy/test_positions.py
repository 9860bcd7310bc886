"""Positions and tokens of label shards against plain sets of squares and a breadth-first search."""

from collections import deque
from functools import cache

import numpy as np
import pytest

from tokoban.sokoban.board import OFFSETS
from tokoban.sokoban.encoding.features import (
    CAN_PUSH,
    DIRECTIONS,
    HAS_BOX,
    IS_FLOOR,
    IS_GOAL,
    NEIGHBOURHOOD,
)
from tokoban.sokoban.labels.samples import Origin
from tokoban.systems.push_policy.dataset import random_levels
from tokoban.systems.push_policy.positions import (
    BOXES,
    FLOOR,
    GOALS,
    LEGAL,
    OPTIMAL,
    PLAYER,
    TWO_MORE,
    UNBOUNDED,
    ZONE,
    positions_of,
    results_of,
    tokens_of,
)
from tokoban.systems.push_policy.results import DEADLOCK_CLASS

Cells = frozenset[tuple[int, int]]


def _cells(word: np.uint64) -> Cells:
    return frozenset(divmod(i, 8) for i in range(64) if int(word) >> i & 1)


def _step(cell: tuple[int, int], direction: int) -> tuple[int, int]:
    return cell[0] + OFFSETS[direction][0], cell[1] + OFFSETS[direction][1]


def _zone(floor: Cells, boxes: Cells, player: tuple[int, int]) -> Cells:
    reached, waiting = {player}, [player]
    while waiting:
        cell = waiting.pop()
        for direction in range(4):
            after = _step(cell, direction)
            if after in floor - boxes and after not in reached:
                reached.add(after)
                waiting.append(after)
    return frozenset(reached)


def _pushes(floor: Cells, boxes: Cells, zone: Cells) -> dict[tuple[tuple[int, int], int], Cells]:
    """The boxes after each legal push, by its box and direction."""
    found = {}
    for box in boxes:
        for direction in range(4):
            target = _step(box, direction)
            if _step(box, direction ^ 2) in zone and target in floor - boxes:
                found[box, direction] = boxes - {box} | {target}
    return found


@cache
def _pushes_left(floor: Cells, goals: Cells, boxes: Cells, zone: Cells) -> int | None:
    """By a breadth-first search of the pushes; None for a deadlocked position."""
    known, waiting = {(boxes, zone)}, deque([(boxes, zone, 0)])
    while waiting:
        boxes, zone, number = waiting.popleft()
        if boxes == goals:
            return number
        for (box, _), after in _pushes(floor, boxes, zone).items():
            position = after, _zone(floor, after, box)
            if position not in known:
                known.add(position)
                waiting.append((*position, number + 1))
    return None


@pytest.fixture(scope="module")
def positions() -> tuple[np.ndarray, np.ndarray]:
    words, classes = positions_of(random_levels(seed=0, number=0))
    chosen = np.random.default_rng(0).permutation(len(words))[:30]
    return words[chosen], classes[chosen]


def test_positions_have_the_labels_that_a_breadth_first_search_finds(
    positions: tuple[np.ndarray, np.ndarray],
) -> None:
    seen = set()
    for row, excess in zip(*positions, strict=True):
        floor, goals, boxes, zone = (_cells(row[word]) for word in (FLOOR, GOALS, BOXES, ZONE))
        (player,) = _cells(row[PLAYER])
        assert zone == _zone(floor, boxes, player)
        left = _pushes_left(floor, goals, boxes, zone)
        assert (left is None) == (excess == DEADLOCK_CLASS)
        pushes = _pushes(floor, boxes, zone)
        by_kind: dict[int, set] = {LEGAL: set(pushes), OPTIMAL: set(), TWO_MORE: set()}
        deadlocking = set()
        for (box, direction), after in pushes.items():
            then = _pushes_left(floor, goals, after, _zone(floor, after, box))
            if then is None:
                deadlocking.add((box, direction))
            elif left is not None and then in (left - 1, left + 1):
                by_kind[OPTIMAL if then == left - 1 else TWO_MORE].add((box, direction))
            # The two are both even or both odd, as the pushes to any goals are.
            assert then is None or left is None or (then - left) % 2 == 1
        for kind, expected in by_kind.items():
            found = {(cell, d) for d in range(4) for cell in _cells(row[kind + d])}
            assert found == expected
            seen |= {kind} if found else set()
        # An infinite lower bound is a proof.
        unbounded = {(cell, d) for d in range(4) for cell in _cells(row[UNBOUNDED + d])}
        assert unbounded <= deadlocking
        seen |= {UNBOUNDED} if unbounded else set()
    assert seen == {LEGAL, OPTIMAL, TWO_MORE, UNBOUNDED}


def test_states_that_differ_by_a_walk_are_one_position() -> None:
    shard = random_levels(seed=0, number=0)
    words, _ = positions_of(shard)
    found = [tuple(row) for row in words[:, [FLOOR, GOALS, BOXES, ZONE]].tolist()]
    assert len(set(found)) == len(found)
    sampled = shard.origin != Origin.NEIGHBOUR
    assert len(found) < sampled.sum() / 2  # so that many differ by a walk alone


@pytest.mark.parametrize("symmetry", range(8))
def test_tokens_are_the_cells_of_the_transformed_board(
    positions: tuple[np.ndarray, np.ndarray], symmetry: int
) -> None:
    words = positions[0][:10]
    features, neighbours, coordinates = tokens_of(words, np.full(10, symmetry), 40)
    results = results_of(words, np.full(10, symmetry), 40)
    for row, own, beside, places, after in zip(
        words, features, neighbours, coordinates, results, strict=True
    ):
        at = {tuple(place): i for i, place in enumerate(places.tolist()) if own[i, IS_FLOOR]}
        for feature, word in ((IS_FLOOR, FLOOR), (IS_GOAL, GOALS), (HAS_BOX, BOXES)):
            found = {place for place, i in at.items() if own[i, feature]}
            assert found == _transformed(_cells(row[word]), symmetry)
        for direction in range(4):
            turned = DIRECTIONS[symmetry, direction]
            found = {place for place, i in at.items() if own[i, CAN_PUSH + turned]}
            assert found == _transformed(_cells(row[LEGAL + direction]), symmetry)
            optimal = {place for place, i in at.items() if after[i, turned] == 0}
            assert optimal == _transformed(_cells(row[OPTIMAL + direction]), symmetry)
        for (x, y), i in at.items():
            expected = [at.get((x + down, y + right), 40) for down, right in NEIGHBOURHOOD]
            assert beside[i].tolist() == expected


def _transformed(cells: Cells, symmetry: int) -> Cells:
    grid = np.zeros((8, 8), bool)
    for cell in cells:
        grid[cell] = True
    grid = np.rot90(grid[:, ::-1] if symmetry & 4 else grid, symmetry % 4)
    return frozenset((int(row), int(column)) for row, column in np.argwhere(grid))


@pytest.mark.parametrize("symmetry", range(8))
def test_directions_turn_with_the_board(symmetry: int) -> None:
    start = frozenset({(3, 3)})
    ((row, column),) = _transformed(start, symmetry)
    for direction in range(4):
        ((row_after, column_after),) = _transformed(frozenset({_step((3, 3), direction)}), symmetry)
        turned = OFFSETS[DIRECTIONS[symmetry, direction]]
        assert (row_after - row, column_after - column) == turned
