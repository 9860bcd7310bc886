"""Regions of floor for every square a box may come to, against a flood for each."""

import numpy as np

from tests.sokoban.search.laid_out import for_python
from tests.sokoban.search.level.floors import neighbours_of, random_floors
from tokoban.sokoban.search.level import regions as module
from tokoban.sokoban.search.level.ground import NONE
from tokoban.sokoban.search.level.regions import Regions, empty_regions

find_regions = for_python(module.find_regions)
region_of = for_python(module.region_of)


def least_by_flood(neighbours: np.ndarray, free: set[int]) -> dict[int, int]:
    """For each free square the least of its region."""
    least: dict[int, int] = {}
    for start in sorted(free):
        if start in least:
            continue
        waiting = [start]
        least[start] = start
        while waiting:
            for ahead in neighbours[waiting.pop()].tolist():
                if ahead in free and ahead not in least:
                    least[ahead] = start
                    waiting.append(ahead)
    return least


def test_one_search_finds_what_a_flood_finds_for_every_square() -> None:
    num_parted = 0
    draw = np.random.default_rng(3)
    for floor in random_floors(150, seed=1):
        squares = sorted(floor)
        neighbours = neighbours_of(squares)
        is_blocked = draw.random(len(squares) + 1) < 0.15
        is_blocked[-1] = True
        free = set(np.flatnonzero(~is_blocked).tolist())
        regions: Regions = empty_regions(len(squares))
        find_regions(neighbours, is_blocked, regions)
        for box in free:
            least = least_by_flood(neighbours, free - {box})
            assert regions.num_regions[box] == len(set(least.values()))
            expected = [least.get(ahead, NONE) for ahead in neighbours[box].tolist()]
            assert regions.beside[box].tolist() == expected
            for square in free - {box}:
                assert region_of(neighbours, regions, box, square) == least[square]
            num_parted += len(set(expected) - {NONE}) > 1
    assert num_parted > 500
