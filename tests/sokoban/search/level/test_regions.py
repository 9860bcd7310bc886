"""Regions of floor for every square a box may come to, against a flood for each."""

import numpy as np

from tests.sokoban.search.laid_out import for_python
from tokoban.sokoban.search.level import regions as module
from tokoban.sokoban.search.level.ground import NONE
from tokoban.sokoban.search.level.regions import Regions, empty_regions

find_regions = for_python(module.find_regions)
find_beside = for_python(module.find_beside)
find_beside_whole = for_python(module.find_beside_whole)
region_of = for_python(module.region_of)


def random_floors(num_floors: int, seed: int) -> list[set[tuple[int, int]]]:
    draw = np.random.default_rng(seed)
    floors = []
    for i in range(num_floors):
        height, width = draw.integers(2, 9, size=2)
        is_free = draw.random((height, width)) < (0.5, 0.65, 0.8, 0.95)[i % 4]
        floors.append({(int(row), int(column)) for row, column in np.argwhere(is_free)})
    return floors


def neighbours_of(floor: list[tuple[int, int]]) -> np.ndarray:
    number = {square: i for i, square in enumerate(floor)}
    rows = [
        [
            number.get((row + down, column + right), len(floor))
            for down, right in ((-1, 0), (0, -1), (1, 0), (0, 1))
        ]
        for row, column in floor
    ]
    return np.array([*rows, [len(floor)] * 4], np.int16)


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
    num_parted = num_whole = 0
    draw = np.random.default_rng(3)
    for floor in random_floors(150, seed=1):
        squares = sorted(floor)
        neighbours = neighbours_of(squares)
        is_blocked = draw.random(len(squares) + 1) < 0.15
        is_blocked[-1] = True
        free = set(np.flatnonzero(~is_blocked).tolist())
        regions: Regions = empty_regions(len(squares))
        find_regions(neighbours, is_blocked, regions)
        lifted = least_by_flood(neighbours, free)
        of_lifted = len(set(lifted.values()))
        for box in free:
            least = least_by_flood(neighbours, free - {box})
            find_beside(neighbours, regions, box)
            assert regions.num_regions[box] == len(set(least.values()))
            expected = [least.get(ahead, NONE) for ahead in neighbours[box].tolist()]
            assert regions.beside[box].tolist() == expected
            if {*expected} != {NONE} and find_beside_whole(
                neighbours, is_blocked, regions, box, lifted[box], of_lifted
            ):
                assert regions.num_regions[box] == len(set(least.values()))
                assert regions.beside[box].tolist() == expected
                num_whole += 1
            for square in free - {box}:
                assert region_of(neighbours, regions, box, square) == least[square]
            num_parted += len(set(expected) - {NONE}) > 1
    assert num_parted > 500 and num_whole > 500
