"""Random floors, as compiled functions see them."""

import numpy as np

Floor = set[tuple[int, int]]


def random_floors(num_floors: int, seed: int, most: int = 8) -> list[Floor]:
    draw = np.random.default_rng(seed)
    floors = []
    for i in range(num_floors):
        height, width = draw.integers(2, most + 1, size=2)
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
